import { InvalidArgumentError } from 'commander'
import { parseDurationMs } from '../../core/duration.ts'

/** `0,1s,5s`: how long after the failure before it each try is made, in milliseconds; the first is made at once. */
export function parseRetrySchedule(text: string): readonly number[] {
  const delaysMs = text.split(',').map(parseDurationMs)
  const known = delaysMs.filter((delayMs) => delayMs !== undefined)
  if (known.length === delaysMs.length && known[0] === 0) return known
  throw new InvalidArgumentError('Expected times that begin with 0, such as 0,5s,5m.')
}
