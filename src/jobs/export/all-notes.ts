import type { Api } from '../../api/api.ts'
import type { Page } from '../../api/operations.ts'
import { idText } from '../../core/json.ts'
import { listParts } from '../plan/planning.ts'

/** Lists of notes that are read at the same time. */
const LISTS_AT_ONCE = 8

/** The notes of these deals, each with the id of its deal; on a server with one list of notes, all of them. */
export async function* notesOfDeals(api: Api, dealIds: readonly string[]): AsyncGenerator<Page, void, undefined> {
  for (let at = 0; at < dealIds.length; at += LISTS_AT_ONCE) {
    const lists = dealIds.slice(at, at + LISTS_AT_ONCE).map(async (dealId) => {
      const pages: Page[] = []
      for await (const page of listParts(api, 'note', [dealId])) {
        pages.push({ ...page, items: page.items.map((note) => ({ ...note, deal_id: note.deal_id ?? dealId })) })
      }
      return pages
    })
    for (const pages of await Promise.all(lists)) yield* pages
  }
}

/** The notes of all deals. CrmError `not_supported` if the server does not list them. */
export async function* allNotes(api: Api): AsyncGenerator<Page, void, undefined> {
  api.require('note', 'list')
  if (api.connector.hasOneList('note')) {
    yield* api.notes().list()
    return
  }
  for await (const { items } of api.deals.list()) {
    yield* notesOfDeals(
      api,
      items.flatMap(({ id }) => idText(id) ?? []),
    )
  }
}
