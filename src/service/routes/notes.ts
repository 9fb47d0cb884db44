import { readBody } from '../body.ts'
import { noteCreation } from '../note-creation.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'
import { write } from '../write.ts'

export const noteRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/deals/:id/notes', scope: 'write', parameters: [], handle: createNote },
]

async function createNote(store: Store, call: Call): Promise<Reply> {
  return write(store, call, noteCreation(call.id, readBody(call)))
}
