import type { Noun } from '../command-tree.ts'
import { addImport } from '../records/import.ts'
import { addNotesAdd } from './add.ts'
import { addNotesList } from './list.ts'

export const NOTES: Noun = {
  description: 'the notes of deals',
  commands: {
    list: addNotesList,
    add: addNotesAdd,
    import: (parent, act) =>
      addImport(parent, act, {
        resource: 'note',
        description: 'add notes to deals from a file with the columns deal_id and body; - reads stdin',
        examples: ['crm notes import notes.csv --dry-run', 'crm notes import notes.csv'],
      }),
  },
}
