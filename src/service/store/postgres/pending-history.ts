import type { RecordResource } from '../../../core/resources/registry.ts'
import {
  type Author,
  type ChangedMembers,
  deletedNote,
  HISTORY_COLUMNS,
  type HistoryRow,
  historyRow,
} from '../history.ts'
import type { PostgresTransaction } from './database.ts'

const TYPES: Readonly<Record<(typeof HISTORY_COLUMNS)[number], string>> = {
  id: 'bigint',
  resource: 'text',
  record_id: 'bigint',
  action: 'text',
  version: 'bigint',
  previous_at_ms: 'bigint',
  fields: 'text',
  old_values: 'text',
  new_values: 'text',
  key_id: 'text',
  job: 'text',
  request_id: 'text',
}

const INSERT = `INSERT INTO history (${HISTORY_COLUMNS.join(', ')})
  SELECT * FROM unnest(${HISTORY_COLUMNS.map((name, place) => `$${place + 1}::${TYPES[name]}[]`).join(', ')})`

const ERASE = 'UPDATE history SET old_values = NULL, new_values = NULL WHERE record_id = ANY'

/** The place of the record in a row. */
const RECORD_AT = HISTORY_COLUMNS.indexOf('record_id')

interface Place {
  readonly serial: number
  readonly resource: RecordResource
  readonly recordSerial: number
}

/** The entries of the history that a batch has still to write, and the records whose values leave it. */
export class PendingHistory {
  readonly #tx: PostgresTransaction
  readonly #isKept: boolean
  readonly #rows: HistoryRow[] = []
  readonly #erased = new Set<number>()
  readonly #deals = new Set<number>()

  constructor(tx: PostgresTransaction, isKept: boolean) {
    this.#tx = tx
    this.#isKept = isKept
  }

  get isKept(): boolean {
    return this.#isKept
  }

  put(place: Place, changed: ChangedMembers, by: Author | undefined): void {
    this.#rows.push(historyRow(place, changed, by))
  }

  putNoteEnd(serial: number, [noteSerial, version]: readonly [number, number], by: Author | undefined): void {
    this.put({ serial, resource: 'note', recordSerial: noteSerial }, deletedNote(version), by)
  }

  /** Also of the notes of a deal, which are all in the database then. */
  erase(resource: RecordResource, recordSerial: number): void {
    this.#erased.add(recordSerial)
    if (resource === 'deal') this.#deals.add(recordSerial)
    for (const [place, row] of this.#rows.entries()) {
      if (row[RECORD_AT] === recordSerial) this.#rows[place] = withoutValues(row)
    }
  }

  /** Before the records are flushed: the notes of a deleted deal are still there. */
  flush(): void {
    if (this.#rows.length > 0) {
      this.#tx.later(INSERT, ...HISTORY_COLUMNS.map((_, place) => this.#rows.map((row) => row[place] ?? null)))
    }
    if (this.#erased.size > 0) this.#tx.later(`${ERASE} ($1::bigint[])`, [...this.#erased])
    if (this.#deals.size > 0) {
      this.#tx.later(`${ERASE} (ARRAY(SELECT id FROM notes WHERE deal_id = ANY($1::bigint[])))`, [...this.#deals])
    }
    this.#rows.length = 0
    this.#erased.clear()
    this.#deals.clear()
  }
}

function withoutValues(row: HistoryRow): HistoryRow {
  const [serial, resource, recordSerial, action, version, previousAtMs, fields, , , ...who] = row
  return [serial, resource, recordSerial, action, version, previousAtMs, fields, null, null, ...who]
}
