import { decodeId, encodeId } from '../../../core/ids.ts'
import { type OpenResource, RESOURCES } from '../../../core/resources/registry.ts'
import { countFitting, hasText, type PageColumn, pageColumn, type ReadRow } from '../page-bytes.ts'
import { pageOf, placeOf } from '../page-rules.ts'
import type { DealFilters, JoinedPage, NotesQuery, PageQuery, PlainFilters, TextPage } from '../store.ts'
import type { Connection } from './connection.ts'
import { queryDeals, queryPlain } from './filter-query.ts'

type NoteRow = readonly [text: string, serial: number]

export function readRecords(db: Connection, resource: OpenResource | 'webhook', query: PageQuery): TextPage {
  const place = placeOf(resource, query)
  return readPage(query.limit, (count, column) =>
    db.all<ReadRow>(
      `SELECT ${pageColumn(column, '?2')} FROM ${RESOURCES[resource].plural} WHERE id < ?1 ORDER BY id DESC LIMIT ?2 + 0`,
      place,
      count,
    ),
  )
}

/** Reads once, where no record is so large that the page may be; `read` gives the newest rows of a walk. */
function readPage(limit: number, read: (count: number, column: PageColumn) => readonly ReadRow[]): TextPage {
  const rows = read(limit + 1, 'small')
  if (rows.every(hasText)) return pageOf(rows, limit)
  const fitting = countFitting(read(limit, 'size').map(([size]) => Number(size)))
  return pageOf(read(fitting + 1, 'text').filter(hasText), fitting)
}

/**
 * SQLite joins the texts, so that one string is created instead of a hundred. An aggregate reads the rows of a subquery with
 * a limit in its order.
 */
export function joinRecords(db: Connection, resource: OpenResource, query: PageQuery): JoinedPage {
  const table = RESOURCES[resource].plural
  const [text, lastSerial, count, smallCount] =
    db.get<[string | null, number | null, number, number]>(
      `SELECT group_concat(text, ','), min(id), count(*), count(text) FROM (
        SELECT id, ${pageColumn('small', '?2')} FROM ${table} WHERE id < ?1 ORDER BY id DESC LIMIT ?2 + 0)`,
      placeOf(resource, query),
      query.limit,
    ) ?? []
  if (smallCount !== count) {
    const { texts, nextOlderThanId } = readRecords(db, resource, query)
    return { text: texts.join(','), nextOlderThanId }
  }
  const isFull = count === query.limit && typeof lastSerial === 'number'
  const hasMore = isFull && db.get(`SELECT 1 FROM ${table} WHERE id < ? LIMIT 1`, lastSerial) !== undefined
  return { text: text ?? '', nextOlderThanId: hasMore ? encodeId(resource, lastSerial) : undefined }
}

export function readFiltered(
  db: Connection,
  resource: OpenResource,
  query: PageQuery,
  filters: PlainFilters,
): TextPage {
  const belowSerial = placeOf(resource, query)
  return readPage(query.limit, (count, column) => queryPlain(db, resource, filters, { belowSerial, count, column }))
}

export function readDeals(db: Connection, query: PageQuery, filters: DealFilters): TextPage {
  const belowSerial = placeOf('deal', query)
  return readPage(query.limit, (count, column) => queryDeals(db, filters, { belowSerial, count, column }))
}

/**
 * One statement for all deals: a short index scan back in time for each. Not sorted, as sorting would read every text before
 * the first row.
 */
const NEWEST_OF_EACH = `
  SELECT notes.text, notes.id, deal.key FROM json_each(?1) AS deal CROSS JOIN notes
  WHERE notes.id IN (
    SELECT id FROM notes AS of_deal WHERE of_deal.deal_id = deal.value AND id < ?2 ORDER BY id DESC LIMIT ?3 + 0
  )`

export function readNotes(db: Connection, query: NotesQuery): ReadonlyMap<string, TextPage> {
  const [only] = query.dealIds
  if (only !== undefined && query.dealIds.length === 1) return new Map([[only, readNotesOf(db, only, query)]])
  const rowsOf = query.dealIds.map((): NoteRow[] => [])
  // Serials start at 1, so 0 matches no deal.
  const serials = query.dealIds.map((id) => decodeId('deal', id) ?? 0)
  const rows = db.iterate<readonly [...NoteRow, place: number]>(
    NEWEST_OF_EACH,
    JSON.stringify(serials),
    placeOf('note', query),
    query.limit + 1,
  )
  let chars = 0
  for (const [text, serial, place] of rows) {
    rowsOf[place]?.push([text, serial])
    chars += text.length
    if (chars > query.maxChars) break
  }
  return new Map(query.dealIds.map((id, place) => [id, pageOf(newestFirst(rowsOf[place] ?? []), query.limit)]))
}

function readNotesOf(db: Connection, dealId: string, query: NotesQuery): TextPage {
  const [serial, place] = [decodeId('deal', dealId) ?? 0, placeOf('note', query)]
  return readPage(query.limit, (count, column) =>
    db.all<ReadRow>(
      `SELECT ${pageColumn(column, '?2')} FROM notes INDEXED BY notes_by_deal WHERE deal_id = ?3 AND id < ?1 ORDER BY id DESC LIMIT ?2 + 0`,
      place,
      count,
      serial,
    ),
  )
}

function newestFirst(rows: readonly NoteRow[]): readonly NoteRow[] {
  return rows.toSorted(([, left], [, right]) => right - left)
}
