import type { CopyOrigin, CopyPlace } from '../copy/ends.ts'
import type { Connection } from './connection.ts'

/** `CRMc`, in the header of a database that is not yet copied whole: no crm takes it for its own. */
export const COPY_ID = 0x43524d63

/** Beside the tables of the schema until the end of the copy. */
export const STATE_TABLE = `
  CREATE TABLE copy_state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    location TEXT NOT NULL,
    name TEXT NOT NULL,
    last_serial INTEGER NOT NULL,
    place TEXT NOT NULL
  ) STRICT`

/** Undefined for anything but an unfinished copy. */
export function readOrigin(db: Connection): CopyOrigin | undefined {
  if (db.get<[number]>('PRAGMA application_id')?.[0] !== COPY_ID) return undefined
  const row = db.get<[string, string, number]>('SELECT location, name, last_serial FROM copy_state')
  return row && { location: row[0], name: row[1], lastSerial: row[2] }
}

export function readPlace(db: Connection): CopyPlace {
  const [place = '{}'] = db.get<[string]>('SELECT place FROM copy_state') ?? []
  return JSON.parse(place) as CopyPlace
}

export function writeOrigin(db: Connection, { location, name, lastSerial }: CopyOrigin, place: CopyPlace): void {
  db.run('INSERT INTO copy_state VALUES (1, ?, ?, ?, ?)', location, name, lastSerial, JSON.stringify(place))
}

export function writePlace(db: Connection, place: CopyPlace): void {
  db.run('UPDATE copy_state SET place = ?', JSON.stringify(place))
}
