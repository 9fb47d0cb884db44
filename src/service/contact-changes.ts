import { requireContact, requireContactPatch } from './fields/contact-fields.ts'
import { type ExpectedVersions, requireVersion } from './if-match.ts'
import type { Members } from './json-text.ts'
import { notFound } from './problem.ts'
import { createRecord, deleteRecord, patchRecord } from './records.ts'
import type { StoredRecord, WriteState } from './store/store.ts'
import type { CheckedWrite } from './write.ts'

export const CONTACTS_PATH = '/v1/contacts'

export function contactCreation(fields: Members): CheckedWrite {
  requireContact(fields)
  return {
    kind: 'contact',
    id: undefined,
    parent: undefined,
    decide: (state) => createRecord(state, { collection: CONTACTS_PATH, fields, event: 'contact.created' }),
  }
}

export function contactUpdate(id: string, patch: Members, expected: ExpectedVersions): CheckedWrite {
  requireContactPatch(patch)
  return {
    kind: 'contact',
    id,
    parent: undefined,
    decide: (state) => patchRecord(state, requireContactRecord(state, expected), patch, 'contact.updated'),
  }
}

export function contactDeletion(id: string, expected: ExpectedVersions): CheckedWrite {
  return {
    kind: 'contact',
    id,
    parent: undefined,
    decide: (state) => deleteRecord(state, requireContactRecord(state, expected), 'contact.deleted'),
  }
}

function requireContactRecord(state: WriteState, expected: ExpectedVersions): StoredRecord {
  if (!state.current) throw notFound('contact', state.id)
  requireVersion(expected, state.current.version)
  return state.current
}
