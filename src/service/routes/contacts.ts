import { readBody } from '../body.ts'
import { requireContact, requireContactPatch } from '../fields/contact-fields.ts'
import { type ExpectedVersions, readIfMatch, requireVersion } from '../if-match.ts'
import { PAGE_PARAMETERS, pageReply, readPage } from '../page.ts'
import { notFound } from '../problem.ts'
import { createRecord, deleteRecord, patchRecord } from '../records.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store, StoredRecord, WriteState } from '../store/store.ts'
import { write } from '../write.ts'

const COLLECTION = '/v1/contacts'

export const contactRoutes: readonly Route[] = [
  { method: 'GET', path: COLLECTION, scope: 'read', parameters: PAGE_PARAMETERS, handle: listContacts },
  { method: 'POST', path: COLLECTION, scope: 'write', parameters: [], handle: createContact },
  { method: 'PATCH', path: `${COLLECTION}/:id`, scope: 'write', parameters: [], handle: updateContact },
  { method: 'DELETE', path: `${COLLECTION}/:id`, scope: 'write', parameters: [], handle: deleteContact },
]

async function listContacts(store: Store, call: Call): Promise<Reply> {
  return pageReply(call, await store.contacts(readPage(call, 'contact')))
}

async function createContact(store: Store, call: Call): Promise<Reply> {
  const fields = readBody(call)
  requireContact(fields)
  return write(store, call, {
    kind: 'contact',
    id: undefined,
    parent: undefined,
    decide: (state) => createRecord(state, { collection: COLLECTION, fields, event: 'contact.created' }),
  })
}

async function updateContact(store: Store, call: Call): Promise<Reply> {
  const patch = readBody(call)
  requireContactPatch(patch)
  const expected = readIfMatch(call.headers['if-match'])
  return write(store, call, {
    kind: 'contact',
    id: call.id,
    parent: undefined,
    decide: (state) => patchRecord(state, requireContactRecord(state, expected), patch, 'contact.updated'),
  })
}

async function deleteContact(store: Store, call: Call): Promise<Reply> {
  const expected = readIfMatch(call.headers['if-match'])
  return write(store, call, {
    kind: 'contact',
    id: call.id,
    parent: undefined,
    decide: (state) => deleteRecord(state, requireContactRecord(state, expected), 'contact.deleted'),
  })
}

function requireContactRecord(state: WriteState, expected: ExpectedVersions): StoredRecord {
  if (!state.current) throw notFound('contact', state.id)
  requireVersion(expected, state.current.version)
  return state.current
}
