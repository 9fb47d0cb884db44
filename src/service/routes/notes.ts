import { readBody } from '../body.ts'
import { readNote } from '../fields/note-fields.ts'
import { notFound } from '../problem.ts'
import { createRecord } from '../records.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'
import { write } from '../write.ts'

export const noteRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/deals/:id/notes', scope: 'write', parameters: [], handle: createNote },
]

async function createNote(store: Store, call: Call): Promise<Reply> {
  const fields = readNote(readBody(call), call.id)
  return write(store, call, {
    kind: 'note',
    id: undefined,
    parent: { kind: 'deal', id: call.id },
    decide: (state) => {
      if (!state.isParentThere) throw notFound('deal', call.id)
      return createRecord(state, { collection: `/v1/deals/${call.id}/notes`, fields, event: 'note.created' })
    },
  })
}
