import { decodeId, encodeId } from '../../../core/ids.ts'
import { type PlainResource, RESOURCES } from '../../../core/resources/registry.ts'
import { pageOf, placeOf } from '../page-rules.ts'
import type { DealFilters, JoinedPage, NotesQuery, PageQuery, PlainFilters, TextPage } from '../store.ts'
import type { Connection } from './connection.ts'
import { type PageRow, queryDeals, queryPlain } from './filter-query.ts'

export function readRecords(db: Connection, resource: PlainResource | 'webhook', query: PageQuery): TextPage {
  const rows = db.all<[string]>(
    `SELECT text FROM ${RESOURCES[resource].plural} WHERE id < ? ORDER BY id DESC LIMIT ? + 0`,
    placeOf(resource, query),
    query.limit + 1,
  )
  return pageOf(rows, query.limit)
}

/**
 * SQLite joins the texts, so that one string is created instead of a hundred. An aggregate reads the rows of a subquery with
 * a limit in its order.
 */
export function joinRecords(db: Connection, resource: PlainResource, query: PageQuery): JoinedPage {
  const table = RESOURCES[resource].plural
  const [text, lastSerial, count] =
    db.get<[string | null, number | null, number]>(
      `SELECT group_concat(text, ','), min(id), count(*)
        FROM (SELECT id, text FROM ${table} WHERE id < ? ORDER BY id DESC LIMIT ? + 0)`,
      placeOf(resource, query),
      query.limit,
    ) ?? []
  const isFull = count === query.limit && typeof lastSerial === 'number'
  const hasMore = isFull && db.get(`SELECT 1 FROM ${table} WHERE id < ? LIMIT 1`, lastSerial) !== undefined
  return { text: text ?? '', nextOlderThanId: hasMore ? encodeId(resource, lastSerial) : undefined }
}

export function readFiltered(
  db: Connection,
  resource: PlainResource,
  query: PageQuery,
  filters: PlainFilters,
): TextPage {
  const walk = { belowSerial: placeOf(resource, query), count: query.limit + 1 }
  return pageOf(queryPlain(db, resource, filters, walk), query.limit)
}

export function readDeals(db: Connection, query: PageQuery, filters: DealFilters): TextPage {
  const rows = queryDeals(db, filters, { belowSerial: placeOf('deal', query), count: query.limit + 1 })
  return pageOf(rows, query.limit)
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
  const rowsOf = query.dealIds.map((): PageRow[] => [])
  // Serials start at 1, so 0 matches no deal.
  const serials = query.dealIds.map((id) => decodeId('deal', id) ?? 0)
  const rows = db.iterate<readonly [...PageRow, place: number]>(
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

function newestFirst(rows: readonly PageRow[]): readonly PageRow[] {
  return rows.toSorted(([, left], [, right]) => right - left)
}
