import { canonicalJson, isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import { RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import type { EarlierJob } from '../history/earlier-jobs.ts'
import { resultsOf, type StoredResults } from '../history/job-results.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { openJob } from '../store/open-job.ts'
import type { JobProgress } from '../store/progress.ts'
import { requestDigest } from './digest.ts'
import type { EarlierOperation } from './plan-builder.ts'
import type { PlanOperation } from './plan-format.ts'
import { openScratch, type Scratch } from './scratch.ts'

const STATES = ['unsent', 'done', 'failed', 'sent'] as const

const TABLES = `
CREATE TABLE earlier (digest TEXT, n INTEGER, state INTEGER, gen INTEGER, since INTEGER, taken INTEGER, id TEXT, line INTEGER, email TEXT,
  body TEXT, is_seen INTEGER DEFAULT 0, PRIMARY KEY (digest, n)) WITHOUT ROWID`

const ADD = `
INSERT INTO earlier (digest, n, state, gen, since, taken, id, line, email, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET state = excluded.state, gen = excluded.gen, id = excluded.id, line = excluded.line,
  since = coalesce(since, excluded.since), taken = max(taken, excluded.taken) WHERE state <> 1 OR excluded.gen > gen`

const ORPHANS = 'SELECT digest, n, id, line, body FROM earlier WHERE state = 1 AND is_seen = 0 AND id IS NOT NULL'

/** Only for the few rows that `find` did not find: an index of all would cost more than the planning. */
const BY_NAME = `CREATE INDEX IF NOT EXISTS by_name ON earlier (json_extract(body, '$.name'))
  WHERE state = 1 AND is_seen = 0 AND id IS NOT NULL`

/** A record that an earlier job of the run created from a row that is no longer in the input. */
export interface Orphan {
  readonly id: string
  readonly digest: string
  readonly n: number
  /** The line of that row; undefined if its input had no lines. */
  readonly line: number | undefined
  /** The body that was sent for it, as JSON. */
  readonly body: string
}

/**
 * The results of the earlier jobs of a run, by the contents of their rows; on disk, because there may be millions. Call `find`
 * for every row of the input first: `orphans` and the like then return the records whose rows were not found.
 */
export class Ledger {
  readonly #scratch: Scratch

  constructor(folder: string, jobs: readonly EarlierJob[]) {
    this.#scratch = openScratch(folder, 'ledger')
    const { database } = this.#scratch
    database.exec(TABLES)
    for (const { paths, isUndo } of jobs) {
      if (isUndo) this.#applyUndo(paths)
      else this.#read(paths)
    }
    database.exec('CREATE INDEX by_line ON earlier (line); CREATE INDEX by_email ON earlier (email)')
  }

  find(digest: string, n: number): (EarlierOperation & { readonly line: number | undefined }) | undefined {
    const { database } = this.#scratch
    this.#find ??= database.prepare(
      'UPDATE earlier SET is_seen = 1 WHERE digest = ? AND n = ? RETURNING state, gen, since, taken, id, line',
    )
    const row = this.#find.get(digest, n)
    if (!row) return undefined
    const since = row.since === null ? undefined : Number(row.since)
    const id = row.id === null ? undefined : String(row.id)
    const line = row.line === null ? undefined : Number(row.line)
    return {
      state: STATES[Number(row.state)] ?? 'unsent',
      gen: Number(row.gen),
      since,
      isTaken: row.taken === 1,
      id,
      line,
    }
  }

  /** The number of created records, and how many of them `find` has found. */
  counts(): { readonly done: number; readonly found: number } {
    const row = this.#scratch.database
      .prepare('SELECT count(*) AS done, coalesce(sum(is_seen), 0) AS found FROM earlier WHERE state = 1')
      .get()
    return { done: Number(row?.done), found: Number(row?.found) }
  }

  /** By email, which is unique to a person. */
  orphanByEmail(email: string): Orphan | undefined {
    this.#byEmail ??= this.#scratch.database.prepare(`${ORPHANS} AND email = ?`)
    return orphanOf(this.#byEmail.get(email))
  }

  orphanByLine(line: number): Orphan | undefined {
    this.#byLine ??= this.#scratch.database.prepare(`${ORPHANS} AND line = ?`)
    return orphanOf(this.#byLine.get(line))
  }

  /** Also undefined if several have the name. */
  orphanByName(name: string): Orphan | undefined {
    const { database } = this.#scratch
    if (!this.#byName) database.exec(BY_NAME)
    this.#byName ??= database.prepare(`${ORPHANS} AND json_extract(body, '$.name') = ? LIMIT 2`)
    const [row, other] = this.#byName.all(name)
    return other ? undefined : orphanOf(row)
  }

  /** The first ones, in the order of their lines. */
  orphans(most: number): readonly Orphan[] {
    const rows = this.#scratch.database.prepare(`${ORPHANS} ORDER BY line LIMIT ?`).all(most)
    return rows.map((row) => orphanOf(row)).filter((row) => row !== undefined)
  }

  /** Marks it as found, so that it is not returned again. */
  take({ digest, n }: Orphan): void {
    this.find(digest, n)
  }

  close(): void {
    this.#scratch.close()
  }

  /** After a change, a record equals what another row would create: that row counts as done. */
  #edit({ head, body }: PlanOperation, isReverted: boolean, collection: string): void {
    const row = this.#byId(head.id)
    if (!row || !body) return
    const fields = { ...objectOf(String(row.body)), ...objectOf(body.toString('utf8')) }
    // A null that an undo writes stands for a cell that the row did not have.
    const members = Object.entries(fields).filter(([, value]) => !isReverted || value !== null)
    const text = canonicalJson(Object.fromEntries(members))
    const digest = requestDigest('POST', collection, text)
    if (digest === row.digest) return
    this.#scratch.database
      .prepare('UPDATE earlier SET digest = ?, n = ?, body = ?, email = ? WHERE digest = ? AND n = ?')
      .run(digest, this.#freeN(digest), text, emailOf(fields) ?? null, row.digest ?? null, row.n ?? null)
  }

  /** Equal rows are distinguished by the number of equal rows before them. */
  #freeN(digest: string): number {
    const isTaken = this.#scratch.database.prepare('SELECT 1 FROM earlier WHERE digest = ? AND n = ?')
    let n = 0
    while (isTaken.get(digest, n)) n += 1
    return n
  }

  #byId(id: string | undefined): ReturnType<Statement['get']> {
    const { database } = this.#scratch
    database.exec('CREATE INDEX IF NOT EXISTS by_id ON earlier (id)')
    return database.prepare('SELECT digest, n, body FROM earlier WHERE id = ? AND state = 1').get(id ?? null)
  }

  #find: Statement | undefined
  #byEmail: Statement | undefined
  #byLine: Statement | undefined
  #byName: Statement | undefined

  /** A record that an undo deleted is created under a new key: the old key would replay the old response. */
  #applyUndo(undo: JobPaths): void {
    const { database } = this.#scratch
    const plan = openJob(undo)
    database.exec('CREATE INDEX IF NOT EXISTS by_id ON earlier (id)')
    const settle = database.prepare('UPDATE earlier SET state = ?, id = ? WHERE id = ?')
    try {
      const results = resultsOf(plan)
      for (const operation of plan.all()) {
        const { op, head } = operation
        if (results.progress.endOf(op) !== 'done') continue
        const id = head.id ?? null
        if (head.do === 'delete') settle.run(STATES.indexOf('failed'), id, id)
        // The undo of an undo created the record again.
        if (head.do === 'create') settle.run(STATES.indexOf('done'), results.of(op).id, id)
        if (head.restores) settle.run(STATES.indexOf('done'), id, id)
        else if (head.do === 'update') this.#edit(operation, true, collectionOf(plan))
      }
    } finally {
      plan.close()
    }
  }

  /** A later job overrides an earlier one, except for what is done. */
  #read(job: JobPaths): void {
    const { database } = this.#scratch
    const plan = openJob(job)
    const add = database.prepare(ADD)
    try {
      const results = resultsOf(plan)
      for (const operation of plan.all()) {
        const state = stateOf(results.progress, operation.op)
        if (operation.head.do === 'create') add.run(...rowOf(operation, state, results))
        if (operation.head.do !== 'update') continue
        if (state === 'done') this.#edit(operation, false, collectionOf(plan))
        // If the same change of the same record is needed again, it was reverted; its old key would replay the old response.
        add.run(...rowOf(operation, state === 'done' ? 'failed' : state, results))
      }
    } finally {
      plan.close()
    }
  }
}

function collectionOf({ head: { noun } }: JobFile): string {
  return RESOURCES[resourceOf(noun)].path
}

function rowOf(
  { op, head, body }: PlanOperation,
  state: (typeof STATES)[number],
  results: StoredResults,
): (string | number | null)[] {
  const since = state === 'sent' ? (head.since ?? results.progress.firstMs) : head.since
  const { id, gen = head.gen ?? 0 } = results.of(op)
  const text = body?.toString('utf8') ?? '{}'
  const isTaken = head.taken === true || results.progress.isTaken(op)
  const what = [head.digest, head.n, STATES.indexOf(state), gen, since ?? null, isTaken ? 1 : 0, id]
  return [...what, head.line ?? null, emailOf(objectOf(text)) ?? null, text]
}

type Statement = ReturnType<Scratch['database']['prepare']>

function orphanOf(row: ReturnType<Statement['get']>): Orphan | undefined {
  if (!row) return undefined
  const line = row.line === null ? undefined : Number(row.line)
  return { id: String(row.id), digest: String(row.digest), n: Number(row.n), line, body: String(row.body) }
}

function objectOf(text: string): JsonObject {
  return parseExactJson(text) as JsonObject
}

/** The email in the form in which emails are compared. */
export function emailOf(record: unknown): string | undefined {
  if (!isJsonObject(record) || typeof record.email !== 'string') return undefined
  return record.email.trim().normalize('NFC').toLowerCase() || undefined
}

function stateOf(progress: JobProgress, op: number): (typeof STATES)[number] {
  const end = progress.endOf(op)
  if (end === 'done' || end === 'failed') return end
  return end === 'back' || op >= progress.next ? 'unsent' : 'sent'
}
