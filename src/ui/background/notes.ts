import type { Api } from '../../api/api.ts'
import type { Page } from '../../api/operations.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Boards } from '../board.ts'
import { rowId } from '../list/list-state.ts'
import { selectedRow } from '../selected.ts'
import type { DealNotes, State, StateStore } from '../state.ts'
import { watchPane } from './watch-pane.ts'

const MOST_NOTES = 50

/** Loads the notes of the deal in the open pane, if the server lists notes; returns a function that ends this. */
export function watchNotes(store: StateStore<State>, openApi: () => Promise<Api>, boards: Boards): () => void {
  let isOffered = true

  async function load(dealId: string, isWanted: () => boolean): Promise<void> {
    const items: CrmRecord[] = []
    const show = (notes: DealNotes) => {
      if (isWanted()) store.update((state) => ({ ...state, notes }))
    }
    try {
      const cut = await collect(dealId, items)
      show({ dealId, items, cut })
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      isOffered = error.code !== 'not_supported'
      if (!isOffered || error.code === 'interrupted') return
      const shown = items.length === 0 ? 'no notes are shown' : `only ${items.length} notes are shown`
      show({ dealId, items, cut: `${shown}: ${error.message}` })
    }
  }

  /** Why these are not all, or undefined. */
  async function collect(dealId: string, items: CrmRecord[]): Promise<string | undefined> {
    const api = await openApi()
    let last: Page | undefined
    for await (const page of api.notes(dealId).list({ limit: MOST_NOTES })) {
      items.push(...page.items)
      last = page
    }
    const isWhole = !last || (last.nextCursor === undefined && !last.isCut && !last.rest)
    return isWhole ? undefined : `only ${items.length} notes are shown: crm notes list ${shellWord(dealId)}`
  }

  return watchPane(
    store,
    (state) => {
      const isOpen = (state.screen === 'deals' || state.screen === 'pipelines') && state.lists.deals.isDetailOpen
      return isOpen && isOffered ? rowId(selectedRow(state, boards)) : undefined
    },
    load,
  )
}
