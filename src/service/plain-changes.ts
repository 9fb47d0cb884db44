import { type PlainResource, RESOURCES } from '../core/resources/registry.ts'
import { requireNewRecord, requirePatch } from './fields/plain-fields.ts'
import { type ExpectedVersions, requireVersion } from './if-match.ts'
import type { Members } from './json-text.ts'
import { notFound } from './problem.ts'
import { createRecord, deleteRecord, patchRecord } from './records.ts'
import type { StoredRecord, WriteState } from './store/store.ts'
import type { CheckedWrite } from './write.ts'

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
