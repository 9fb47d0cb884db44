import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { counted, type PlainResource, RESOURCES } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { deleteMany, type ManyFlags, refuseIdBeside } from '../bulk/change-many.ts'
import { addBulkFlags } from '../bulk/import-rows.ts'
import { addMatchFlags, addReadFlags } from '../bulk/input-flags.ts'
import { addExpectFlag } from '../bulk/plan.ts'
import { examples, type PlainCommand } from '../command-tree.ts'
import { confirmDeletion, requireExpected } from '../confirm.ts'
import { dryRunExit } from '../dry-run.ts'
import { findMany, namesOf, readIds } from '../find-many.ts'
import { addScopedFlags } from '../flags.ts'
import { listOf, printList } from '../print.ts'
import { deleteByIds, printDeletions } from './delete-by-ids.ts'

interface Options extends ManyFlags {
  readonly ifMatch?: string
}

export function addDelete(parent: CommandUnknownOpts, act: Act, { resource, examples: lines }: PlainCommand): void {
  const { plural } = RESOURCES[resource]
  const remove = parent
    .command('delete [id...]')
    .description(`delete ${plural} for good; - reads ids from stdin`)
    .option('--from <file>', `a file of ${plural}, found by their id or by --match`)
    .option('--if-match <version>', `only while the ${resource} still has this version`)
    .addHelpText('after', examples(...lines))
    .action(act((ctx, words: readonly string[], options: Options) => deleteRecords(ctx, resource, words, options)))
  addMatchFlags(remove, 'changes')
  addReadFlags(remove)
  addBulkFlags(remove)
  addExpectFlag(remove)
  addScopedFlags(remove, ['fields', 'where', 'yes', 'dryRun', 'exitCode'])
}

async function deleteRecords(
  ctx: Context,
  resource: PlainResource,
  words: readonly string[],
  options: Options,
): Promise<ExitCode | undefined> {
  const { plural } = RESOURCES[resource]
  refuseIdBeside(ctx, words[0], options)
  if (words.length === 0) return deleteMany(ctx, plural, options)
  const ids = await readIds(ctx, words, `crm ${plural} list -o id`)
  if (options.ifMatch !== undefined && ids.length > 1) {
    throw new CrmError('usage', `--if-match is the version of one ${resource}, but several ids are given`, {
      hint: `crm ${plural} delete ${shellWord(ids[0] ?? '')} --if-match ${shellWord(options.ifMatch)}`,
    })
  }
  const what = ids.length === 1 ? `${resource} ${ids[0]}` : counted(ids.length, resource)
  const deletion = { count: ids.length, what, expect: options.expect, isStdinFree: !words.includes('-') }
  requireExpected(ctx, deletion)
  if (ids.length === 0) {
    await printDeletions(ctx, resource, [])
    return EXIT.ok
  }
  if (ctx.flags.isDryRun) return showDeletion(ctx, resource, ids)
  await confirmDeletion(ctx, deletion)
  return deleteByIds(ctx, resource, ids, options.ifMatch)
}

async function showDeletion(ctx: Context, resource: PlainResource, ids: readonly string[]): Promise<ExitCode> {
  const api = await ctx.api()
  const { pages, missing } = findMany(api, resource, ids)
  await printList(ctx, { pages, ...listOf(resource) })
  if (missing.length > 0) ctx.note(`Not found: ${namesOf(missing)}`)
  const count = ids.length - missing.length
  ctx.note(`Dry run: ${count} would be deleted; nothing was sent.`)
  return dryRunExit(ctx, count > 0)
}
