import type { Api } from '../../api/api.ts'
import type { Page } from '../../api/operations.ts'
import { CrmError } from '../../core/errors.ts'
import { onFlag } from '../../core/resources/parents.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { type Boards, selectedRow } from '../board.ts'
import { rowId } from '../list/list-state.ts'
import { isServerList, listOfScreen, type ServerList } from '../screens.ts'
import type { RecordHistory, RecordNotes, State, StateStore } from '../state.ts'

/** The cursor must rest this long before a request. */
const REST_MS = 250

/**
 * Calls `load` with what the open pane wants, when that has not changed for a moment; returns a function that ends this. Its
 * second argument tells whether it is still wanted.
 */
function watchPane(
  store: StateStore<State>,
  wantedOf: (state: State) => string | undefined,
  load: (wanted: string, isWanted: () => boolean) => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | undefined
  let last: string | undefined
  const unsubscribe = store.subscribe(() => {
    const wanted = wantedOf(store.get())
    if (wanted === last) return
    last = wanted
    clearTimeout(timer)
    if (wanted !== undefined) timer = setTimeout(() => void load(wanted, () => wanted === last), REST_MS)
  })
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}

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
