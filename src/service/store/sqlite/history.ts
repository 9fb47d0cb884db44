import { HISTORY_COLUMNS, type HistoryRow } from '../history.ts'
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
