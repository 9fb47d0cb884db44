import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { changedMembers } from '../../core/changes.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { JsonObject } from '../../core/json.ts'
import { dryRunExit } from '../dry-run.ts'
import { examples } from '../examples.ts'
import { addFieldsFlags, type FieldsOptions, readFields } from '../fields-input.ts'
import { findOne } from '../find.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne, printWritten } from '../print.ts'

interface Options extends FieldsOptions {
  readonly ifMatch?: string
}

export function addContactsUpdate(contacts: CommandUnknownOpts, act: Act): void {
  const update = contacts.command('update <id>').description('change members of a contact; the others stay')
  addFieldsFlags(update, '; key:=null clears')
  update
    .option('--if-match <version>', 'only while the contact still has this version')
    .addHelpText(
      'after',
      examples(
        'crm contacts update con_0abc --set phone=+4915112345',
        'crm contacts update con_0abc --set company:=null --if-match 3',
      ),
    )
    .action(act(updateContact))
  addScopedFlags(update, ['fields', 'dryRun', 'exitCode'])
}

async function updateContact(ctx: Context, id: string, options: Options): Promise<ExitCode | undefined> {
  const patch = await readFields(ctx, options)
  if (ctx.flags.isDryRun) return showChanges(ctx, id, patch)
  const api = await ctx.api()
  const { ifMatch, idempotencyKey } = options
  return printWritten(ctx, await api.contacts.update(id, patch, { ifMatch, idempotencyKey }), 'contact')
}

/** Reads the contact, so that what is said to change does change. */
async function showChanges(ctx: Context, id: string, patch: JsonObject): Promise<ExitCode> {
  const changes = changedMembers(await findOne(ctx, 'contact', id), patch)
  await printOne(ctx, { id, dry_run: true, method: 'PATCH', path: `/v1/contacts/${encodeURIComponent(id)}`, changes })
  const count = Object.keys(changes).length
  ctx.note(count === 0 ? 'Dry run: nothing would change.' : 'Dry run: nothing was sent.')
  return dryRunExit(ctx, count > 0)
}
