import type { CrmRecord } from '../core/resources/registry.ts'
import type { SavedFilter } from '../settings/browse-document.ts'
import type { KeptChange, KeptForm } from '../settings/kept-changes.ts'
import type { TimeStyle } from './list/columns.ts'
import { emptyList, type ListState } from './list/list-state.ts'
import { type Look, PLAIN_LOOK } from './look/theme.ts'
import type { Confirmation, Overlay, Prompt } from './overlay.ts'
import {
  allLists,
  CONTRACT_OFFERED,
  isServerList,
  type ListName,
  listOfScreen,
  type Offered,
  type ScreenName,
  type ServerList,
} from './screens.ts'
import { textInput } from './text/text-input.ts'

export interface Toast {
  readonly id: number
  readonly type: 'done' | 'problem' | 'wait'
  readonly text: string
  /** What to do about it; never cut. */
  readonly remedy?: string | undefined
  readonly seconds: number
  /** The list that it concerns, if a later success removes it. */
  readonly topic: string | undefined
}

/** The selected column, by the name of its stage, and the deal in it. */
export interface BoardState {
  readonly column: number
  readonly card: number
  /** In the order of the pipeline; undefined until the server has answered. */
  readonly stages: readonly CrmRecord[] | undefined
}

export interface ServerPlace {
  readonly text: string
  readonly isProtected: boolean
  /** For `-p` of the same command line; undefined where it needs none. */
  readonly profile?: string | undefined
}

export interface ReceiverState {
  readonly url: string
  /** New events are shown on top until the cursor is moved. */
  readonly isFollowing: boolean
}

export interface RecordNotes {
  readonly list: ServerList
  readonly recordId: string
  readonly items: readonly CrmRecord[]
  /** Why these are not all notes, or may not be; undefined where they are all. */
  readonly cut: string | undefined
}

export interface RecordHistory {
  readonly recordId: string
  readonly changes: readonly CrmRecord[]
  readonly cut: string | undefined
}

export interface SendProgress {
  readonly total: number
  readonly ended: number
  readonly failed: number
  readonly perSecond: number
  /** Why nothing is being sent; undefined when it goes on. */
  readonly pausedBy: string | undefined
  /** The job, if it is one; others can only be sent again from the list. */
  readonly jobId: string | undefined
  readonly isStopping: boolean
}

export interface UnderWayWork {
  readonly id: number
  readonly what: string
  /** Undefined for a single request. */
  readonly progress: SendProgress | undefined
}

export interface State {
  readonly screen: ScreenName
  /** Where Esc leads from the log. */
  readonly screenBefore: ScreenName
  readonly lists: Readonly<Record<ListName, ListState>>
  readonly board: BoardState
  readonly overlay: Overlay | undefined
  readonly toasts: readonly Toast[]
  readonly place: ServerPlace
  readonly offered: Offered
  readonly columns: number
  readonly rows: number
  /** Keys of an incomplete sequence, such as the first g of gg. */
  readonly pendingKeys: string
  /** How far the pane of this row is scrolled; 0 for any other row. */
  readonly pane: { readonly rowId: string | undefined; readonly top: number }
  /** A request takes longer than a moment. */
  readonly isSlow: boolean
  readonly underWay: readonly UnderWayWork[]
  readonly shellTitle: string | undefined
  /** What earlier sessions kept: forms that were not opened yet, and changes of earlier versions that were not sent. */
  readonly kept: { readonly forms: readonly KeptForm[]; readonly changes: readonly KeptChange[] }
  /** Identifies the answer to quit when all is sent; undefined when there is none, or it was revoked. */
  readonly leaving: symbol | undefined
  /** The receiver that this process runs; undefined where there is none. */
  readonly listening: ReceiverState | undefined
  /** Whether the jobs of other servers are shown, and how many they are. */
  readonly jobs: { readonly isOfAll: boolean; readonly others: number }
  /** Notes of the record that the detail pane shows; undefined where the server cannot list them. */
  readonly notes: RecordNotes | undefined
  /** The last changes of the record that the detail pane shows; undefined where the server keeps none. */
  readonly history: RecordHistory | undefined
  readonly look: Look
  readonly saved: Readonly<Record<string, SavedFilter>>
  readonly chosenColumns: Readonly<Partial<Record<ListName, readonly string[] | undefined>>>
  readonly times: TimeStyle
  /** Why the server does not show subscriptions, or only their deliveries; undefined where it does, or was not asked. */
  readonly webhooks: { readonly lack: string | undefined; readonly deliveriesLack: string | undefined }
  /** `isFirst`: crm browse opens Home, whatever was shown last. */
  readonly home: { readonly top: number; readonly isFirst: boolean }
  /** The terminal reports the mouse, and selects no text itself. */
  readonly isMouseOn: boolean
}

export function initialState(screen: ScreenName, place: ServerPlace, size: { columns: number; rows: number }): State {
  const lists = Object.fromEntries(allLists().map((name) => [name, emptyListOf(name, size.columns)]))
  return {
    ...{ screen, screenBefore: screen === 'log' ? 'contacts' : screen, place, offered: CONTRACT_OFFERED },
    ...size,
    lists: lists as Record<ListName, ListState>,
    board: { column: 0, card: 0, stages: undefined },
    pane: { rowId: undefined, top: 0 },
    ...{ overlay: undefined, toasts: [], pendingKeys: '', isSlow: false, underWay: [], shellTitle: undefined },
    kept: { forms: [], changes: [] },
    jobs: { isOfAll: false, others: 0 },
    ...{ leaving: undefined, listening: undefined, notes: undefined, history: undefined, look: PLAIN_LOOK },
    times: { nowMs: Date.now(), isWhole: false },
    home: { top: 0, isFirst: false },
    ...{ saved: {}, chosenColumns: {}, isMouseOn: false, webhooks: { lack: undefined, deliveriesLack: undefined } },
  }
}

/** From this width on the record under the cursor is shown beside its list. */
const WIDE_SCREEN = 140

function emptyListOf(name: ListName, columns: number): ListState {
  return { ...emptyList(''), isDetailOpen: columns >= WIDE_SCREEN && isServerList(name) }
}

export function withNewLists(state: State): State {
  const added = allLists().filter((name) => !Object.hasOwn(state.lists, name))
  const empty = added.map((name) => [name, emptyListOf(name, state.columns)])
  return { ...state, lists: { ...state.lists, ...Object.fromEntries(empty) } }
}

export function showOverlay({ store }: { readonly store: StateStore<State> }, overlay: Overlay | undefined): void {
  store.update((state) => ({ ...state, overlay }))
}

type Line = Omit<Prompt, 'type' | 'input' | 'enter'> & {
  readonly text?: string
  readonly enter: string | Prompt['enter']
}

/** Asks for one line; `enter` says what Enter does. */
export function askLine(ui: { readonly store: StateStore<State> }, { text, enter, ...line }: Line): void {
  const enters = typeof enter === 'string' ? () => enter : enter
  showOverlay(ui, { type: 'prompt', ...line, input: textInput(text), enter: enters })
}

type Question = Omit<Confirmation, 'type' | 'isOnCancel' | 'input' | 'expected'> & {
  readonly expected?: string | undefined
}

/** Asks whether to do something, with Cancel preselected; `expected` is a text to type. */
export function askFirst(ui: { readonly store: StateStore<State> }, { expected, ...question }: Question): void {
  showOverlay(ui, { type: 'confirm', ...question, isOnCancel: true, expected, input: textInput() })
}

export function currentList(state: State): ListState {
  return state.lists[listOfScreen(state.screen)]
}

export function withList(state: State, name: ListName, change: (list: ListState) => ListState): State {
  const list = change(state.lists[name])
  return list === state.lists[name] ? state : { ...state, lists: { ...state.lists, [name]: list } }
}

export function withCurrentList(state: State, change: (list: ListState) => ListState): State {
  return withList(state, listOfScreen(state.screen), change)
}

/** State outside React, so that work continues, and can be tested, without a screen. */
export interface StateStore<State> {
  get(): State
  update(change: (state: State) => State): void
  subscribe(listener: () => void): () => void
}

export function createStore<State>(initial: State): StateStore<State> {
  let state = initial
  const listeners = new Set<() => void>()
  return {
    get: () => state,
    update: (change) => {
      const next = change(state)
      if (next === state) return
      state = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
