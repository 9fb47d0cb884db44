import type { Members } from '../json-text.ts'
import { READ_ONLY_RULES, type Rules, requireMember, requireRules, rulesOf } from './rules.ts'

export const CONTACT_PATCH_RULES = rulesOf('contact')

export const CONTACT_RULES: Rules = { ...READ_ONLY_RULES, ...CONTACT_PATCH_RULES }

/** What a contact may be created with: anything, but at least something. */
export function requireContact(fields: Members): void {
  requireRules(fields, CONTACT_RULES)
  requireMember(fields)
}

/** A merge patch: null removes the member, and what is read-only is compared with the record later. */
export function requireContactPatch(patch: Members): void {
  requireRules(patch, CONTACT_PATCH_RULES)
}
