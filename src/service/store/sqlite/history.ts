import { decodeId } from '../../../core/ids.ts'
import {
  fittingRows,
  HISTORY_COLUMNS,
  type HistoryPage,
  type HistoryQuery,
  type HistoryRow,
  historyColumns,
  historyPage,
  keyIdsOf,
  oldestKeptSerial,
  type ReadHistoryRow,
  serialBounds,
} from '../history.ts'
import type { Connection } from './connection.ts'

const COLUMNS = HISTORY_COLUMNS.join(', ')

const INSERT = `INSERT INTO history (${COLUMNS}) VALUES (${HISTORY_COLUMNS.map(() => '?').join(', ')})`

export function insertHistory(db: Connection, row: HistoryRow): void {
  db.run(INSERT, ...row)
}

const ERASE = 'UPDATE history SET old_values = NULL, new_values = NULL WHERE record_id'

/** Values of a deleted record leave its history at once. */
export function eraseValues(db: Connection, recordSerial: number): void {
  db.run(`${ERASE} = ?`, recordSerial)
}

/** Of all notes of a deal, before the database deletes them. */
export function eraseNotes(db: Connection, dealSerial: number): void {
  db.run(`${ERASE} IN (SELECT id FROM notes WHERE deal_id = ?)`, dealSerial)
}

/** Whether there are entries to delete. */
export function hasOldHistory(db: Connection, nowMs: number, historyMs: number): boolean {
  const below = oldestKeptSerial(nowMs, historyMs)
  if (below === undefined) return false
  const oldest = db.get<[number]>('SELECT id FROM history ORDER BY id LIMIT 1')
  return oldest !== undefined && oldest[0] < below
}

interface Pruning {
  readonly nowMs: number
  readonly historyMs: number
  /** At most so many. */
  readonly count: number
}

/** Deletes some of the oldest entries that are too old. */
export function pruneHistory(db: Connection, { nowMs, historyMs, count }: Pruning): void {
  if (!hasOldHistory(db, nowMs, historyMs)) return
  db.run(
    'DELETE FROM history WHERE id IN (SELECT id FROM history WHERE id < ? ORDER BY id LIMIT ? + 0)',
    oldestKeptSerial(nowMs, historyMs) ?? 0,
    count,
  )
}

export function readHistory(db: Connection, query: HistoryQuery): HistoryPage {
  const { limit } = query
  const rows = readNewest(db, query, { count: limit + 1, isWhole: false })
  const fitting = fittingRows(rows, limit)
  if (fitting === undefined) return historyPage(rows, limit, keyNames(db, rows))
  const whole = readNewest(db, query, { count: fitting + 1, isWhole: true })
  return historyPage(whole, fitting, keyNames(db, whole))
}

interface Reading {
  readonly count: number
  /** With values of any size. */
  readonly isWhole: boolean
}

function readNewest(db: Connection, query: HistoryQuery, reading: Reading): readonly ReadHistoryRow[] {
  const { keyIds = [undefined] } = query
  return [...new Set(keyIds)]
    .flatMap((keyId) => readRows(db, { ...query, keyIds: keyId === undefined ? undefined : [keyId] }, reading))
    .sort(([one], [other]) => other - one)
    .slice(0, reading.count)
}

/** The index of the first that is given drives the scan; `+` keeps the planner from sorting what another index matches. */
function readRows(db: Connection, query: HistoryQuery, { count, isWhole }: Reading): readonly ReadHistoryRow[] {
  const { record, resource, job, keyIds: [keyId] = [] } = query
  const { least, below } = serialBounds(query)
  const given = [
    ['record_id', 'history_by_record', record && (decodeId(record.resource, record.id) ?? -1)],
    ['job', 'history_by_job', job],
    ['key_id', 'history_by_key', keyId],
    ['resource', 'history_by_resource', resource],
  ] as const
  const wanted = given.flatMap(([column, index, value]) => (value === undefined ? [] : [{ column, index, value }]))
  const conditions = wanted.map(({ column }, place) => `${place === 0 ? '' : '+'}${column} = ?${place + 4}`)
  const index = wanted[0] ? `INDEXED BY ${wanted[0].index}` : ''
  const where = ['id < ?1', 'id >= ?2', ...conditions].join(' AND ')
  const columns = historyColumns(isWhole ? undefined : '?3')
  return db.all<ReadHistoryRow>(
    `SELECT ${columns} FROM history ${index} WHERE ${where} ORDER BY id DESC LIMIT ?3 + 0`,
    ...[below, least, count, ...wanted.map(({ value }) => value)],
  )
}

function keyNames(db: Connection, rows: readonly ReadHistoryRow[]): ReadonlyMap<string, string> {
  const sql = 'SELECT id, name FROM api_keys WHERE id IN (SELECT value FROM json_each(?))'
  return new Map(db.all<readonly [string, string]>(sql, JSON.stringify(keyIdsOf(rows))))
}
