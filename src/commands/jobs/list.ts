import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Page } from '../../api/operations.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { DamagedJob } from '../../jobs/history/job-state.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import type { WithFlags } from '../global-flags.ts'
import { printList } from '../print.ts'
import { jobRecord } from './show.ts'

const COLUMNS = [
  ...['id', 'state', 'kind', 'noun', 'input', 'rows', 'done', 'failed', 'in_doubt', 'under_way', 'unsent'],
  ...['part', 'undone_by', 'chain', 'made_at'],
]

interface Options {
  readonly all?: boolean
}

export function addJobsList(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('list')
    .description('the jobs of this machine for this server, the newest first')
    .option('--all', 'jobs for all servers')
    .addHelpText(
      'after',
      examples('crm jobs list', 'crm jobs list --all', 'crm jobs list --where \'.state == "stopped"\' -o id'),
    )
    .action(act(listJobs))
  addScopedFlags(command, ['fields', 'where', 'limit'])
}

async function listJobs(ctx: Context, { all = false }: Options): Promise<undefined> {
  const server = all ? undefined : await serverHere(ctx)
  const columns = server === undefined ? [...COLUMNS, 'server'] : COLUMNS
  const hidden = { count: 0 }
  const each = pagesOf(ctx, server, hidden)
  const pages = ctx.flags.output === 'table' ? together(each) : each
  await printList(ctx, { pages, columns, plural: 'jobs' })
  if (hidden.count > 0) {
    const what = hidden.count === 1 ? '1 job for another server is' : `${hidden.count} jobs for other servers are`
    ctx.note(`${what} not shown: crm jobs list --all`)
  }
}

/** Undefined where none is selected: then all jobs are shown. */
async function serverHere(ctx: Context): Promise<string | undefined> {
  const jobs = await ctx.jobs()
  if (jobs.all().length === 0) return undefined
  try {
    return await jobs.account()
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    ctx.note(`Jobs for all servers are shown, as this one is not known: ${error.message}`)
    return undefined
  }
}

/** The columns of a table have the widths of its first page. */
async function* together(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  const items: CrmRecord[] = []
  for await (const page of pages) items.push(...page.items)
  yield { items, nextCursor: undefined }
}

/** One job per page: the time to read a job grows with its size. */
async function* pagesOf(
  ctx: Pick<Context, 'jobs'> & WithFlags<'limit' | 'where'>,
  server: string | undefined,
  hidden: { count: number },
): AsyncGenerator<Page> {
  const jobs = await ctx.jobs()
  const undoneBy = await jobs.undone()
  const all = jobs.all({ isSure: true }).toReversed()
  const own = server === undefined ? all : all.filter((paths) => (jobs.of(paths).server() ?? server) === server)
  hidden.count = all.length - own.length
  const wanted = ctx.flags.where === undefined ? own.slice(0, ctx.flags.limit) : own
  for (const paths of wanted) {
    const job = await jobs.of(paths).stateOrDamage()
    yield {
      items: [job.state === 'damaged' ? damagedRecord(job) : await jobRecord(jobs, job, undoneBy)],
      nextCursor: undefined,
    }
  }
}

function damagedRecord({ paths: { id, db }, state, reason }: DamagedJob): CrmRecord {
  return { id, state, reason, file: db }
}
