import { HISTORY_COLUMNS, type HistoryRow, oldestKeptSerial } from '../history.ts'
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
