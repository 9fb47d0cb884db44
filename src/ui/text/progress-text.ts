import { grouped, rateTexts } from '../../output/progress.ts'
import { safeText } from '../../output/safe-text.ts'
import type { SendProgress } from '../state.ts'

/** `400 of 5,000`, `0 failed`, `163/s`, `25 s left`. */
export function progressTexts({ total, ended, failed, perSecond, pausedBy }: SendProgress): readonly string[] {
  const counts = [`${grouped(ended)} of ${grouped(total)}`, `${grouped(failed)} failed`]
  if (pausedBy !== undefined) return [...counts, safeText(`waiting: ${pausedBy}`)]
  return [...counts, ...rateTexts(perSecond, total - ended)]
}
