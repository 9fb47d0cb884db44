import type { Failure } from '../../api/errors/failure.ts'
import type { Answer } from '../../api/transport/answer.ts'

/** When the next request may go, and how many may be under way. */
export interface Pace {
  /** How many may be under way now. */
  readonly width: number
  /** 0: go on, it is counted as sent. More: not before so many milliseconds. Undefined: only an answer can tell. */
  take(): number | undefined
  /** After every request that was taken. */
  answered(outcome: Answer | Failure, tookMs: number): void
}
