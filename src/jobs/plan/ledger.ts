import type { Offers } from '../../api/connectors/connector.ts'
import { changedMembers } from '../../core/changes.ts'
import { CrmError } from '../../core/errors.ts'
import { canonicalJson, isJsonObject, type JsonObject, memberOf, parseExactJson } from '../../core/json.ts'
import { findByIds } from '../../core/record-ids.ts'
import { type CrmRecord, matchHint, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import type { EarlierJob } from '../history/earlier-jobs.ts'
import { resultsOf, type StoredResults } from '../history/job-results.ts'
import type { InputRow, RowSource } from '../input/row.ts'
import type { JobFile } from '../store/job-file.ts'
import { withJob } from '../store/open-job.ts'
import type { JobProgress } from '../store/progress.ts'
import { requestDigest } from './digest.ts'
import { createOf, type EarlierOperation, type Planned, updateOf } from './plan-builder.ts'
import type { JobNoun, PlanOperation } from './plan-format.ts'
import type { Scratch } from './scratch.ts'

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

const BY_ID = 'CREATE INDEX IF NOT EXISTS by_id ON earlier (id)'

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
  readonly #database: Scratch['database']
  readonly #statements = new Map<string, Statement>()

  constructor({ database }: Scratch, jobs: readonly EarlierJob[]) {
    this.#database = database
    database.exec(TABLES)
    for (const { paths, isUndo } of jobs) {
      withJob(paths, (job) => (isUndo ? this.#applyUndo(job) : this.#read(job)))
    }
    database.exec('CREATE INDEX by_line ON earlier (line); CREATE INDEX by_email ON earlier (email)')
  }

  find(digest: string, n: number): (EarlierOperation & { readonly line: number | undefined }) | undefined {
    const sql = 'UPDATE earlier SET is_seen = 1 WHERE digest = ? AND n = ? RETURNING state, gen, since, taken, id, line'
    const row = this.#sql(sql).get(digest, n)
    if (!row) return undefined
    return {
      state: STATES[Number(row.state)] ?? 'unsent',
      gen: Number(row.gen),
      since: numberIn(row.since),
      isTaken: row.taken === 1,
      id: row.id === null ? undefined : String(row.id),
      line: numberIn(row.line),
    }
  }

  /** The number of created records, and how many of them `find` has found. */
  counts(): { readonly done: number; readonly found: number } {
    const sql = 'SELECT count(*) AS done, coalesce(sum(is_seen), 0) AS found FROM earlier WHERE state = 1'
    const row = this.#sql(sql).get()
    return { done: Number(row?.done), found: Number(row?.found) }
  }

  /** By email, which is unique to a person. */
  orphanByEmail(email: string): Orphan | undefined {
    return orphanOf(this.#sql(`${ORPHANS} AND email = ?`).get(email))
  }

  orphanByLine(line: number): Orphan | undefined {
    return orphanOf(this.#sql(`${ORPHANS} AND line = ?`).get(line))
  }

  /** Also undefined if several have the name. */
  orphanByName(name: string): Orphan | undefined {
    this.#database.exec(BY_NAME)
    const [row, other] = this.#sql(`${ORPHANS} AND json_extract(body, '$.name') = ? LIMIT 2`).all(name)
    return other ? undefined : orphanOf(row)
  }

  /** The first ones, in the order of their lines. */
  orphans(most: number): readonly Orphan[] {
    const rows = this.#sql(`${ORPHANS} ORDER BY line LIMIT ?`).all(most)
    return rows.map((row) => orphanOf(row)).filter((row) => row !== undefined)
  }

  /** Marks it as found, so that it is not returned again. */
  take({ digest, n }: Orphan): void {
    this.find(digest, n)
  }

  #sql(text: string): Statement {
    const known = this.#statements.get(text) ?? this.#database.prepare(text)
    this.#statements.set(text, known)
    return known
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
    const sql = 'UPDATE earlier SET digest = ?, n = ?, body = ?, email = ? WHERE digest = ? AND n = ?'
    const isTaken = this.#sql('SELECT 1 FROM earlier WHERE digest = ? AND n = ?')
    // Equal rows are distinguished by the number of equal rows before them.
    let n = 0
    while (isTaken.get(digest, n)) n += 1
    this.#sql(sql).run(digest, n, text, emailOf(fields) ?? null, row.digest ?? null, row.n ?? null)
  }

  #byId(id: string | undefined): ReturnType<Statement['get']> {
    this.#database.exec(BY_ID)
    return this.#sql('SELECT digest, n, body FROM earlier WHERE id = ? AND state = 1').get(id ?? null)
  }

  /** A record that an undo deleted is created under a new key: the old key would replay the old response. */
  #applyUndo(undo: JobFile): void {
    this.#database.exec(BY_ID)
    const settle = this.#sql('UPDATE earlier SET state = ?, id = ? WHERE id = ?')
    const results = resultsOf(undo)
    for (const operation of undo.all()) {
      const { op, head } = operation
      if (results.progress.endOf(op) !== 'done') continue
      const id = head.id ?? null
      if (head.do === 'delete') settle.run(STATES.indexOf('failed'), id, id)
      // The undo of an undo created the record again.
      if (head.do === 'create') settle.run(STATES.indexOf('done'), results.of(op).id, id)
      if (head.restores) settle.run(STATES.indexOf('done'), id, id)
      else if (head.do === 'update') this.#edit(operation, true, collectionOf(undo))
    }
  }

  /** A later job overrides an earlier one, except for what is done. */
  #read(job: JobFile): void {
    const add = this.#sql(ADD)
    const results = resultsOf(job)
    for (const operation of job.all()) {
      const state = stateOf(results.progress, operation.op)
      if (operation.head.do === 'create') add.run(...rowOf(operation, state, results))
      if (operation.head.do !== 'update') continue
      if (state === 'done') this.#edit(operation, false, collectionOf(job))
      // If the same change of the same record is needed again, it was reverted; its old key would replay the old response.
      add.run(...rowOf(operation, state === 'done' ? 'failed' : state, results))
    }
  }
}

function numberIn(value: unknown): number | undefined {
  return value === null ? undefined : Number(value)
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
  const { id, digest, n, line, body } = row
  return { id: String(id), digest: String(digest), n: Number(n), line: numberIn(line), body: String(body) }
}

function objectOf(text: string): JsonObject {
  return parseExactJson(text) as JsonObject
}

/** The email in the form in which emails are compared. */
function emailOf(record: unknown): string | undefined {
  if (!isJsonObject(record) || typeof record.email !== 'string') return undefined
  return record.email.trim().normalize('NFC').toLowerCase() || undefined
}

function stateOf(progress: JobProgress, op: number): (typeof STATES)[number] {
  const end = progress.endOf(op)
  if (end === 'done' || end === 'failed') return end
  return end === 'back' || op >= progress.next ? 'unsent' : 'sent'
}

export interface PairParts {
  readonly scratch: Scratch
  readonly noun: JobNoun
  readonly source: RowSource
  readonly ledger: Ledger
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly offers: Offers
}

export interface Pairing {
  readonly planned: ReadonlyMap<number, Planned | 'unchanged'>
  /** A question about new rows and records whose rows are gone; undefined unless there are both. */
  readonly question: string | undefined
}

/** A row that no earlier job has. */
interface Fresh {
  readonly row: InputRow
  /** Its line in the earlier input, if it was there and no rows were added or removed near it. */
  readonly earlierLine: number
}

const MOST_NAMED = 5

type Pair = readonly [InputRow, Orphan]

/**
 * The changes, by line, for rows that were edited after a record was created from them: otherwise they would be created again.
 * CrmError `conflict` for resources without updates.
 */
export async function pairChangedRows(parts: PairParts): Promise<Pairing> {
  const fresh = await freshRows(parts)
  const { done, found } = parts.ledger.counts()
  const { pairs, alone } = pairUp(fresh, parts.ledger)
  // Another file with the same name: if its rows were paired with the records, they would overwrite them.
  if (found < done / 2 && fresh.length > 0 && pairs.length < fresh.length)
    throw otherFile(parts.noun, done, done - found)
  const question = questionOf(alone, parts.ledger)
  if (pairs.length === 0) return { planned: new Map(), question }
  if (!parts.offers(resourceOf(parts.noun), 'update')) throw unchangeable(parts.noun, pairs)
  const records = await findByIds(
    parts.list(),
    pairs.map(([, { id }]) => id),
  )
  const planned = new Map<number, Planned | 'unchanged'>()
  for (const [row, orphan] of pairs) {
    const before = records.get(orphan.id)
    if (before) planned.set(row.line, changeOf(parts.noun, row, { orphan, before }))
  }
  return { planned, question }
}

/** By email, then by line, then by a name that only one row and one record have: the most certain first, for all rows. */
function pairUp(fresh: readonly Fresh[], ledger: Ledger): { pairs: readonly Pair[]; alone: readonly Fresh[] } {
  const pairs: Pair[] = []
  let alone = fresh
  const pass = (orphanFor: (fresh: Fresh) => Orphan | undefined) => {
    alone = alone.filter((one) => {
      const orphan = orphanFor(one)
      if (!orphan || !isSameRow(one.row, orphan)) return true
      ledger.take(orphan)
      pairs.push([one.row, orphan])
      return false
    })
  }
  pass(({ row }) => {
    const email = emailOf(row.fields)
    return email === undefined ? undefined : ledger.orphanByEmail(email)
  })
  pass(({ row, earlierLine }) => ledger.orphanByLine(row.earlierLine ?? row.line) ?? ledger.orphanByLine(earlierLine))
  const times = new Map<unknown, number>()
  for (const { row } of alone) times.set(row.fields.name, (times.get(row.fields.name) ?? 0) + 1)
  pass(({ row: { fields } }) => {
    const { name } = fields
    return typeof name === 'string' && times.get(name) === 1 ? ledger.orphanByName(name) : undefined
  })
  return { pairs, alone }
}

/** An inserted row cannot be distinguished from one that was changed completely, so the person is asked. */
function questionOf(alone: readonly Fresh[], ledger: Ledger): string | undefined {
  const { done, found } = ledger.counts()
  if (alone.length === 0 || done === found) return undefined
  const gone = ledger.orphans(MOST_NAMED).map(({ id, line }) => (line === undefined ? id : `${id} of line ${line}`))
  const lines = alone.slice(0, MOST_NAMED).map(({ row }) => row.line)
  return `New: line ${listed(lines, alone.length)}. Created before, from rows that are no longer in the input: ${listed(gone, done - found)}. If a new row is one of these, changed, it would be created twice.`
}

function listed(named: readonly unknown[], count: number): string {
  return count > named.length ? `${named.join(', ')}, and ${count - named.length} more` : named.join(', ')
}

/** The rows that no earlier job has; all others are marked as found. */
async function freshRows({ scratch, noun, source, ledger }: PairParts): Promise<readonly Fresh[]> {
  const fresh: Fresh[] = []
  // By how many lines rows have moved: a changed row has moved as far as the one above it.
  let shift = 0
  const counter = scratch.keys('fresh')
  for await (const rows of source.rows()) {
    for (const row of rows) {
      const { path, body = {} } = createOf(noun, row)
      const digest = requestDigest('POST', path, canonicalJson(body))
      const known = ledger.find(digest, counter.count(digest))
      if (!known) fresh.push({ row, earlierLine: row.line - shift })
      else if (known.line !== undefined) shift = row.line - known.line
    }
  }
  return fresh
}

/**
 * Whether both have the same email or the same name, or differ in a single member of several. A record with one member is not
 * compared that way, because many records have the same country or owner.
 */
function isSameRow({ fields }: InputRow, { body }: Orphan): boolean {
  const before = parseExactJson(body) as JsonObject
  const email = emailOf(fields)
  if (email !== undefined && email === emailOf(before)) return true
  const isSame = (name: string) => canonicalJson(memberOf(fields, name)) === canonicalJson(memberOf(before, name))
  if (memberOf(fields, 'name') !== null && isSame('name')) return true
  const names = new Set([...Object.keys(fields), ...Object.keys(before)])
  return names.size > 1 && [...names].filter((name) => !isSame(name)).length === 1
}

function otherFile(noun: JobNoun, done: number, gone: number): CrmError {
  const message = `a file of this name was imported before, and ${gone} of its ${done} rows are no longer in it`
  return new CrmError('conflict', message, {
    hint: `a new file of the same name: --again; the same ${noun} with other values: --match ${matchHint(resourceOf(noun))}`,
  })
}

/** Only what was changed in the file: changes that others made to the record stay. */
function changeOf(noun: JobNoun, row: InputRow, made: { orphan: Orphan; before: CrmRecord }): Planned | 'unchanged' {
  const { before } = made
  const { id, body } = made.orphan
  const edited = changedMembers(parseExactJson(body) as JsonObject, row.fields)
  const fields = Object.fromEntries(Object.entries(row.fields).filter(([name]) => Object.hasOwn(edited, name)))
  if (Object.keys(changedMembers(before, fields)).length === 0) return 'unchanged'
  return { ...updateOf(noun, row, id, fields), before }
}

function unchangeable(noun: JobNoun, pairs: readonly Pair[]): CrmError {
  const named = pairs.slice(0, MOST_NAMED).map(([{ line }, { id }]) => `line ${line} is ${id}`)
  const more = pairs.length > MOST_NAMED ? `, and ${pairs.length - MOST_NAMED} more` : ''
  return new CrmError(
    'conflict',
    `rows were changed after ${noun} were created from them, and ${noun} cannot be changed: ${named.join(', ')}${more}`,
    {
      hint: 'restore these rows, or import them as new rows in another file',
    },
  )
}
