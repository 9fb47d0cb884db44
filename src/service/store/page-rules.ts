import { CrmError } from '../../core/errors.ts'
import { decodeId, LAST_SERIAL } from '../../core/ids.ts'
import { RESOURCES, type StoredResource } from '../../core/resources/registry.ts'
import type { PageQuery, TextPage } from './store.ts'

/** The serial below which a page starts. CrmError `bad_request` for a start that is not an id of the resource. */
export function placeOf(resource: StoredResource, { olderThanId }: PageQuery): number {
  if (olderThanId === undefined) return LAST_SERIAL + 1
  const serial = decodeId(resource, olderThanId)
  if (serial !== undefined) return serial
  throw new CrmError(
    'bad_request',
    `the start of the page is not the id of a ${RESOURCES[resource].singular}: ${JSON.stringify(olderThanId)}`,
    { hint: 'start the list again, without a cursor' },
  )
}

/**
 * Queries return one row more than the page, which shows whether there is a next one. The next place is read from the last
 * text, as a column of ids would add a fifth to the query time.
 */
export function pageOf(rows: readonly (readonly [text: string, ...unknown[]])[], limit: number): TextPage {
  const texts = rows.map(([text]) => text)
  if (rows.length <= limit) return { texts, nextOlderThanId: undefined }
  texts.pop()
  return { texts, nextOlderThanId: idOf(texts.at(-1) ?? '') }
}

function idOf(text: string): string {
  return (JSON.parse(text) as { id: string }).id
}
