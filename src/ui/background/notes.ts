import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { rowId } from '../list/list-state.ts'
import type { Boards } from '../pipelines/board.ts'
import { selectedRow } from '../selected.ts'
import type { State, Store } from '../state.ts'

/** The cursor must rest this long before a request. */
const REST_MS = 250
const MOST_NOTES = 50

/** Loads the notes of the deal in the open pane, if the server lists notes; returns a function that ends this. */
export function watchNotes(store: Store<State>, openApi: () => Promise<Api>, boards: Boards): () => void {
  let timer: NodeJS.Timeout | undefined
  let wanted: string | undefined
  let isOffered = true

  async function load(dealId: string): Promise<void> {
    try {
      const { graphql } = await openApi()
      const items: CrmRecord[] = []
      const query = { limit: MOST_NOTES, cursor: undefined, filters: {} }
      for await (const page of graphql.notes(dealId, query)) items.push(...page.items)
      if (dealId === wanted) store.update((state) => ({ ...state, notes: { dealId, items } }))
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      // The pane is usable without notes; errors of the server are shown elsewhere.
      isOffered = error.code !== 'not_supported'
    }
  }

  const unsubscribe = store.subscribe(() => {
    const state = store.get()
    const isOpen = (state.screen === 'deals' || state.screen === 'pipelines') && state.lists.deals.isDetailOpen
    const dealId = isOpen && isOffered ? rowId(selectedRow(state, boards)) : undefined
    if (dealId === wanted) return
    wanted = dealId
    clearTimeout(timer)
    if (dealId !== undefined) timer = setTimeout(() => void load(dealId), REST_MS)
  })
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}
