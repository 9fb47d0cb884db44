import { decodeId } from '../../../core/ids.ts'
import type { NotesQuery, TextPage } from '../store.ts'
import type { Connection } from './connection.ts'
import type { PageRow } from './deal-query.ts'
import { pageOf, placeOf } from './pages.ts'

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
