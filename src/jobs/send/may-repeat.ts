import { type Failure, isFailure } from '../../api/errors/failure.ts'
import type { Answer } from '../../api/transport/answer.ts'
import type { KeyKeeping } from '../../api/writes/key-keeping.ts'
import type { SendOutcome } from './send-outcome.ts'
import type { Task } from './task-queue.ts'

const NOT_KNOWN = 'the server is not known to keep idempotency keys'

/** The reason not to send a create again after a 2xx that does not show the record. */
export const TAKEN = 'the server accepted it without showing the record, so it is not sent again'

/** An update or a deletion may be repeated; a create only when the server keeps its key. */
export function mayRepeat({ operation }: Task, { isKept }: KeyKeeping): boolean {
  return operation.head.do !== 'create' || isKept
}

/** A create that must not be repeated, and may have made the record, is looked up. */
export function onlyOnce(
  task: Task,
  outcome: Answer | Failure,
  sendOutcome: SendOutcome,
  keys: KeyKeeping,
): SendOutcome {
  const isAgain = sendOutcome.type === 'again' && sendOutcome.because !== 'running'
  if (!isAgain || !isFailure(outcome) || !outcome.isInDoubt || mayRepeat(task, keys)) return sendOutcome
  return { type: 'unsettled', why: `${outcome.reason}, and ${NOT_KNOWN}`, isAnswered: false }
}

/** The reason not to repeat an operation that may have taken effect; undefined when it may be sent. */
export function whyNotRepeated(task: Task, keys: KeyKeeping): string | undefined {
  if (task.isTaken) return TAKEN
  return task.isInDoubt && !mayRepeat(task, keys) ? `it may have been sent, and ${NOT_KNOWN}` : undefined
}
