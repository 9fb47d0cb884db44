import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { shellWord } from '../../core/shell-word.ts'
import { deleteMany, type ManyFlags, refuseIdBeside } from '../bulk/change-many.ts'
import { addBulkFlags } from '../bulk/import-rows.ts'
import { addMatchFlags } from '../bulk/match-flags.ts'
import { addExpectFlag } from '../bulk/plan.ts'
import { addReadFlags } from '../bulk/read-flags.ts'
import { confirmDeletion, requireExpected } from '../confirm.ts'
import { dryRunExit } from '../dry-run.ts'
import { examples } from '../examples.ts'
import { findMany, namesOf } from '../find-many.ts'
import { addScopedFlags } from '../flags.ts'
import { readIds } from '../ids-input.ts'
import { listOf, printList } from '../print.ts'
import { deleteByIds, printDeletions } from './delete-by-ids.ts'

interface Options extends ManyFlags {
  readonly ifMatch?: string
}

export function addContactsDelete(contacts: CommandUnknownOpts, act: Act): void {
  const remove = contacts
    .command('delete [id...]')
    .description('delete contacts for good; - reads ids from stdin')
    .option('--from <file>', 'a file of contacts, found by their id or by --match')
    .option('--if-match <version>', 'only while the contact still has this version')
    .addHelpText(
      'after',
      examples(
        'crm contacts delete con_0abc',
        'crm contacts delete - --yes --expect 12 < ids.txt',
        'crm contacts delete --where \'.email | endswith("@example.test")\'',
        'crm contacts delete --from leavers.csv --match email --yes --expect 12',
      ),
    )
    .action(act(deleteContacts))
  addMatchFlags(remove, 'changes')
  addReadFlags(remove)
  addBulkFlags(remove)
  addExpectFlag(remove)
  addScopedFlags(remove, ['fields', 'where', 'yes', 'dryRun', 'exitCode'])
}

async function deleteContacts(ctx: Context, words: readonly string[], options: Options): Promise<ExitCode | undefined> {
  refuseIdBeside(ctx, words[0], options)
  if (words.length === 0) return deleteMany(ctx, options)
  const ids = await readIds(ctx, words, 'crm contacts list -o id')
  if (options.ifMatch !== undefined && ids.length > 1) {
    throw new CrmError('usage', '--if-match is the version of one contact, and this is about several', {
      hint: `crm contacts delete ${shellWord(ids[0] ?? '')} --if-match ${shellWord(options.ifMatch)}`,
    })
  }
  const what = ids.length === 1 ? `contact ${ids[0]}` : `${ids.length} contacts`
  const deletion = { count: ids.length, what, expect: options.expect, isStdinFree: !words.includes('-') }
  requireExpected(ctx, deletion)
  if (ids.length === 0) {
    await printDeletions(ctx, [])
    return EXIT.ok
  }
  if (ctx.flags.isDryRun) return showDeletion(ctx, ids)
  await confirmDeletion(ctx, deletion)
  return deleteByIds(ctx, ids, options.ifMatch)
}

async function showDeletion(ctx: Context, ids: readonly string[]): Promise<ExitCode> {
  const api = await ctx.api()
  const { pages, missing } = findMany(api, 'contact', ids)
  await printList(ctx, { pages, ...listOf('contact') })
  if (missing.length > 0) ctx.note(`Not there: ${namesOf(missing)}`)
  const count = ids.length - missing.length
  ctx.note(`Dry run: ${count} would be deleted; nothing was sent.`)
  return dryRunExit(ctx, count > 0)
}
