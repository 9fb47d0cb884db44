import { OPEN_RESOURCES, type OpenResource } from '../../core/resources/registry.ts'
import { readBody } from '../body.ts'
import type { Members } from '../json-text.ts'
import { joinedPageReply, pageReply, readPageQuery } from '../page.ts'
import type { Route } from '../route.ts'
import { type CheckedWrite, type ExpectedVersions, readIfMatch, write } from '../write.ts'
import { readPlainFilters } from './filters.ts'
import { creationChange, deletionChange, patchChange, requireRecord } from './records.ts'
import { routesOf, showRecord } from './routes.ts'
import { patchRulesOf, READ_ONLY_RULES, type RulesByMember, requireMember, requireRules, rulesOf } from './rules.ts'

export const plainRoutes: readonly Route[] = OPEN_RESOURCES.flatMap(routesOfPlain)

function routesOfPlain(resource: OpenResource): readonly Route[] {
  return routesOf(resource, {
    list: async (store, call) => {
      const query = readPageQuery(call, resource)
      const filters = readPlainFilters(resource, call.query)
      if (filters) return pageReply(call, await store.filteredPage(resource, query, filters))
      return joinedPageReply(call, await store.joinedPage(resource, query))
    },
    create: async (store, call) => write(store, call, plainCreation(resource, readBody(call))),
    get: showRecord(resource),
    update: async (store, call) => {
      const change = { patch: readBody(call), expected: readIfMatch(call.headers['if-match']) }
      return write(store, call, plainUpdate(resource, call.id, change))
    },
    delete: async (store, call) =>
      write(store, call, plainDeletion(resource, call.id, readIfMatch(call.headers['if-match']))),
  })
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
    decide: (state) => creationChange(state, { resource, fields, event: `${resource}.created` }),
  }
}

/** A merge patch: null removes a member. Read-only members are compared with the record. */
export function plainUpdate(
  resource: OpenResource,
  id: string,
  { patch, expected }: { readonly patch: Members; readonly expected: ExpectedVersions },
): CheckedWrite {
  requireRules(patch, PATCH_RULES[resource])
  return {
    resource,
    id,
    decide: (state) => patchChange(state, requireRecord(resource, state, expected), patch, `${resource}.updated`),
  }
}

export function plainDeletion(resource: OpenResource, id: string, expected: ExpectedVersions): CheckedWrite {
  return {
    resource,
    id,
    decide: (state) => deletionChange(state, requireRecord(resource, state, expected), `${resource}.deleted`),
  }
}
