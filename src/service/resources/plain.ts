import { OPEN_RESOURCES, type OpenResource } from '../../core/resources/registry.ts'
import type { Members } from '../json-text.ts'
import { joinedPageReply, pageReply, readPageQuery } from '../page.ts'
import type { Route } from '../route.ts'
import type { CheckedWrite, ExpectedVersions } from '../write.ts'
import { readFilters } from './filters.ts'
import { creationChange, patchChange, requireRecord } from './records.ts'
import { referencesIn, requireReferences } from './references.ts'
import { handlersOf, type RecordWrites, routesOf } from './routes.ts'
import { patchRulesOf, READ_ONLY_RULES, type RulesByMember, requireMember, requireRules, rulesOf } from './rules.ts'

export const plainRoutes: readonly Route[] = OPEN_RESOURCES.flatMap((resource) =>
  routesOf(resource, {
    ...handlersOf(resource, plainWrites(resource)),
    list: async (store, call) => {
      const query = readPageQuery(call, resource)
      const filters = readFilters(resource, call.query)
      if (filters) return pageReply(call, await store.page(resource, query, filters))
      return joinedPageReply(call, await store.joinedPage(resource, query))
    },
  }),
)

export function plainWrites(resource: OpenResource): RecordWrites {
  return {
    create: (sent) => plainCreation(resource, sent),
    update: (id, patch, expected) => plainUpdate(resource, id, patch, expected),
  }
}

/** The rules of new records. */
export const PLAIN_RULES = Object.fromEntries(
  OPEN_RESOURCES.map((resource) => [resource, { ...READ_ONLY_RULES, ...rulesOf(resource) }]),
) as Readonly<Record<OpenResource, RulesByMember>>

const PATCH_RULES = Object.fromEntries(
  OPEN_RESOURCES.map((resource) => [resource, patchRulesOf(resource)]),
) as Readonly<Record<OpenResource, RulesByMember>>

/** A new record may have any members, but at least one. */
export function plainCreation(resource: OpenResource, fields: Members): CheckedWrite {
  requireRules(fields, PLAIN_RULES[resource])
  requireMember(fields)
  return {
    resource,
    id: undefined,
    references: referencesIn(resource, fields),
    decide: (state) => {
      requireReferences(state)
      return creationChange(state, { resource, fields, event: `${resource}.created` })
    },
  }
}

/** A merge patch: null removes a member. Read-only members are compared with the record. */
export function plainUpdate(
  resource: OpenResource,
  id: string,
  patch: Members,
  expected: ExpectedVersions,
): CheckedWrite {
  requireRules(patch, PATCH_RULES[resource])
  return {
    resource,
    id,
    references: referencesIn(resource, patch),
    decide: (state) => {
      const current = requireRecord(resource, state, expected)
      requireReferences(state, current)
      return patchChange(state, current, patch, `${resource}.updated`)
    },
  }
}
