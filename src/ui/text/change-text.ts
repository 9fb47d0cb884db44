import type { CrmRecord } from '../../core/resources/registry.ts'
import { grouped, rateTexts } from '../../output/progress.ts'
import { safeText } from '../../output/safe-text.ts'
import type { KeptForm } from '../../settings/kept-changes.ts'
import type { SendProgress, State } from '../state.ts'

/** The name of a record for messages: its name, email address or id. */
export function recordName(row: CrmRecord | undefined): string {
  const name = row && [row.name, row.email, row.id].find((value) => typeof value === 'string' && value !== '')
  return typeof name === 'string' ? safeText(name.slice(0, 60)) : 'it'
}

/** The name of the one row, or `3 contacts`. */
export function rowsText(rows: readonly CrmRecord[], plural: string): string {
  return rows.length === 1 ? recordName(rows[0]) : `${rows.length} ${plural}`
}

const PLURALS = { update: 'updates', deletion: 'deletions', change: 'changes', form: 'forms' } as const

type Counted = keyof typeof PLURALS

/** `2 updates`, `1 deletion`; a count of 0 is left out. */
export function countedParts(counts: Readonly<Partial<Record<Counted, number>>>): readonly string[] {
  return Object.entries(counts).flatMap(([word, count]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? word : PLURALS[word as Counted]}`],
  )
}

/** `2 changes and 1 form`; empty for none. */
export function changesText(change: number, form = 0): string {
  return countedParts({ change, form }).join(' and ')
}

/** A form that cannot be opened again, as one line. */
export function formText({ list, before, texts }: KeptForm): string {
  const members = Object.entries(texts).map(([name, text]) => `${name}=${text}`)
  return safeText(`${list} ${before ? recordName(before) : 'new'}: ${members.join(' ')}`)
}

/** The work that is being sent, for the status line and for the question before leaving. */
export function underWayText({ underWay, leaving }: Pick<State, 'underWay' | 'leaving'>): readonly string[] {
  const [first, ...more] = underWay
  if (!first) return []
  const others = more.length > 0 ? ` and ${more.length} more` : ''
  return [`sending ${first.what}${others}${leaving ? ', then quits' : ' …'}`]
}

/** `400 of 5,000`, `0 failed`, `163/s`, `25 s left`. */
export function progressTexts({ total, ended, failed, perSecond, pausedBy }: SendProgress): readonly string[] {
  const counts = [`${grouped(ended)} of ${grouped(total)}`, `${grouped(failed)} failed`]
  if (pausedBy !== undefined) return [...counts, safeText(`waiting: ${pausedBy}`)]
  return [...counts, ...rateTexts(perSecond, total - ended)]
}
