import type { EmulatorOptions } from '../emulator.ts'
import { batchAnswer, failure } from './rules.ts'

type Answers = NonNullable<EmulatorOptions['answers']>

/** A batch of associations answers that it is complete, has no results, and links nothing. */
export const linkingNothing: Answers = ({ path }, own) =>
  /^\/crm\/v4\/associations\/.+\/batch\/(create|associate\/default)$/.test(path)
    ? batchAnswer(201, { results: [], errors: [] })
    : own()

/** A removal of labels is answered as done, as one under a wrong category is, and they stay. */
export const keepingLabels: Answers = ({ path }, own) =>
  path.endsWith('/batch/labels/archive') ? { status: 204 } : own()

/** The first `times` requests, or those that fit alone, are refused with 429 and the time to wait. */
export function refusingFor(seconds: number, times: number, fits = (_path: string) => true): Answers {
  let left = times
  return ({ path }, own) => {
    if (left === 0 || !fits(path)) return own()
    left -= 1
    const policy = { errorType: 'RATE_LIMIT', policyName: 'TEN_SECONDLY_ROLLING' }
    const refused = failure(429, 'RATE_LIMITS', 'You have reached your ten_secondly_rolling limit.', policy)
    return { ...refused, headers: { 'retry-after': String(seconds) } }
  }
}
