import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Page } from '../../api/operations.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { LEFT_OUT_COLUMNS } from '../bulk/show-plan.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList, requestedLimit } from '../print.ts'

const COLUMNS = ['line', 'id', 'state', 'code', 'field', 'reason', 'request_id']

interface Options {
  readonly skipped?: boolean
  readonly twice?: boolean
}

export function addJobsFailed(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('failed <job>')
    .description('rows that failed or are in doubt, and why; not those that a retry has done since')
    .option('--skipped', 'instead what the plan left out: rows without a match, conflicts of an undo')
    .option('--twice', 'instead what an upsert made and another writer too, each with all its ids')
    .addHelpText(
      'after',
      examples(
        'crm jobs failed psve',
        'crm jobs failed psve --skipped',
        "crm jobs failed psve --jq 'group_by(.code) | map({code: .[0].code, n: length})'",
      ),
    )
    .action(act(listFailed))
  addScopedFlags(command, ['fields', 'where', 'limit'])
}

async function listFailed(ctx: Context, word: string, { skipped = false, twice = false }: Options): Promise<undefined> {
  const jobs = await ctx.jobs()
  const paths = jobs.find(word)
  if (skipped && twice) {
    throw new CrmError('usage', '--skipped and --twice name different rows', { hint: 'use one of them' })
  }
  if (twice) {
    const rows = (jobs.of(paths).recheck()?.duplicates ?? []).slice(0, requestedLimit(ctx))
    const items = rows.map(({ line, id, ids }) => ({ line, id, ids: [...ids] }))
    return printList(ctx, { pages: onePage(items), columns: ['line', 'id', 'ids'], plural: 'rows that exist twice' })
  }
  if (skipped) {
    const pages = limitRows(jobs.of(paths).leftOut(), requestedLimit(ctx))
    return printList(ctx, { pages, columns: LEFT_OUT_COLUMNS, plural: 'rows that were left out' })
  }
  const job = await jobs.of(paths).state()
  const { sentBy, progress } = job
  if (sentBy !== undefined) {
    const rows = progress.unanswered === 1 ? '1 row is' : `${progress.unanswered} rows are`
    ctx.note(`${paths.id} is being sent by ${sentBy}; ${rows} under way, and not listed.`)
  }
  const limit = requestedLimit(ctx)
  await printList(ctx, { pages: jobs.of(paths).failures(limit), columns: COLUMNS, plural: 'failed rows' })
  for (const [retry, count] of await jobs.left(job).done()) {
    ctx.note(`${count === 1 ? '1 row was' : `${count} rows were`} done by ${retry} since, and not listed.`)
  }
  const report = await jobs.of(paths).reportFailures()
  if (report?.file !== undefined) {
    const what = report.isEdited ? 'as you edited them; without it, they are written anew' : 'to be corrected'
    ctx.note(`The failed rows of the input, ${what}: ${report.file}`)
  }
}

async function* limitRows(pages: AsyncIterable<Page>, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Page> {
  let left = limit
  for await (const { items } of pages) {
    yield { items: items.slice(0, left), nextCursor: undefined }
    left -= items.length
    if (left <= 0) return
  }
}
