import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addNotesAdd } from './add.ts'

export function addNotes(program: CommandUnknownOpts, act: Act): void {
  const notes = program.command('notes').description('add notes to deals')
  addNotesAdd(notes, act)
}
