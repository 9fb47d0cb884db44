import { PLAIN_RESOURCES, type PlainResource, RESOURCES } from '../../core/resources/registry.ts'
import { readBody } from '../body.ts'
import type { Members } from '../json-text.ts'
import { joinedPageReply, PAGE_PARAMETERS, readPage } from '../page.ts'
import { notFound } from '../problem.ts'
import type { Route } from '../route.ts'
import type { StoredRecord, WriteState } from '../store/store.ts'
import { type CheckedWrite, type ExpectedVersions, readIfMatch, requireVersion, write } from '../write.ts'
import { createRecord, deleteRecord, patchRecord } from './records.ts'
import { patchRulesOf, READ_ONLY_RULES, type Rules, requireMember, requireRules, rulesOf } from './rules.ts'

export function creation(resource: PlainResource, fields: Members): CheckedWrite {
  requireNewRecord(resource, fields)
  const { path } = RESOURCES[resource]
  return {
    kind: resource,
    id: undefined,
    parent: undefined,
    decide: (state) => createRecord(state, { collection: path, fields, event: `${resource}.created` }),
  }
}

/** A merge patch. */
export function update(
  resource: PlainResource,
  id: string,
  { patch, expected }: { readonly patch: Members; readonly expected: ExpectedVersions },
): CheckedWrite {
  requirePatch(resource, patch)
  return {
    kind: resource,
    id,
    parent: undefined,
    decide: (state) => patchRecord(state, requireRecord(resource, state, expected), patch, `${resource}.updated`),
  }
}

export function deletion(resource: PlainResource, id: string, expected: ExpectedVersions): CheckedWrite {
  return {
    kind: resource,
    id,
    parent: undefined,
    decide: (state) => deleteRecord(state, requireRecord(resource, state, expected), `${resource}.deleted`),
  }
}

function requireRecord(resource: PlainResource, { id, current }: WriteState, expected: ExpectedVersions): StoredRecord {
  if (!current) throw notFound(resource, id)
  requireVersion(expected, current.version)
  return current
}

export function creationRules(resource: PlainResource): Rules {
  return { ...READ_ONLY_RULES, ...rulesOf(resource) }
}

/** A new record may have any members, but at least one. */
function requireNewRecord(resource: PlainResource, fields: Members): void {
  requireRules(fields, creationRules(resource))
  requireMember(fields)
}

/** A merge patch: null removes a member; read-only members are compared with the record later. */
function requirePatch(resource: PlainResource, patch: Members): void {
  requireRules(patch, patchRulesOf(resource))
}

export const plainRoutes: readonly Route[] = PLAIN_RESOURCES.flatMap(routesOf)

function routesOf(resource: PlainResource): readonly Route[] {
  const { path } = RESOURCES[resource]
  return [
    {
      method: 'GET',
      path,
      scope: 'read',
      parameters: PAGE_PARAMETERS,
      handle: async (store, call) => joinedPageReply(call, await store.joinedPage(resource, readPage(call, resource))),
    },
    {
      method: 'POST',
      path,
      scope: 'write',
      parameters: [],
      handle: async (store, call) => write(store, call, creation(resource, readBody(call))),
    },
    {
      method: 'PATCH',
      path: `${path}/:id`,
      scope: 'write',
      parameters: [],
      handle: async (store, call) => {
        const change = { patch: readBody(call), expected: readIfMatch(call.headers['if-match']) }
        return write(store, call, update(resource, call.id, change))
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      scope: 'write',
      parameters: [],
      handle: async (store, call) =>
        write(store, call, deletion(resource, call.id, readIfMatch(call.headers['if-match']))),
    },
  ]
}
