import type { Api } from '../api/api.ts'
import type { Page } from '../api/operations.ts'
import type { SnapshotEnd, SnapshotEntry, SnapshotStart, SnapshotType } from './entry.ts'

/** All contacts and deals of the server, in batches of a page. */
export async function* liveEntries({
  contacts,
  deals,
}: Pick<Api, 'contacts' | 'deals'>): AsyncGenerator<SnapshotEntry[]> {
  yield* entriesOf('contact', contacts.list())
  yield* entriesOf('deal', deals.list())
}

/** A snapshot as text, one chunk per page. */
export async function* snapshotText(
  api: Pick<Api, 'contacts' | 'deals'>,
  start: Omit<SnapshotStart, 'crm_snapshot'>,
): AsyncGenerator<string> {
  yield `${JSON.stringify({ crm_snapshot: 1, ...start } satisfies SnapshotStart)}\n`
  const counts = { contact: 0, deal: 0 }
  for await (const entries of liveEntries(api)) {
    for (const { type } of entries) counts[type] += 1
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  }
  const end: SnapshotEnd = { type: 'end', contacts: counts.contact, deals: counts.deal }
  yield `${JSON.stringify(end)}\n`
}

async function* entriesOf(type: SnapshotType, pages: AsyncIterable<Page>): AsyncGenerator<SnapshotEntry[]> {
  for await (const { items } of pages) yield items.map((record) => ({ type, record }))
}
