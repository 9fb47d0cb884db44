import type { Api } from '../../api/api.ts'
import type { Page } from '../../api/operations.ts'
import { CrmError } from '../../core/errors.ts'
import { onFlag } from '../../core/resources/parents.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Boards } from '../board.ts'
import { rowId } from '../list/list-state.ts'
import { isServerList, listOfScreen, type ServerList } from '../screens.ts'
import { selectedRow } from '../selected.ts'
import type { RecordNotes, State, StateStore } from '../state.ts'
import { watchPane } from './watch-pane.ts'

const MOST_NOTES = 50

/** Loads the notes of the record in the open pane, if the server lists notes on it; returns a function that ends this. */
export function watchNotes(store: StateStore<State>, openApi: () => Promise<Api>, boards: Boards): () => void {
  /** The lists whose records have none. */
  const lacking = new Set<ServerList>()

  async function load(wanted: string, isWanted: () => boolean): Promise<void> {
    const [list, recordId] = JSON.parse(wanted) as [ServerList, string]
    const items: CrmRecord[] = []
    const show = (notes: RecordNotes) => {
      if (isWanted()) store.update((state) => ({ ...state, notes }))
    }
    try {
      const cut = await collect(list, recordId, items)
      show({ list, recordId, items, cut })
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      // `usage`: the server has notes on other records alone.
      if (error.code === 'not_supported' || error.code === 'usage') return void lacking.add(list)
      if (error.code === 'interrupted') return
      const shown = items.length === 0 ? 'no notes are shown' : `only ${items.length} notes are shown`
      show({ list, recordId, items, cut: `${shown}: ${error.message}` })
    }
  }

  /** Why these are not all, or undefined. */
  async function collect(list: ServerList, id: string, items: CrmRecord[]): Promise<string | undefined> {
    const api = await openApi()
    const of = resourceOf(list)
    let last: Page | undefined
    for await (const page of api.notes({ of, id }).list({ limit: MOST_NOTES })) {
      items.push(...page.items)
      last = page
    }
    const isWhole = !last || (last.nextCursor === undefined && !last.isCut && !last.rest)
    return isWhole ? undefined : `only ${items.length} notes are shown: crm notes list ${shellWord(id)}${onFlag(of)}`
  }

  return watchPane(
    store,
    (state) => {
      const list = listOfScreen(state.screen)
      if (!isServerList(list) || !state.lists[list].isDetailOpen || lacking.has(list)) return undefined
      const id = rowId(selectedRow(state, boards))
      return id === undefined ? undefined : JSON.stringify([list, id])
    },
    load,
  )
}
