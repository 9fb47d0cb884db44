import { CrmError } from '../../core/errors.ts'
import type { ReceivedEvent } from '../../core/webhook-events.ts'
import { type CommandOptions, startCommand } from '../command.ts'
import type { Outcome, Target } from './target.ts'

export interface CommandTargetOptions extends Pick<CommandOptions, 'words' | 'env' | 'say'> {
  /** As typed. */
  readonly name: string
  readonly timeoutMs: number
  /** What it is given on stdin. */
  input(event: ReceivedEvent): string
}

/** Each is a process. */
const LIMIT = 4

/** A command that is run once an event; its exit code says whether it has taken it. */
export function commandTarget({ name, timeoutMs, input, ...command }: CommandTargetOptions): Target {
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
        // The program has gone since it was looked for: as any command that fails.
        if (!(error instanceof CrmError)) throw error
        return outcomeOf(undefined, error.message, isLate)
      } finally {
        clearTimeout(late)
        signal.removeEventListener('abort', stop)
      }
    },
  }
}

function outcomeOf(exit: number | undefined, how: string, isLate: boolean): Outcome {
  const isDone = exit === 0
  return {
    status: exit,
    failure: isDone ? undefined : how,
    answer: isDone ? 204 : isLate ? 504 : 500,
    retryAfter: undefined,
    response: undefined,
  }
}
