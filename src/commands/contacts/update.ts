import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { changedMembers } from '../../core/changes.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { JsonObject } from '../../core/json.ts'
import { addNewFieldFlag, type ManyFlags, refuseUpdateBeside, updateMany } from '../bulk/change-many.ts'
import { addBulkFlags } from '../bulk/import-rows.ts'
import { addMatchFlags } from '../bulk/match-flags.ts'
import { addExpectFlag } from '../bulk/plan.ts'
import { addReadFlags } from '../bulk/read-flags.ts'
import { dryRunExit } from '../dry-run.ts'
import { examples } from '../examples.ts'
import { addFieldsFlags, type FieldsOptions, readFields, writeOptions } from '../fields-input.ts'
import { findOne } from '../find.ts'
import { addScopedFlags } from '../flags.ts'
import { noteOtherValues } from '../note-other-values.ts'
import { refuseTextForNumber } from '../number-fields.ts'
import { printOne, printWritten } from '../print.ts'

interface Options extends FieldsOptions, ManyFlags {
  readonly ifMatch?: string
}

export function addContactsUpdate(contacts: CommandUnknownOpts, act: Act): void {
  const update = contacts.command('update [id]').description('change members of a contact, or of many; the others stay')
  addFieldsFlags(update, '; key:=null clears')
  update
    .option('--from <file>', 'many: a file of contacts, found by their id or by --match; - reads stdin')
    .option('--if-match <version>', 'only while the contact still has this version')
    .addHelpText(
      'after',
      examples(
        'crm contacts update con_0abc --set phone=+4915112345',
        'crm contacts update con_0abc --set company:=null --if-match 3',
        'crm contacts update --where \'.company == "Acme"\' --set owner_id=u_ines',
        'crm contacts update --from phones.csv --match email --yes',
      ),
    )
    .action(act(updateContact))
  addMatchFlags(update, 'changes')
  addReadFlags(update)
  addBulkFlags(update)
  addExpectFlag(update)
  addNewFieldFlag(update)
  addScopedFlags(update, ['fields', 'where', 'yes', 'dryRun', 'exitCode'])
}

async function updateContact(ctx: Context, id: string | undefined, options: Options): Promise<ExitCode | undefined> {
  refuseUpdateBeside(ctx, id, options)
  if (id === undefined) return updateMany(ctx, 'contacts', options)
  const patch = await readFields(ctx, options, 'contact')
  await refuseTextForNumber(ctx, options, 'contact')
  if (ctx.flags.isDryRun) return showChanges(ctx, id, patch)
  const api = await ctx.api()
  const write = { ...writeOptions(ctx, options), ifMatch: options.ifMatch }
  const record = await api.contacts.update(id, patch, write)
  noteOtherValues(ctx, record, patch)
  return printWritten(ctx, record, 'contact')
}

/** Reads the contact, so that what is said to change does change. */
async function showChanges(ctx: Context, id: string, patch: JsonObject): Promise<ExitCode> {
  const changes = changedMembers(await findOne(ctx, 'contact', id), patch)
  await printOne(ctx, { id, dry_run: true, method: 'PATCH', path: `/v1/contacts/${encodeURIComponent(id)}`, changes })
  const count = Object.keys(changes).length
  ctx.note(count === 0 ? 'Dry run: nothing would change.' : 'Dry run: nothing was sent.')
  return dryRunExit(ctx, count > 0)
}
