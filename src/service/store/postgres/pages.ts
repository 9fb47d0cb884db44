import { decodeId, encodeId } from '../../../core/ids.ts'
import { type OpenResource, RESOURCES, type StoredResource } from '../../../core/resources/registry.ts'
import { countFitting, hasText, type PageColumn, pageColumn, type ReadRow } from '../page-bytes.ts'
import { idOf, pageOf, placeOf } from '../page-rules.ts'
import type { DealFilters, JoinedPage, NotesQuery, PageQuery, PlainFilters, StoredRecord, TextPage } from '../store.ts'
import type { Session } from './database.ts'
import { dealsStatement, plainStatement, readRows } from './filter-query.ts'
import { findRows } from './pending-records.ts'

export async function readRecords(
  session: Session,
  resource: OpenResource | 'webhook',
  query: PageQuery,
): Promise<TextPage> {
  const place = placeOf(resource, query)
  return readPage(query.limit, (count, column) =>
    session.all<ReadRow>(
      `SELECT ${pageColumn(column, '$2::bigint')} FROM ${RESOURCES[resource].plural} WHERE id < $1 ORDER BY id DESC
        LIMIT $2::bigint`,
      place,
      count,
    ),
  )
}

/**
 * Reads once, where no record is so large that the page may be; `read` gives the newest rows of a walk. Another process may
 * write between the reads, so the last one finds out whether there is a next page.
 */
async function readPage(
  limit: number,
  read: (count: number, column: PageColumn) => Promise<readonly ReadRow[]>,
): Promise<TextPage> {
  const rows = await read(limit + 1, 'small')
  if (rows.every(hasText)) return pageOf(rows, limit)
  const fitting = countFitting((await read(limit, 'size')).map(([size]) => Number(size)))
  return pageOf((await read(fitting + 1, 'text')).filter(hasText), fitting)
}

/**
 * PostgreSQL joins the texts; an aggregate reads the rows of a subquery in its order. One row more than the page shows whether
 * there is a next one: for EXISTS, the planner may read the whole table after the last page.
 */
export async function joinRecords(session: Session, resource: OpenResource, query: PageQuery): Promise<JoinedPage> {
  const [text, lastText, hasMore, isWholePage] =
    (await session.get<[string | null, string | null, boolean | null, boolean | null]>(
      `SELECT array_to_string(texts[:$2::int], ','), texts[$2::int], cardinality(texts) > $2::int,
        array_position(texts, NULL) IS NULL FROM (
        SELECT array_agg(text) AS texts FROM (
          SELECT ${pageColumn('small', '$2::int')} FROM ${RESOURCES[resource].plural} WHERE id < $1
          ORDER BY id DESC LIMIT $2::int + 1
        ) AS page) AS gathered`,
      placeOf(resource, query),
      query.limit,
    )) ?? []
  if (isWholePage === false) {
    const { texts, nextOlderThanId } = await readRecords(session, resource, query)
    return { text: texts.join(','), nextOlderThanId }
  }
  return { text: text ?? '', nextOlderThanId: hasMore && lastText ? idOf(lastText) : undefined }
}

export async function readFiltered(
  session: Session,
  resource: OpenResource,
  query: PageQuery,
  filters: PlainFilters,
): Promise<TextPage> {
  const belowSerial = placeOf(resource, query)
  return readPage(query.limit, (count, column) =>
    readRows(session, plainStatement(resource, filters, { belowSerial, count, column })),
  )
}

export async function readDeals(session: Session, query: PageQuery, filters: DealFilters): Promise<TextPage> {
  const belowSerial = placeOf('deal', query)
  return readPage(query.limit, (count, column) =>
    readRows(session, dealsStatement(filters, { belowSerial, count, column })),
  )
}

/**
 * Reading stops beyond the length in total, and the last deals then have too few notes. Two bounds on deal and id stand for the
 * equality, as in filter-query.ts: a deal may have far more notes than most.
 */
export async function readNotes(session: Session, query: NotesQuery): Promise<ReadonlyMap<string, TextPage>> {
  const [only] = query.dealIds
  if (only !== undefined && query.dealIds.length === 1)
    return new Map([[only, await readNotesOf(session, only, query)]])
  const rows = await session.all<readonly [string, number]>(
    `SELECT text, place FROM (
        SELECT notes.text, deal.place, notes.id, sum(length(notes.text)) OVER (ORDER BY deal.place, notes.id DESC) AS chars
        FROM unnest($1::bigint[]) WITH ORDINALITY AS deal (id, place)
        CROSS JOIN LATERAL (
          SELECT id, text FROM notes WHERE (deal_id, -id) > (deal.id, -$2::bigint) AND (deal_id, -id) <= (deal.id, 0)
          ORDER BY deal_id, -id LIMIT $3
        ) AS notes
      ) AS found WHERE chars - length(text) <= $4 ORDER BY place, id DESC`,
    // Serials start at 1, so 0 matches no deal.
    query.dealIds.map((id) => decodeId('deal', id) ?? 0),
    placeOf('note', query),
    query.limit + 1,
    // A bigint has no infinity.
    Math.min(query.maxChars, Number.MAX_SAFE_INTEGER),
  )
  const rowsOf = query.dealIds.map((): [string][] => [])
  for (const [text, place] of rows) rowsOf[place - 1]?.push([text])
  return new Map(query.dealIds.map((id, place) => [id, pageOf(rowsOf[place] ?? [], query.limit)]))
}

async function readNotesOf(session: Session, dealId: string, query: NotesQuery): Promise<TextPage> {
  const [serial, place] = [decodeId('deal', dealId) ?? 0, placeOf('note', query)]
  return readPage(query.limit, (count, column) =>
    session.all<ReadRow>(
      `SELECT ${pageColumn(column, '$3::bigint')} FROM notes
        WHERE (deal_id, -id) > ($1::bigint, -$2::bigint) AND (deal_id, -id) <= ($1::bigint, 0)
        ORDER BY deal_id, -id LIMIT $3::bigint`,
      serial,
      place,
      count,
    ),
  )
}

export async function findRecords(
  session: Session,
  resource: StoredResource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredRecord>> {
  const serials = ids.map((id) => decodeId(resource, id)).filter((serial) => serial !== undefined)
  const rows = await findRows(session, resource, serials)
  return new Map(
    rows.map(([serial, version, text]) => {
      const id = encodeId(resource, serial)
      return [id, { id, version, text }]
    }),
  )
}
