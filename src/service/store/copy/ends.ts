import type { Pipeline } from '../store.ts'
import type { CopiedTable, Row } from './tables.ts'

/** Rows that are read, and so kept in memory, at once. */
export const ROWS_AT_ONCE = 1000

/** And characters or bytes of their long column, of which one row may have more. */
export const LONG_AT_ONCE = 4 * 1024 * 1024

/** The rows of one database as both databases understand them. */
export interface CopiedRows {
  /** At most ROWS_AT_ONCE in the order of `order`, after the row with these values there; fewer where they are long. */
  read(table: CopiedTable, order: readonly string[], after: Row | undefined): Promise<readonly Row[]>
  count(table: CopiedTable): Promise<number>
  pipelines(): Promise<readonly Pipeline[]>
  lastSerial(): Promise<number>
}

/** The database that is read. While it is open, no other process writes to it. */
export interface CopySource extends CopiedRows {
  /** For messages. */
  readonly name: string
  /** The order in which the rows are copied. */
  orderOf(table: CopiedTable): readonly string[]
}

/** Where a copy goes on. */
export interface CopyPlace {
  readonly table: string
  /** The last row that was written, by the order in which rows are copied; null before the first. */
  readonly after: Row | null
}

/** From which database an unfinished copy comes, and what it was then. */
export interface CopyOrigin {
  /** The value of `--from`, without its password. */
  readonly location: string
  readonly name: string
  readonly lastSerial: number
}

/** The database that is written. Until `finish` it is no database of crm. */
export interface CopyTarget extends CopiedRows {
  readonly name: string
  /** Of an unfinished copy. */
  readonly origin: CopyOrigin | undefined
  place(): Promise<CopyPlace>
  /** Makes the tables of an empty database. */
  begin(origin: CopyOrigin, pipelines: readonly Pipeline[], first: CopyPlace): Promise<void>
  /** Together or not at all, with the place after them. */
  write(
    table: CopiedTable,
    rows: readonly Row[],
    places: { readonly from: CopyPlace; readonly to: CopyPlace },
  ): Promise<void>
  /** Makes the indexes that are not there yet. */
  addIndexes(): Promise<void>
  /** Makes it a database of crm, durable. */
  finish(): Promise<void>
}
