import { CrmError } from '../../../core/errors.ts'
import { decodeId, encodeId, LAST_SERIAL } from '../../../core/ids.ts'
import type { DealFilters, PageQuery, TextPage } from '../store.ts'
import type { Connection } from './connection.ts'
import { type PageRow, queryDeals } from './deal-query.ts'

export function readContacts(db: Connection, query: PageQuery): TextPage {
  const belowSerial = placeOf('contact', query)
  const rows = db.all<PageRow>(
    'SELECT text, id FROM contacts WHERE id < ? ORDER BY id DESC LIMIT ?',
    belowSerial,
    query.limit + 1,
  )
  return pageOf('contact', rows, query.limit)
}

export function readDeals(db: Connection, query: PageQuery, filters: DealFilters): TextPage {
  const rows = queryDeals(db, filters, { belowSerial: placeOf('deal', query), count: query.limit + 1 })
  return pageOf('deal', rows, query.limit)
}

function placeOf(kind: 'contact' | 'deal', { olderThanId }: PageQuery): number {
  if (olderThanId === undefined) return LAST_SERIAL + 1
  const serial = decodeId(kind, olderThanId)
  if (serial !== undefined) return serial
  throw new CrmError('bad_request', `the place to go on from is no id of a ${kind}: ${JSON.stringify(olderThanId)}`, {
    hint: 'start the list again, without a cursor',
  })
}

/** One row more than the page was asked for, and so we know whether there is a next one. */
function pageOf(kind: 'contact' | 'deal', rows: readonly PageRow[], limit: number): TextPage {
  const texts = rows.map(([text]) => text)
  if (rows.length <= limit) return { texts, nextOlderThanId: undefined }
  texts.pop()
  const last = rows[limit - 1]
  return { texts, nextOlderThanId: last && encodeId(kind, last[1]) }
}
