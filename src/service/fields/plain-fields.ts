import type { PlainResource } from '../../core/resources/registry.ts'
import type { Members } from '../json-text.ts'
import { patchRulesOf, READ_ONLY_RULES, type Rules, requireMember, requireRules, rulesOf } from './rules.ts'

export function creationRules(resource: PlainResource): Rules {
  return { ...READ_ONLY_RULES, ...rulesOf(resource) }
}

/** A new record may have any members, but at least one. */
export function requireNewRecord(resource: PlainResource, fields: Members): void {
  requireRules(fields, creationRules(resource))
  requireMember(fields)
}

/** A merge patch: null removes a member; read-only members are compared with the record later. */
export function requirePatch(resource: PlainResource, patch: Members): void {
  requireRules(patch, patchRulesOf(resource))
}
