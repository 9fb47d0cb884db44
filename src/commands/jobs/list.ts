import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { DamagedJob } from '../../jobs/history/job-state.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import type { WithFlags } from '../global-flags.ts'
import type { ListPage } from '../keep-matching.ts'
import { printList } from '../print.ts'
import { jobRecord } from './show.ts'

const COLUMNS = ['id', 'state', 'kind', 'noun', 'input', 'rows', 'done', 'failed', 'in_doubt', 'unsent', 'made_at']

export function addJobsList(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('list')
    .description('all jobs of this machine, the newest first')
    .addHelpText('after', examples('crm jobs list', 'crm jobs list --where \'.state == "stopped"\' -o id'))
    .action(act(listJobs))
  addScopedFlags(command, ['fields', 'where', 'limit'])
}

async function listJobs(ctx: Context): Promise<undefined> {
  await printList(ctx, { pages: pagesOf(ctx), columns: COLUMNS, plural: 'jobs' })
}

/** One job per page: the time to read a job grows with its size. */
async function* pagesOf(ctx: Pick<Context, 'jobs'> & WithFlags<'limit' | 'where'>): AsyncGenerator<ListPage> {
  const jobs = await ctx.jobs()
  const undoneBy = await jobs.undone()
  const all = jobs.all().toReversed()
  const wanted = ctx.flags.where === undefined ? all.slice(0, ctx.flags.limit) : all
  for (const paths of wanted) {
    const job = await jobs.stateOrDamage(paths)
    yield { items: [job.state === 'damaged' ? damagedRecord(job) : jobRecord(job, undoneBy)], nextCursor: undefined }
  }
}

function damagedRecord({ paths: { id, folder }, state, reason }: DamagedJob): CrmRecord {
  return { id, state, reason, folder }
}
