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
import { addFieldsFlags, type FieldsOptions, readFields } from '../fields-input.ts'
import { findOne } from '../find.ts'
import { addScopedFlags } from '../flags.ts'
import { noteOtherValues } from '../note-other-values.ts'
import { refuseTextForNumber } from '../number-fields.ts'
import { printOne, printWritten } from '../print.ts'

interface Options extends FieldsOptions, ManyFlags {
  readonly ifMatch?: string
}

export function addDealsUpdate(deals: CommandUnknownOpts, act: Act): void {
  const update = deals
    .command('update [id]')
    .description('change members of a deal, or of many; the others stay (over GraphQL: the server must have it)')
  addFieldsFlags(update, '; key:=null clears')
  update
    .option('--from <file>', 'many: a file of deals, found by their id or by --match; - reads stdin')
    .option('--if-match <version>', 'only while the deal still has this version')
    .addHelpText(
      'after',
      examples(
        'crm deals update deal_0abc --set stage=Won',
        'crm deals update deal_0abc --set amount:=1200.5 --if-match 3',
        'crm deals update --where \'.stage == "Lead" and .amount < 100\' --set stage=Lost',
        'crm deals update --from amounts.csv --yes',
      ),
    )
    .action(act(updateDeal))
  addMatchFlags(update, 'changes')
  addReadFlags(update)
  addBulkFlags(update)
  addExpectFlag(update)
  addNewFieldFlag(update)
  addScopedFlags(update, ['fields', 'where', 'yes', 'dryRun', 'exitCode'])
}

async function updateDeal(ctx: Context, id: string | undefined, options: Options): Promise<ExitCode | undefined> {
  refuseUpdateBeside(ctx, id, options)
  if (id === undefined) return updateMany(ctx, 'deals', options)
  const patch = await readFields(ctx, options, 'deal')
  await refuseTextForNumber(ctx, options, 'deal')
  if (ctx.flags.isDryRun) return showChanges(ctx, id, patch)
  const api = await ctx.api()
  const { ifMatch, idempotencyKey } = options
  const record = await api.graphql.updateDeal(id, patch, { ifMatch, idempotencyKey })
  noteOtherValues(ctx, record, patch)
  return printWritten(ctx, record, 'deal')
}

/** Reads the deal, so that what is said to change does change. */
async function showChanges(ctx: Context, id: string, patch: JsonObject): Promise<ExitCode> {
  const changes = changedMembers(await findOne(ctx, 'deal', id), patch)
  await printOne(ctx, { id, dry_run: true, mutation: 'updateDeal', changes })
  const count = Object.keys(changes).length
  ctx.note(count === 0 ? 'Dry run: nothing would change.' : 'Dry run: nothing was sent.')
  return dryRunExit(ctx, count > 0)
}
