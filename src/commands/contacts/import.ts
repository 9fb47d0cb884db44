import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { addImportFlags, type ImportFlags, importRows } from '../bulk/import-rows.ts'
import { addMatchFlags } from '../bulk/match-flags.ts'
import { addRecheckFlag } from '../bulk/run-flags.ts'
import { examples } from '../examples.ts'

export function addContactsImport(contacts: CommandUnknownOpts, act: Act): void {
  const command = contacts
    .command('import <file>')
    .description('create contacts from a csv, tsv, jsonl, json or yaml file; - reads stdin')
    .addHelpText(
      'after',
      examples(
        'crm contacts import people.csv --dry-run',
        'crm contacts import people.csv --match email --yes',
        'crm contacts import people.csv --map "E-Mail=email" --null NULL',
        'crm contacts list -o jsonl -p old | crm contacts import - -p new --run-id move --map id=',
      ),
    )
    .action(act(importContacts))
  addMatchFlags(command)
  addImportFlags(command)
  addRecheckFlag(command)
}

function importContacts(ctx: Context, file: string, flags: ImportFlags): Promise<ExitCode> {
  if (flags.recheck === false && flags.match === undefined) {
    throw new CrmError('usage', '--no-recheck is about --match, and this matches nothing', { hint: 'leave it out' })
  }
  return importRows(ctx, { noun: 'contacts', kind: 'import' }, file, flags)
}
