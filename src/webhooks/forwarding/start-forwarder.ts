import type { Env } from '../../core/streams.ts'
import type { ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'
import { commandTarget } from './command-target.ts'
import { createForwarder, type Forwarder } from './forwarder.ts'
import { httpTarget } from './http-target.ts'

export interface ForwardRules {
  readonly forwards: readonly { readonly url: URL; readonly globs: readonly string[] }[]
  readonly commands: readonly { readonly name: string; readonly words: readonly [string, ...string[]] }[]
  /** For one try. */
  readonly timeoutMs: number
  readonly retries: number
  readonly showsResponse: boolean
  readonly passesDuplicates: boolean
  /** The headers to send in place of those that came. */
  readonly sign?: (event: ReceivedEvent) => readonly (readonly [string, string])[]
  readonly env: Env
  readonly now: () => number
  /** What a command is given on stdin. */
  input(event: ReceivedEvent): string
  /** What a command prints. */
  say(line: string): void
  show(result: ForwardResult): Promise<void>
}

/** Undefined when there is no target. */
export function startForwarder(rules: ForwardRules): Forwarder | undefined {
  const { timeoutMs, showsResponse, sign, env, input, say } = rules
  const targets = [
    ...rules.forwards.map((rule) => httpTarget({ ...rule, timeoutMs, showsResponse, ...(sign && { sign }) })),
    ...rules.commands.map((command) => commandTarget({ ...command, env, timeoutMs, input, say })),
  ]
  return targets.length === 0 ? undefined : createForwarder({ ...rules, targets })
}
