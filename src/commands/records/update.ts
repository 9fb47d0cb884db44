import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { PlannedRequest } from '../../api/operations.ts'
import type { Act, Context } from '../../context.ts'
import { changedMembers } from '../../core/changes.ts'
import type { ExitCode } from '../../core/exit.ts'
import { idText, type JsonObject } from '../../core/json.ts'
import { type ListedResource, RESOURCES } from '../../core/resources/registry.ts'
import { addMatchFlags, addReadFlags } from '../bulk/bulk-flags.ts'
import { type ManyFlags, refuseUpdateBeside, updateMany } from '../bulk/change-many.ts'
import { addBulkFlags } from '../bulk/import-rows.ts'
import { addPartFlags } from '../bulk/part-flags.ts'
import { addExpectFlag } from '../bulk/plan.ts'
import { examples, type RecordCommand, whereOffered } from '../command-tree.ts'
import { connectedRequest, dryRunExit } from '../dry-run.ts'
import { addFieldsFlags, addNewFieldFlag, type FieldsOptions, writeOptions } from '../fields-input.ts'
import { findOne } from '../find.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne, printWritten } from '../print.ts'
import { givenFields } from './given-fields.ts'
import { refuseOtherVersion } from './version-check.ts'
import { noteOtherValues, refuseTextForNumber } from './write-checks.ts'

interface Options extends FieldsOptions, ManyFlags {
  readonly ifMatch?: string
}

export function addUpdate(parent: CommandUnknownOpts, act: Act, { resource, examples: lines }: RecordCommand): void {
  const { plural } = RESOURCES[resource]
  const update = parent
    .command('update [id]')
    .description(
      `change members of a ${resource}, or of many; other members are unchanged${whereOffered(resource, 'update')}`,
    )
  addFieldsFlags(update, '; key:=null clears')
  update
    .option('--from <file>', `many: a file of ${plural}, found by their id or by --match; - reads stdin`)
    .option('--if-match <version>', `only while the ${resource} still has this version`)
    .addHelpText('after', examples(...lines))
    .action(act((ctx, id: string | undefined, options: Options) => updateRecords(ctx, resource, id, options)))
  addMatchFlags(update, 'changes')
  addReadFlags(update)
  addBulkFlags(update)
  addPartFlags(update)
  addExpectFlag(update)
  addNewFieldFlag(update)
  addScopedFlags(update, ['fields', 'where', 'yes', 'dryRun', 'exitCode'])
}

async function updateRecords(
  ctx: Context,
  resource: ListedResource,
  id: string | undefined,
  options: Options,
): Promise<ExitCode | undefined> {
  refuseUpdateBeside(ctx, id, options)
  if (id === undefined) return updateMany(ctx, RESOURCES[resource].plural, options)
  const { fields, of } = await givenFields(ctx, options, { resource, of: 'one' })
  await refuseTextForNumber(ctx, options, resource)
  const { ifMatch, idempotencyKey } = options
  // With the key of an earlier try, the record may have the version that this try gave it.
  if (ifMatch !== undefined && idempotencyKey === undefined) {
    await refuseOtherVersion(ctx, resource, { id, ifMatch, action: 'update' })
  }
  const before = of && (await findOne(ctx, resource, id))
  const patch = before ? of(before) : fields
  if (ctx.flags.isDryRun) return showChanges(ctx, resource, { id, patch })
  const api = await ctx.api()
  // A list that someone else changed meanwhile is not overwritten, where the server compares versions.
  const write = { ...writeOptions(ctx, options), ifMatch: ifMatch ?? idText(before?.version) }
  const record = await api[RESOURCES[resource].plural].update(id, patch, write)
  await noteOtherValues(ctx, { api, resource, record, sent: patch, isUpdate: true })
  return printWritten(ctx, record, resource)
}

/** Reads the record to show only what would change. */
async function showChanges(
  ctx: Context,
  resource: ListedResource,
  { id, patch }: { readonly id: string; readonly patch: JsonObject },
): Promise<ExitCode> {
  const changes = changedMembers(await findOne(ctx, resource, id), patch)
  const how = await requestOf(ctx, resource, { id, patch })
  await printOne(ctx, { id, dry_run: true, ...how, changes })
  const { links } = (await ctx.api()).connector.document.resources[resource] ?? {}
  const linked = Object.keys(changes).filter((name) => links && Object.hasOwn(links.fields, name))
  if (linked.length > 0) ctx.note(`${linked.join(', ')}: further requests write the links.`)
  const count = Object.keys(changes).length
  ctx.note(count === 0 ? 'Dry run: nothing would change.' : 'Dry run: nothing was sent.')
  return dryRunExit(ctx, count > 0)
}

async function requestOf(
  ctx: Context,
  resource: ListedResource,
  { id, patch }: { readonly id: string; readonly patch: JsonObject },
): Promise<PlannedRequest> {
  const { path, plural } = RESOURCES[resource]
  const write = { kind: 'update', id, fields: patch } as const
  const planned = await connectedRequest(ctx, { write, of: (all) => all[plural] })
  return planned ?? { method: 'PATCH', path: `${path}/${encodeURIComponent(id)}` }
}
