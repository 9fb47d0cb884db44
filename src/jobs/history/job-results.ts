import type { JobPaths } from '../journal/job-folder.ts'
import { Progress } from '../journal/progress.ts'
import { readJournal } from '../journal/read-journal.ts'
import type { Scratch } from '../plan/scratch.ts'

export interface JobResult {
  readonly id: string | null
  readonly gen: number | undefined
  /** Of a deletion: somebody had deleted it before. */
  readonly wasGone: boolean
  /** Of a create: the record existed before. */
  readonly wasThere: boolean
  /** Of a create: it was answered with 200, and others with 201. */
  readonly mayHaveBeenThere: boolean
}

export interface JobResults {
  readonly progress: Progress
  of(op: number): JobResult
}

/** What came of each operation, kept on disk: a table of the scratch database, which the next job's replaces. */
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
        ...{ id, gen, wasGone: row?.flag === 'g', wasThere: row?.flag === 'u' || row?.flag === 'e' },
        mayHaveBeenThere: isAnyCreated && row?.status === 200 && row.flag === null,
      }
    },
  }
}
