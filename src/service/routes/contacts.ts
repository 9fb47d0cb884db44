import { readBody } from '../body.ts'
import { CONTACTS_PATH, contactCreation, contactDeletion, contactUpdate } from '../contact-changes.ts'
import { readIfMatch } from '../if-match.ts'
import { joinedPageReply, PAGE_PARAMETERS, readPage } from '../page.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'
import { write } from '../write.ts'

export const contactRoutes: readonly Route[] = [
  { method: 'GET', path: CONTACTS_PATH, scope: 'read', parameters: PAGE_PARAMETERS, handle: listContacts },
  { method: 'POST', path: CONTACTS_PATH, scope: 'write', parameters: [], handle: createContact },
  { method: 'PATCH', path: `${CONTACTS_PATH}/:id`, scope: 'write', parameters: [], handle: updateContact },
  { method: 'DELETE', path: `${CONTACTS_PATH}/:id`, scope: 'write', parameters: [], handle: deleteContact },
]

async function listContacts(store: Store, call: Call): Promise<Reply> {
  return joinedPageReply(call, await store.joinedContacts(readPage(call, 'contact')))
}

async function createContact(store: Store, call: Call): Promise<Reply> {
  return write(store, call, contactCreation(readBody(call)))
}

async function updateContact(store: Store, call: Call): Promise<Reply> {
  const patch = readBody(call)
  return write(store, call, contactUpdate(call.id, patch, readIfMatch(call.headers['if-match'])))
}

async function deleteContact(store: Store, call: Call): Promise<Reply> {
  return write(store, call, contactDeletion(call.id, readIfMatch(call.headers['if-match'])))
}
