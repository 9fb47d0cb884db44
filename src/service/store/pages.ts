import { decodeId, encodeId } from '../../core/ids.ts'
import { filterFields, type OpenResource, type StoredResource } from '../../core/resources/registry.ts'
import { filterValue } from './change-rules.ts'
import { pageOf, placeOf } from './page-rules.ts'
import { filterColumnName, indexName, tableOf } from './schema.ts'
import { isWanted, type Session, type SqlDialect } from './sql.ts'
import type { JoinedPage, ListedRecord, NotesQuery, PageQuery, RecordFilters, StoredRecord, TextPage } from './store.ts'
import {
  countFitting,
  hasText,
  PAGE_COUNT,
  type PageColumn,
  pageColumn,
  type ReadRow,
  readWalk,
  serialAt,
  type Walked,
} from './walks.ts'

/** A walk over the records of a resource, within times of creation. */
interface RecordWalk extends Walked {
  readonly resource: StoredResource
  readonly createdSinceMs?: number | undefined
  readonly createdUntilMs?: number | undefined
}

export function readRecords(
  session: Session,
  resource: ListedRecord,
  query: PageQuery,
  filters: RecordFilters = {},
): Promise<TextPage> {
  return readWalked(session, walkOf(session.dialect, resource, filters), query)
}

/** Those that leave the fewest rows first. */
const DEAL_COLUMNS = ['name', 'owner_id', 'stage', 'pipeline_id']

/** Each column has an index of its own. */
function walkOf({ bounded }: SqlDialect, resource: ListedRecord, filters: RecordFilters): RecordWalk {
  const { values = {}, amountAtLeast, amountAtMost } = filters
  const table = tableOf(resource)
  const columns = (resource === 'deal' ? DEAL_COLUMNS : filterFields(resource)).map((name) => {
    // No row has the empty text.
    const wanted = (values[name] ?? []).map((value) => bounded(filterValue(resource, name, value) ?? ''))
    const column = filterColumnName(resource, name)
    return { name: column, index: indexName(table, column), type: 'text', values: wanted } as const
  })
  const bounds: (readonly [string, number])[] = []
  if (amountAtLeast !== undefined) bounds.push(['amount >=', amountAtLeast])
  if (amountAtMost !== undefined) bounds.push(['amount <=', amountAtMost])
  return { ...filters, resource, table, columns, bounds }
}

/**
 * Reads once, where no record is so large that the page may be. Another write may come between the reads, so the last one finds
 * out whether there is a next page.
 */
async function readWalked(session: Session, walk: RecordWalk, query: PageQuery): Promise<TextPage> {
  const { limit } = query
  const { createdSinceMs, createdUntilMs } = walk
  const place = placeOf(walk.resource, query)
  const below = createdUntilMs === undefined ? place : Math.min(place, serialAt(Math.floor(createdUntilMs) + 1))
  const least = createdSinceMs === undefined ? 0 : serialAt(Math.ceil(createdSinceMs))
  const read = (count: number, column: PageColumn) =>
    readWalk<ReadRow>(session, walk, { below, least, count, select: pageColumn(column, PAGE_COUNT) })
  const rows = await read(limit + 1, 'small')
  if (rows.every(hasText)) return pageOf(rows, limit)
  const fitting = countFitting((await read(limit, 'size')).map(([size]) => Number(size)))
  return pageOf((await read(fitting + 1, 'text')).filter(hasText), fitting)
}

type JoinedRow = readonly [
  text: string | null,
  lastSerial: number | null,
  count: number,
  smallCount: number,
  nextSerial: number | null,
]

/**
 * The database joins the texts, so that one string is created instead of a hundred. An aggregate reads the rows of a subquery
 * with a limit in its order. Whether there is a next page is asked by the order of the key: for EXISTS, PostgreSQL may read the
 * whole table after the last page.
 */
export async function joinRecords(session: Session, resource: OpenResource, query: PageQuery): Promise<JoinedPage> {
  const table = tableOf(resource)
  const [text, lastSerial, count, smallCount, nextSerial] =
    (await session.get<JoinedRow>(
      `SELECT text, last_serial, count, small_count, (SELECT id FROM ${table} WHERE id < last_serial ORDER BY id DESC LIMIT 1) FROM (
        SELECT string_agg(text, ',') AS text, min(id) AS last_serial, count(*) AS count, count(text) AS small_count FROM (
          SELECT id, ${pageColumn('small', PAGE_COUNT)} FROM ${table} WHERE id < $1 ORDER BY id DESC LIMIT ${PAGE_COUNT}
        ) AS page) AS joined`,
      placeOf(resource, query),
      query.limit,
    )) ?? []
  if (smallCount !== count) {
    const { texts, nextOlderThanId } = await readRecords(session, resource, query)
    return { text: texts.join(','), nextOlderThanId }
  }
  const hasMore = nextSerial != null && lastSerial != null
  return { text: text ?? '', nextOlderThanId: hasMore ? encodeId(resource, lastSerial) : undefined }
}

/** Of several deals first the sizes are read, and then the texts up to the length in total, of which the last deals lack some. */
export async function readNotes(session: Session, query: NotesQuery): Promise<ReadonlyMap<string, TextPage>> {
  const { dealIds, limit, maxChars } = query
  // Serials start at 1, so 0 matches no deal.
  const deals = dealIds.map((id) => decodeId('deal', id) ?? 0)
  const [only] = dealIds
  if (only !== undefined && dealIds.length === 1) {
    const columns = [{ name: 'deal_id', index: 'notes_by_deal', type: 'bigint', values: deals }] as const
    return new Map([[only, await readWalked(session, { resource: 'note', table: 'notes', columns }, query)]])
  }
  const found = await session.all<readonly [dealSerial: number, serial: number, size: number]>(
    session.dialect.newestOfEach('notes', 'deal_id', 'notes_by_deal'),
    ...[deals, limit + 1, placeOf('note', query)],
  )
  const ofDeal = Map.groupBy(found, ([deal]) => deal)
  let chars = 0
  const pages = deals.map((deal) =>
    (ofDeal.get(deal) ?? [])
      .toSorted(([, one], [, other]) => other - one)
      .filter(([, , size]) => {
        const isRead = chars <= maxChars
        chars += size
        return isRead
      })
      .map(([, serial]) => serial),
  )
  const rows = await findRows(session, 'note', pages.flat())
  const texts = new Map(rows.map(([serial, , text]) => [serial, text]))
  const textsOf = (serials: readonly number[] = []) => serials.flatMap((serial) => texts.get(serial) ?? [])
  return new Map(
    dealIds.map((id, place) => [
      id,
      pageOf(
        textsOf(pages[place]).map((text) => [text]),
        limit,
      ),
    ]),
  )
}

/** Without unknown ids, and ids of another resource. */
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

export async function findRows(
  { all, dialect }: Session,
  resource: StoredResource,
  serials: readonly number[],
): Promise<readonly (readonly [serial: number, version: number, text: string])[]> {
  if (serials.length === 0) return []
  const [condition, wanted] = isWanted(dialect, 'id', serials)
  return all(`SELECT id, version, text FROM ${tableOf(resource)} WHERE ${condition}`, wanted)
}
