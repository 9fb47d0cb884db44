import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { counted, hasOperation, isListed, type ListedResource, RESOURCES } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { addMatchFlags, addReadFlags } from '../bulk/bulk-flags.ts'
import { deleteMany, type ManyFlags, refuseIdBeside } from '../bulk/change-many.ts'
import { addBulkFlags } from '../bulk/import-rows.ts'
import { addPartFlags } from '../bulk/part-flags.ts'
import { addExpectFlag } from '../bulk/plan.ts'
import { examples, type RecordCommand, whereOffered } from '../command-tree.ts'
import { confirmDeletion, type ExpectFlags, expectedOf, requireExpected } from '../confirm.ts'
import { dryRunExit } from '../dry-run.ts'
import { findMany, namesOf, readIds } from '../find-many.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf, printList } from '../print.ts'
import { type DeletableResource, deleteByIds, listCommand, printDeletions } from './delete-by-ids.ts'
import { refuseOtherVersion } from './version-check.ts'

interface IdOptions extends ExpectFlags {
  readonly ifMatch?: string
}

const IF_MATCH = (resource: DeletableResource) =>
  ['--if-match <version>', `only while the ${resource} still has this version`] as const

export function addDelete(parent: CommandUnknownOpts, act: Act, { resource, examples: lines }: RecordCommand): void {
  const { plural } = RESOURCES[resource]
  const remove = parent
    .command('delete [id...]')
    .description(`delete ${plural} for good${whereOffered(resource, 'delete')}; - reads ids from stdin`)
    .option('--from <file>', `a file of ${plural}, found by their id or by --match`)
    .option(...IF_MATCH(resource))
    .addHelpText('after', examples(...lines))
    .action(act((ctx, words: readonly string[], options: ManyFlags) => deleteRecords(ctx, resource, words, options)))
  addMatchFlags(remove, 'changes')
  addReadFlags(remove)
  addBulkFlags(remove)
  addPartFlags(remove)
  addExpectFlag(remove)
  addScopedFlags(remove, ['fields', 'where', 'yes', 'dryRun', 'exitCode'])
}

/** The deletion of records that no file and no expression selects. */
export function addDeleteByIds(
  parent: CommandUnknownOpts,
  act: Act,
  { resource, examples: lines }: { readonly resource: DeletableResource; readonly examples: readonly string[] },
): void {
  const { plural } = RESOURCES[resource]
  const remove = parent
    .command('delete <id...>')
    .description(`delete ${plural} for good${whereOffered(resource, 'delete')}; - reads ids from stdin`)
    .option(...IF_MATCH(resource))
    .addHelpText('after', examples(...lines))
    .action(act((ctx, words: readonly string[], options: IdOptions) => deleteIds(ctx, resource, words, options)))
  addExpectFlag(remove)
  addScopedFlags(remove, ['fields', 'yes', 'dryRun', 'exitCode'])
}

async function deleteRecords(
  ctx: Context,
  resource: ListedResource,
  words: readonly string[],
  options: ManyFlags,
): Promise<ExitCode | undefined> {
  refuseIdBeside(ctx, words[0], options)
  if (words.length === 0) return deleteMany(ctx, RESOURCES[resource].plural, options)
  return deleteIds(ctx, resource, words, options)
}

async function deleteIds(
  ctx: Context,
  resource: DeletableResource,
  words: readonly string[],
  { ifMatch, ...flags }: IdOptions,
): Promise<ExitCode | undefined> {
  const { plural } = RESOURCES[resource]
  const ids = await readIds(ctx, words, `${listCommand(resource)} -o id`)
  if (ifMatch !== undefined && ids.length > 1) {
    throw new CrmError('usage', `--if-match is the version of one ${resource}, but several ids are given`, {
      hint: `crm ${plural} delete ${shellWord(ids[0] ?? '')} --if-match ${shellWord(ifMatch)}`,
    })
  }
  const what = ids.length === 1 ? `${resource} ${ids[0]}` : counted(ids.length, resource)
  const expect = expectedOf(ctx, flags, { count: ids.length, toDo: `delete ${what}` })
  const deletion = { count: ids.length, what, expect, isStdinFree: !words.includes('-') }
  requireExpected(ctx, deletion)
  if (ids.length === 0) {
    await printDeletions(ctx, resource, [])
    return EXIT.ok
  }
  if (ctx.flags.isDryRun) {
    if (ifMatch !== undefined) await refuseOtherVersion(ctx, resource, { id: ids[0] ?? '', ifMatch, action: 'delete' })
    return showDeletion(ctx, resource, ids)
  }
  if (!hasOperation(resource, 'delete')) (await ctx.api()).require(resource, 'delete')
  await confirmDeletion(ctx, deletion)
  return deleteByIds(ctx, resource, ids, ifMatch)
}

/** The records; ids alone where a server has no list of all. */
async function showDeletion(ctx: Context, resource: DeletableResource, ids: readonly string[]): Promise<ExitCode> {
  const api = await ctx.api()
  if (!hasOperation(resource, 'delete')) api.require(resource, 'delete')
  if (!isListed(resource)) {
    const unsent = ids.map((id) => ({ id, outcome: 'unsent' as const }))
    await printDeletions(ctx, resource, unsent)
    ctx.note(`Dry run: ${ids.length} would be deleted; nothing was sent.`)
    return dryRunExit(ctx, true)
  }
  const { pages, missing } = findMany(api, resource, ids)
  await printList(ctx, { pages, ...listOf(resource) })
  if (missing.length > 0) ctx.note(`Not found: ${namesOf(missing)}`)
  const count = ids.length - missing.length
  ctx.note(`Dry run: ${count} would be deleted; nothing was sent.`)
  return dryRunExit(ctx, count > 0)
}
