import type { Members } from '../json-text.ts'
import { invalidValues } from '../problem.ts'
import { notSent, READ_ONLY_RULES, type Rules, requireRules, rulesOf } from './rules.ts'

export const NOTE_RULES: Rules = { ...READ_ONLY_RULES, ...rulesOf('note'), deal_id: notSent }

/** The members of a new note of a deal. `content`, the name in other services, is accepted for `body`. */
export function readNote(sent: Members, dealId: string): Members {
  if (sent.has('body') && sent.has('content')) {
    throw invalidValues([{ pointer: '#/content', code: 'ambiguous', detail: 'expected body or content, not both' }])
  }
  const note = new Map([...sent].map(([name, value]) => [name === 'content' ? 'body' : name, value]))
  requireRules(note, NOTE_RULES)
  return new Map([['deal_id', JSON.stringify(dealId)], ...note])
}
