import type { Answer } from './store.ts'

/** How long the answer to an idempotency key is replayed. */
export const ANSWER_KEPT_MS = 24 * 60 * 60 * 1000

/** Whether a write took effect. Only then is it written and its answer kept for replays. */
export function tookEffect(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300
}
