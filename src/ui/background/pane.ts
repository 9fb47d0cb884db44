import type { Api } from '../../api/api.ts'
import type { Page } from '../../api/operations.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import { onFlag } from '../../core/resources/parents.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { type Boards, selectedRow } from '../board.ts'
import { rowId } from '../list/list-state.ts'
import { isServerList, listOfScreen, type ServerList } from '../screens.ts'
import type { RecordHistory, RecordNotes, State, StateStore } from '../state.ts'

/** The cursor must rest this long before a request. */
const REST_MS = 250

interface InPane {
  readonly list: ServerList
  readonly id: string
  /** Changes with the record. */
  readonly version: JsonValue
}

/** The record in the open pane. */
function recordIn(state: State, boards: Boards): InPane | undefined {
  const list = listOfScreen(state.screen)
  if (state.screen === 'home' || !isServerList(list) || !state.lists[list].isDetailOpen) return undefined
  const row = selectedRow(state, boards)
  const id = rowId(row)
  return row && id !== undefined ? { list, id, version: row.version ?? row.updated_at ?? null } : undefined
}

type Load = (wanted: InPane, isWanted: () => boolean) => Promise<void>

/** Calls `load` with what is wanted for the open pane, when that has not changed for a moment; returns a function that ends this. */
function watchPane(store: StateStore<State>, wantedOf: (state: State) => InPane | undefined, load: Load): () => void {
  let timer: NodeJS.Timeout | undefined
  let last: string | undefined
  const unsubscribe = store.subscribe(() => {
    const wanted = wantedOf(store.get())
    const key = wanted && JSON.stringify(wanted)
    if (key === last) return
    last = key
    clearTimeout(timer)
    if (wanted) timer = setTimeout(() => void load(wanted, () => key === last), REST_MS)
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

  async function load({ list, id: recordId }: InPane, isWanted: () => boolean): Promise<void> {
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

  const wantedOf = (state: State) => {
    const wanted = recordIn(state, boards)
    return wanted && !lacking.has(wanted.list) ? { ...wanted, version: null } : undefined
  }
  return watchPane(store, wantedOf, load)
}

const MOST_SHOWN = 5

type OpenApi = () => Promise<Api>

/** Loads the last changes of the record in the open pane, if the server keeps them; returns a function that ends this. */
export function watchHistory(store: StateStore<State>, openApi: OpenApi, boards: Boards): () => void {
  let isOffered = true

  async function load({ list, id: recordId }: InPane, isWanted: () => boolean): Promise<void> {
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

  return watchPane(store, (state) => (isOffered ? recordIn(state, boards) : undefined), load)
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
