import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addNotesAdd } from './add.ts'
import { addNotesImport } from './import.ts'
import { addNotesList } from './list.ts'

export function addNotes(program: CommandUnknownOpts, act: Act): void {
  const notes = program.command('notes').description('the notes of deals')
  addNotesList(notes, act)
  addNotesAdd(notes, act)
  addNotesImport(notes, act)
}
