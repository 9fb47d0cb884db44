import { statSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { headIfReadable } from '../../jobs/history/find-jobs.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { createRate, type Rate, rateTexts } from '../../output/progress.ts'
import { jobRow, type ReadJob } from './job-row.ts'

/** The rows of all jobs, the newest first. */
export interface JobRows {
  read(jobs: Jobs): Promise<readonly ReadJob[]>
}

interface Known {
  readonly stamp: string
  readonly job: ReadJob
}

/** A job is read again only when its journal has changed, or while it runs: reading takes a second for a million rows. */
export function createJobRows(): JobRows {
  const known = new Map<string, Known>()
  const rates = new Map<string, Rate>()
  const firsts = new Map<string, string>()

  async function read(jobs: Jobs, paths: JobPaths, retries: string): Promise<ReadJob> {
    const stamp = `${stampOf(paths)} ${retries}`
    const before = known.get(paths.id)
    if (before?.stamp === stamp && !before.job.isRunning) return before.job
    const job = await readOr(jobs, paths)
    const shown = job.isRunning ? withRate(job) : job
    known.set(paths.id, { stamp, job: shown })
    return shown
  }

  function withRate(job: ReadJob): ReadJob {
    const { id, rows, unchanged, skipped, done, failed, in_doubt: inDoubt } = job.row
    const total = Number(rows) - Number(unchanged) - Number(skipped)
    const ended = Number(done) + Number(failed) + Number(inDoubt)
    const rate = rates.get(String(id)) ?? createRate()
    rates.set(String(id), rate)
    rate.measure(ended, performance.now())
    const share = total === 0 ? 100 : Math.floor((ended / total) * 100)
    const speed = rate.perSecond() > 0 ? ` ${rateTexts(rate.perSecond(), total - ended).join(' ')}` : ''
    return { ...job, row: { ...job.row, state: `running ${share} %${speed}` } }
  }

  return {
    read: async (jobs) => {
      const all: ReadJob[] = []
      const jobPaths = jobs.all().toReversed()
      const stamps = familyStamps(jobPaths, firsts)
      for (const paths of jobPaths) all.push(await read(jobs, paths, stamps(paths)))
      return all
    },
  }
}

/** A damaged job is a row of its own, and hides no other. */
async function readOr(jobs: Jobs, paths: JobPaths): Promise<ReadJob> {
  try {
    return await jobRow(jobs, paths)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    const row: CrmRecord = { id: paths.id, state: 'damaged', what: error.message, file: paths.db }
    return { row, account: undefined, isRunning: false }
  }
}

/** What the rows of a job look like depends on its retries, too: the stamps of all of them, for each. */
function familyStamps(newestFirst: readonly JobPaths[], firsts: Map<string, string>): (paths: JobPaths) => string {
  const stamps = new Map<string, string>()
  for (const paths of newestFirst.toReversed()) {
    const first = firsts.get(paths.id) ?? firstOf(paths, firsts)
    // The head of a plan never changes.
    firsts.set(paths.id, first)
    if (first !== paths.id) stamps.set(first, `${stamps.get(first) ?? ''} ${stampOf(paths)}`)
  }
  return ({ id }) => stamps.get(firsts.get(id) ?? id) ?? ''
}

/** The job that it retries, also through other retries. */
function firstOf(paths: JobPaths, firsts: ReadonlyMap<string, string>): string {
  const { kind, of } = headIfReadable(paths)
  return kind === 'retry' && of !== undefined ? (firsts.get(of) ?? of) : paths.id
}

/** Changes with every change of the job, which is in one of these files first. */
function stampOf({ db }: JobPaths): string {
  const stats = [db, `${db}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }))
  return stats.map((stat) => (stat ? `${stat.size} ${stat.mtimeMs}` : '')).join(' ')
}
