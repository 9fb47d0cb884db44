import { readNote } from './fields/note-fields.ts'
import type { Members } from './json-text.ts'
import { notFound } from './problem.ts'
import { createRecord } from './records.ts'
import type { CheckedWrite } from './write.ts'

export function notesPath(dealId: string): string {
  return `/v1/deals/${dealId}/notes`
}

export function noteCreation(dealId: string, sent: Members): CheckedWrite {
  const fields = readNote(sent, dealId)
  return {
    kind: 'note',
    id: undefined,
    parent: { kind: 'deal', id: dealId },
    decide: (state) => {
      if (!state.isParentThere) throw notFound('deal', dealId)
      return createRecord(state, { collection: notesPath(dealId), fields, event: 'note.created' })
    },
  }
}
