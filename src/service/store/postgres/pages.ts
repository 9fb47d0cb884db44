import { decodeId, encodeId } from '../../../core/ids.ts'
import { type PlainResource, RESOURCES, type StoredResource } from '../../../core/resources/registry.ts'
import { idOf, pageOf, placeOf } from '../page-rules.ts'
import type { DealFilters, JoinedPage, NotesQuery, PageQuery, PlainFilters, StoredRecord, TextPage } from '../store.ts'
import type { Session } from './database.ts'
import { dealsStatement, plainStatement, readTexts } from './filter-query.ts'
import { findRows } from './pending-records.ts'

export async function readRecords(
  session: Session,
  resource: PlainResource | 'webhook',
  query: PageQuery,
): Promise<TextPage> {
  const rows = await session.all<[string]>(
    `SELECT text FROM ${RESOURCES[resource].plural} WHERE id < $1 ORDER BY id DESC LIMIT $2`,
    placeOf(resource, query),
    query.limit + 1,
  )
  return pageOf(rows, query.limit)
}

/**
 * PostgreSQL joins the texts; an aggregate reads the rows of a subquery in its order. One row more than the page shows whether
 * there is a next one: for EXISTS, the planner may read the whole table after the last page.
 */
export async function joinRecords(session: Session, resource: PlainResource, query: PageQuery): Promise<JoinedPage> {
  const [text, lastText, hasMore] =
    (await session.get<[string | null, string | null, boolean | null]>(
      `SELECT array_to_string(texts[:$2::int], ','), texts[$2::int], cardinality(texts) > $2::int FROM (
        SELECT array_agg(text) AS texts FROM (
          SELECT text FROM ${RESOURCES[resource].plural} WHERE id < $1 ORDER BY id DESC LIMIT $2::int + 1
        ) AS page) AS gathered`,
      placeOf(resource, query),
      query.limit,
    )) ?? []
  return { text: text ?? '', nextOlderThanId: hasMore && lastText ? idOf(lastText) : undefined }
}

export async function readFiltered(
  session: Session,
  resource: PlainResource,
  query: PageQuery,
  filters: PlainFilters,
): Promise<TextPage> {
  const walk = { belowSerial: placeOf(resource, query), count: query.limit + 1 }
  return pageOf(await readTexts(session, plainStatement(resource, filters, walk)), query.limit)
}

export async function readDeals(session: Session, query: PageQuery, filters: DealFilters): Promise<TextPage> {
  const walk = { belowSerial: placeOf('deal', query), count: query.limit + 1 }
  return pageOf(await readTexts(session, dealsStatement(filters, walk)), query.limit)
}

/**
 * Reading stops beyond the length in total, and the last deals then have too few notes. Two bounds on deal and id stand for the
 * equality, as in filter-query.ts: a deal may have far more notes than most.
 */
export async function readNotes(session: Session, query: NotesQuery): Promise<ReadonlyMap<string, TextPage>> {
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
