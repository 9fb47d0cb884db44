import { CrmError } from '../../core/errors.ts'
import type { Env } from '../../core/streams.ts'
import type { ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'
import { type CommandOptions, startCommand } from '../command.ts'
import {
  type AttemptOutcome,
  createForwarder,
  type Forwarder,
  type ForwarderOptions,
  type ForwardTarget,
} from './forwarder.ts'
import { httpTarget, type TargetConnection } from './http-target.ts'

/** Low, as each attempt starts a process. */
const LIMIT = 4

export interface ForwardRules extends Pick<ForwarderOptions, 'isAccepted' | 'keepsQueued'> {
  readonly forwards: readonly { readonly url: URL; readonly globs: readonly string[] }[]
  readonly commands: readonly { readonly name: string; readonly words: readonly [string, ...string[]] }[]
  /** Of `forwards`. */
  readonly connection?: TargetConnection
  /** For one attempt. */
  readonly timeoutMs: number
  readonly retries: number
  readonly showsResponse: boolean
  readonly passesDuplicates: boolean
  /** Headers that replace the received ones. */
  readonly sign?: (event: ReceivedEvent) => readonly (readonly [string, string])[]
  readonly env: Env
  readonly now: () => number
  /** The stdin of a command. */
  input(event: ReceivedEvent): string
  /** Called for each line that a command prints. */
  say(line: string): void
  /** Keeps each result before it is shown. */
  readonly keep?: ((result: ForwardResult) => Promise<void>) | undefined
  show(result: ForwardResult): Promise<void>
}

/** Undefined when there is no target. */
export function startForwarder(rules: ForwardRules): Forwarder | undefined {
  const { timeoutMs, sign, env, input, say, connection } = rules
  const targets = [
    ...rules.forwards.map((rule) => httpTarget({ ...rule, ...connection, timeoutMs, ...(sign && { sign }) })),
    ...rules.commands.map((command) => commandTarget({ ...command, env, timeoutMs, input, say })),
  ]
  return targets.length === 0 ? undefined : createForwarder({ ...rules, targets })
}

interface CommandTargetOptions extends Pick<CommandOptions, 'words' | 'env' | 'say'> {
  /** As typed. */
  readonly name: string
  readonly timeoutMs: number
  /** Its stdin. */
  input(event: ReceivedEvent): string
}

/** A command that runs once per event; exit code 0 means that it accepted the event. */
function commandTarget({ name, timeoutMs, input, ...command }: CommandTargetOptions): ForwardTarget {
  return {
    type: 'executed',
    name,
    limit: LIMIT,
    takes: () => true,
    send: async (event, signal) => {
      const running = startCommand({ ...command, input: input(event) })
      let isLate = false
      const late = setTimeout(() => {
        isLate = true
        void running.stop()
      }, timeoutMs)
      const stop = (): void => void running.stop()
      signal.addEventListener('abort', stop)
      try {
        const { exit, how } = await running.ended
        return outcomeOf(exit, isLate ? `killed after ${timeoutMs / 1000} s` : how, isLate)
      } catch (error) {
        // The program was removed after the check: reported like any failing command.
        if (!(error instanceof CrmError)) throw error
        return outcomeOf(undefined, error.message, isLate)
      } finally {
        clearTimeout(late)
        signal.removeEventListener('abort', stop)
      }
    },
  }
}

function outcomeOf(exit: number | undefined, how: string, isLate: boolean): AttemptOutcome {
  const isDone = exit === 0
  return {
    status: exit,
    failure: isDone ? undefined : how,
    answer: isDone ? 204 : isLate ? 504 : 500,
    retryAfter: undefined,
    response: undefined,
  }
}
