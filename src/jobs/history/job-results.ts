import { CrmError } from '../../core/errors.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { Progress } from '../journal/progress.ts'
import { readJournal } from '../journal/read-journal.ts'
import type { Scratch } from '../plan/scratch.ts'
import { stateOrDamage } from './damaged-job.ts'
import { allJobs, headOf } from './find-jobs.ts'
import { type JobState, readJobState } from './job-state.ts'

export interface JobResult {
  readonly id: string | null
  readonly gen: number | undefined
  /** For a deletion: the record was already deleted. */
  readonly wasGone: boolean
  /** For a create: the record existed before. */
  readonly existed: boolean
  /** For a create: the response was 200, and other creates of the job got 201. */
  readonly mayHaveExisted: boolean
}

export interface JobResults {
  readonly progress: Progress
  of(op: number): JobResult
}

/** The result of each operation, in a table of the scratch database; the results of the next job replace it. */
export function readResults({ journal }: JobPaths, operations: number, { database }: Scratch): JobResults {
  database.exec(
    'DROP TABLE IF EXISTS result; CREATE TABLE result (op INTEGER PRIMARY KEY, id TEXT, gen INTEGER, flag TEXT, status INTEGER)',
  )
  const progress = new Progress(operations)
  const put = database.prepare(
    'INSERT INTO result (op, id, flag, status) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET id = excluded.id, flag = excluded.flag, status = excluded.status',
  )
  const raise = database.prepare(
    'INSERT INTO result (op, gen) VALUES (?, ?) ON CONFLICT DO UPDATE SET gen = excluded.gen',
  )
  let isAnyCreated = false
  readJournal(journal, (entry) => {
    progress.take(entry)
    if (entry.t === 'done') {
      for (const [op, status, id, flag = null] of entry.r) {
        put.run(op, id, flag, status)
        if (status === 201) isAnyCreated = true
      }
    }
    if (entry.t === 'again') raise.run(entry.op, entry.gen)
  })
  const find = database.prepare('SELECT id, gen, flag, status FROM result WHERE op = ?')
  return {
    progress,
    of: (op) => {
      const row = find.get(op)
      const id = typeof row?.id === 'string' ? row.id : null
      const gen = typeof row?.gen === 'number' ? row.gen : undefined
      return {
        ...{ id, gen, wasGone: row?.flag === 'g', existed: row?.flag === 'u' || row?.flag === 'e' },
        mayHaveExisted: isAnyCreated && row?.status === 200 && row.flag === null,
      }
    },
  }
}

interface Undo {
  readonly paths: JobPaths
  /** The job that it undoes, which may be an undo itself. */
  readonly of: string
}

/** Undos of these jobs, and undos of those in turn: the oldest first. */
export function undosOf(jobsFolder: string, jobs: Iterable<string>): readonly JobPaths[] {
  const known = new Set(jobs)
  const found: JobPaths[] = []
  for (const { paths, of } of allUndos(jobsFolder)) {
    if (!known.has(of)) continue
    known.add(paths.id)
    found.push(paths)
  }
  return found
}

/** The undo in effect for each job: it reverted something, or may have, and was not undone itself. */
export async function undosInEffect(
  jobsFolder: string,
  isDamageSkipped = false,
): Promise<ReadonlyMap<string, JobState>> {
  const held = new Map<string, JobState>()
  for (const { paths, of } of allUndos(jobsFolder, isDamageSkipped).toReversed()) {
    // The newest first: an undo of this undo was made after it.
    if (held.has(paths.id) || held.has(of)) continue
    const job = isDamageSkipped ? await stateOrDamage(paths) : await readJobState(paths)
    if (job.state !== 'damaged' && job.account.done + job.account.in_doubt > 0) held.set(of, job)
  }
  return held
}

function allUndos(jobsFolder: string, isDamageSkipped = false): readonly Undo[] {
  const undos: Undo[] = []
  for (const paths of allJobs(jobsFolder)) {
    const { kind, of } = isDamageSkipped ? headIfReadable(paths) : headOf(paths)
    if (kind === 'undo' && of !== undefined) undos.push({ paths, of })
  }
  return undos
}

/** For commands that show jobs: a damaged job must not make them fail. */
function headIfReadable(paths: JobPaths): Partial<ReturnType<typeof headOf>> {
  try {
    return headOf(paths)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return {}
  }
}
