import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addImport } from '../records/import.ts'
import { addNotesAdd } from './add.ts'
import { addNotesList } from './list.ts'

export function addNotes(program: CommandUnknownOpts, act: Act): void {
  const notes = program.command('notes').description('the notes of deals')
  addNotesList(notes, act)
  addNotesAdd(notes, act)
  addImport(notes, act, {
    resource: 'note',
    description: 'add notes to deals from a file with the columns deal_id and body; - reads stdin',
    examples: ['crm notes import notes.csv --dry-run', 'crm notes import notes.csv'],
  })
}
