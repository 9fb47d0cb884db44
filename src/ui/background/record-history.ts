import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Boards } from '../board.ts'
import { rowId } from '../list/list-state.ts'
import { isServerList, listOfScreen, type ServerList } from '../screens.ts'
import { selectedRow } from '../selected.ts'
import type { RecordHistory, State, StateStore } from '../state.ts'
import { watchPane } from './watch-pane.ts'

/** In the pane. */
const MOST_SHOWN = 5

type OpenApi = () => Promise<Api>

/** Loads the last changes of the record in the open pane, if the server keeps them; returns a function that ends this. */
export function watchHistory(store: StateStore<State>, openApi: OpenApi, boards: Boards): () => void {
  let isOffered = true

  /** Also after a change of the record, which has another version then. */
  function wantedOf(state: State): string | undefined {
    const list = listOfScreen(state.screen)
    if (!isOffered || state.screen === 'home' || !isServerList(list) || !state.lists[list].isDetailOpen)
      return undefined
    const row = selectedRow(state, boards)
    const id = rowId(row)
    return row && id !== undefined ? JSON.stringify([list, id, row.version ?? row.updated_at ?? null]) : undefined
  }

  async function load(wanted: string, isWanted: () => boolean): Promise<void> {
    const [list, recordId] = JSON.parse(wanted) as [ServerList, string]
    const show = (history: RecordHistory | undefined) => {
      if (isWanted()) store.update((state) => ({ ...state, history }))
    }
    try {
      const changes = await changesOfRecord(await openApi(), list, recordId, MOST_SHOWN + 1)
      isOffered = changes !== undefined
      const cut = changes && changes.length > MOST_SHOWN ? 'C shows earlier changes' : undefined
      show(changes && { recordId, changes: changes.slice(0, MOST_SHOWN), cut })
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      if (error.code === 'interrupted') return
      show({ recordId, changes: [], cut: `its changes are not shown: ${error.message}` })
    }
  }

  return watchPane(store, wantedOf, load)
}

/** The newest first; undefined if the server describes no history. */
export async function changesOfRecord(
  api: Pick<Api, 'history'>,
  list: ServerList,
  id: string,
  limit: number,
): Promise<readonly CrmRecord[] | undefined> {
  const record = { resource: resourceOf(list), id }
  if (!api.history.offers()) return undefined
  const changes: CrmRecord[] = []
  for await (const { items } of api.history.list({ record, limit })) changes.push(...items)
  return changes
}

/** The command that prints all of it, and what jobs of this machine did where the server keeps none. */
export function historyCommand(list: ServerList, id: string): string {
  return `crm ${list} history ${shellWord(id)}`
}
