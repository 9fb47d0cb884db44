import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { printDryRun } from '../dry-run.ts'
import { examples } from '../examples.ts'
import { addFieldsFlags, type FieldsOptions, readFields, writeOptions } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { noteOtherValues } from '../note-other-values.ts'
import { refuseTextForNumber } from '../number-fields.ts'
import { printWritten } from '../print.ts'

export function addContactsCreate(contacts: CommandUnknownOpts, act: Act): void {
  const create = contacts
    .command('create')
    .description('create a contact')
    .addHelpText(
      'after',
      examples(
        'crm contacts create --set name="Ada Lovelace" --set email=ada@example.test',
        'crm contacts create --data ada.yaml -o id',
      ),
    )
    .action(act(createContact))
  addFieldsFlags(create)
  addScopedFlags(create, ['fields', 'dryRun', 'exitCode'])
}

async function createContact(ctx: Context, options: FieldsOptions): Promise<ExitCode | undefined> {
  const fields = await readFields(ctx, options, 'contact')
  if (ctx.flags.isDryRun) return printDryRun(ctx, { method: 'POST', path: '/v1/contacts', body: fields })
  await refuseTextForNumber(ctx, options, 'contact')
  const api = await ctx.api()
  const write = writeOptions(ctx, options)
  const record = await api.contacts.create(fields, write)
  noteOtherValues(ctx, record, fields)
  return printWritten(ctx, record, 'contact')
}
