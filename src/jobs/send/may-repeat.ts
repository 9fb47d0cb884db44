import type { Answer } from '../../api/answer.ts'
import { type Failure, isFailure } from '../../api/failure.ts'
import type { KeyKeeping } from '../../api/key-keeping.ts'
import type { Task } from './task.ts'
import type { Verdict } from './verdict.ts'

const NOT_KNOWN = 'the server is not known to keep idempotency keys'

/** Why a create that was answered with a doubtful 2xx is not sent again. */
export const TAKEN = 'the server took it without showing what it made, so it is not sent again'

/** An update or a deletion comes to the same twice; a create does only where the server keeps its key. */
export function mayRepeat({ operation }: Task, { isKept }: KeyKeeping): boolean {
  return operation.head.do !== 'create' || isKept
}

/** What must not be sent once more, because the try may have made the record, is left to a look at the records. */
export function onlyOnce(task: Task, outcome: Answer | Failure, verdict: Verdict, keys: KeyKeeping): Verdict {
  const isAgain = verdict.is === 'again' && verdict.because !== 'running'
  if (!isAgain || !isFailure(outcome) || !outcome.isInDoubt || mayRepeat(task, keys)) return verdict
  return { is: 'unsettled', why: `${outcome.reason}, and ${NOT_KNOWN}`, isAnswered: false }
}

/** Why one that an earlier try may have made is not sent; undefined when it may be. */
export function whyNotRepeated(task: Task, keys: KeyKeeping): string | undefined {
  if (task.isTaken) return TAKEN
  return task.isInDoubt && !mayRepeat(task, keys) ? `it may have been sent, and ${NOT_KNOWN}` : undefined
}
