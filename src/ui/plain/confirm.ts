import { grouped } from '../../output/progress.ts'
import { MOST_BY_KEY } from '../actions/limits.ts'
import { type DiffLine, diffText } from '../text/diff-line.ts'
import type { Plain } from './plain.ts'

export interface SendQuestion {
  /** `Send 2 updates to prod https://crm.example?` */
  readonly title: string
  readonly diff: readonly DiffLine[]
  readonly lines: readonly string[]
  readonly count: number
}

/** Lines of a diff that are said before the rest is counted. */
const MOST_SAID = 20

/** Says the plan. More than a few changes, and any on a protected profile, need their number; others `y`. */
export async function isConfirmed(
  { say, ask, store }: Pick<Plain, 'say' | 'ask' | 'store'>,
  { title, diff, lines, count }: SendQuestion,
): Promise<boolean> {
  const { isProtected } = store.get().place
  say(title)
  for (const line of diff.slice(0, MOST_SAID)) say(diffText(line))
  if (diff.length > MOST_SAID) say(`and ${grouped(diff.length - MOST_SAID)} more changes`)
  for (const line of lines) say(line)
  const expected = isProtected || count > MOST_BY_KEY ? String(count) : 'y'
  const why = isProtected ? 'The profile is protected. ' : ''
  const isYes = (await ask(`${why}Type ${expected} to do it, anything else cancels: `)) === expected
  if (!isYes) say('Cancelled, nothing was sent.')
  return isYes
}
