import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { addImportFlags, type ImportFlags, importRows } from '../bulk/import-rows.ts'
import { examples } from '../examples.ts'

export function addNotesImport(notes: CommandUnknownOpts, act: Act): void {
  const command = notes
    .command('import <file>')
    .description('add notes to deals from a file with the columns deal_id and body; - reads stdin')
    .addHelpText('after', examples('crm notes import notes.csv --dry-run', 'crm notes import notes.csv'))
    .action(act(importNotes))
  addImportFlags(command)
}

function importNotes(ctx: Context, file: string, flags: ImportFlags): Promise<ExitCode> {
  return importRows(ctx, { noun: 'notes', kind: 'import' }, file, flags)
}
