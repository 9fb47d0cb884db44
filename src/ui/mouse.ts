import { runAction, runById } from './actions/keymap.ts'
import { openScreen } from './actions/open-screen.ts'
import { type Boards, clampBoard, moveOnBoard } from './board.ts'
import { tabAt } from './components/bars.tsx'
import { visibleTop } from './components/table.tsx'
import { moveTo, shownCount } from './list/list-state.ts'
import { type Areas, areasOf, hasRateLine, listHeight } from './look/areas.ts'
import { pressInOverlay } from './overlay-keys.ts'
import { cardAt } from './screens/pipelines.tsx'
import { listOfScreen, type ScreenName } from './screens.ts'
import { type State, type StateStore, showOverlay, withCurrentList } from './state.ts'
import type { Action, Ui } from './ui.ts'
import { action } from './ui.ts'

/** A report of SGR mouse mode (xterm, DECSET 1006); columns and rows count from 0. */
export interface MouseReport {
  readonly button: 'left' | 'wheel-up' | 'wheel-down' | 'other'
  readonly x: number
  readonly y: number
  readonly isPress: boolean
}

const ESC = '\x1b'

/** Buttons and wheel, not motion; coordinates beyond 223 need the second mode. */
const MOUSE_ON = `${ESC}[?1000h${ESC}[?1006h`
const MOUSE_OFF = `${ESC}[?1006l${ESC}[?1000l`

const REPORT = new RegExp(`${ESC}\\[<(\\d+);(\\d+);(\\d+)([Mm])`, 'g')
/** The beginning of a report; ESC alone is a key. */
const BEGINNING = new RegExp(`${ESC}\\[(?:<[\\d;]*)?$`)

/**
 * Takes the reports out of what the screens read: Ink drops them. Returns a function that stops. Input without a report is passed on
 * unchanged, and a report that is cut is held until the rest arrives.
 */
export function watchMouse(stdin: NodeJS.ReadStream, onReport: (report: MouseReport) => void): () => void {
  const read = stdin.read
  let held = ''
  function readWithout(size?: number): unknown {
    const chunk: unknown = read.call(stdin, size)
    if (typeof chunk !== 'string') return chunk
    const text = held + chunk
    for (const [, code, x, y, end] of text.matchAll(REPORT)) {
      onReport(reportOf(Number(code), { x: Number(x) - 1, y: Number(y) - 1, isPress: end === 'M' }))
    }
    const rest = text.replace(REPORT, '')
    held = BEGINNING.exec(rest)?.[0] ?? ''
    // With null, the reader would wait for an event that does not come while it has not read to the end.
    return rest.slice(0, rest.length - held.length) || readWithout(size)
  }
  stdin.read = readWithout
  return () => {
    if (stdin.read === readWithout) stdin.read = read
  }
}

const SHIFT_META_CTRL = 4 + 8 + 16

function reportOf(code: number, at: Omit<MouseReport, 'button'>): MouseReport {
  const button = code & ~SHIFT_META_CTRL
  const names: Readonly<Record<number, MouseReport['button']>> = { 0: 'left', 64: 'wheel-up', 65: 'wheel-down' }
  return { button: names[button] ?? 'other', ...at }
}

export type Hit =
  | { readonly on: 'tab'; readonly screen: ScreenName }
  | { readonly on: 'row'; readonly position: number }
  | { readonly on: 'card'; readonly column: number; readonly card: number }
  | { readonly on: 'option'; readonly index: number }
  | { readonly on: 'pane' }

export type ScreenPoint = { readonly x: number; readonly y: number }

/** Header, place and column headers are above the rows. */
const ROWS_FROM = 3

function hitAt(state: State, boards: Boards, place: ScreenPoint): Hit | undefined {
  if (state.overlay) return optionAt(state, place)
  if (place.y > 0) return bodyAt(state, boards, place)
  const screen = tabAt(state, place.x)
  return screen && { on: 'tab', screen }
}

function optionAt({ overlay, rows }: State, { y }: ScreenPoint): Hit | undefined {
  const options = overlay?.type === 'choice' ? overlay.options : []
  // The last row is the border of its panel.
  const index = y - (rows - 1 - options.length)
  return index >= 0 && index < options.length ? { on: 'option', index } : undefined
}

function bodyAt(state: State, boards: Boards, { x, y }: ScreenPoint): Hit | undefined {
  if (state.screen === 'home') return undefined
  const list = state.lists[listOfScreen(state.screen)]
  const areas = areasOf(state, list.isDetailOpen)
  const { listColumns, listRows } = areas
  const line = y - ROWS_FROM - Number(hasRateLine(state))
  if (isInPane(areas, { x, y: line })) return { on: 'pane' }
  if (line >= listRows || x >= listColumns) return undefined
  if (state.screen !== 'pipelines') {
    const position = visibleTop(list, listRows) + line
    return line >= 0 && position < shownCount(list) ? { on: 'row', position } : undefined
  }
  const columns = boards(list, state.board.stages)
  const area = { width: listColumns, height: listRows + 1 }
  const card = cardAt(columns, clampBoard(state.board, columns), area, { x, y: line + 1 })
  return card && { on: 'card', ...card }
}

/** `y` counts from the first row of the list. */
function isInPane({ detail, listColumns, listRows }: Areas, { x, y }: ScreenPoint): boolean {
  if (!detail) return false
  if (detail.isBeside) return x > listColumns && y < listRows
  return y > listRows && y <= listRows + detail.rows
}

const WHEEL_LINES = 3
const DOUBLE_MS = 400

/** Handles the reports of the mouse: a click selects, a double click opens, the wheel scrolls. */
export function createMouse(ui: Ui): (report: MouseReport) => void {
  let last: { readonly hit: string; readonly ms: number } | undefined
  return (report) => {
    if (!ui.store.get().isMouseOn || !report.isPress) return
    if (report.button === 'wheel-up') return void wheel(ui, report, 'up')
    if (report.button === 'wheel-down') return void wheel(ui, report, 'down')
    const hit = hitAt(ui.store.get(), ui.boards, report)
    const key = JSON.stringify(hit)
    const ms = ui.world.now()
    const isDouble = last !== undefined && last.hit === key && ms - last.ms <= DOUBLE_MS
    last = isDouble || !hit ? undefined : { hit: key, ms }
    if (hit && report.button === 'left') select(ui, hit, isDouble)
  }
}

function wheel(ui: Ui, report: MouseReport, way: 'down' | 'up'): void {
  const { overlay, screen } = ui.store.get()
  if (overlay) {
    // Where text is typed, the wheel would go to another field.
    if (overlay.type === 'form' || overlay.type === 'prompt') return
    for (let line = 0; line < WHEEL_LINES; line++) {
      const now = ui.store.get().overlay
      if (now) pressInOverlay(ui, now, { chord: way, text: undefined })
    }
    return
  }
  if (hitAt(ui.store.get(), ui.boards, report)?.on === 'pane') return void runById(ui, `pane-${way}`)
  const action = ui.keymap.lookUp(screen, way)
  for (let line = 0; line < WHEEL_LINES; line++) if (action && action !== 'begins') runAction(ui, action)
}

/** Selects in lists and choices alone: no click answers a question. */
function select(ui: Ui, hit: Hit, isDouble: boolean): void {
  const { store, boards } = ui
  const { overlay } = store.get()
  if (overlay) {
    if (overlay.type !== 'choice' || hit.on !== 'option') return
    if (isDouble) return void pressInOverlay(ui, overlay, { chord: 'enter', text: undefined })
    return void showOverlay(ui, { ...overlay, index: hit.index })
  }
  if (hit.on === 'tab') return void openScreen(ui, hit.screen)
  if (hit.on === 'row') {
    store.update((state) => withCurrentList(state, (list) => moveTo(list, hit.position, listHeight(state))))
  }
  if (hit.on === 'card')
    store.update((state) => moveOnBoard(state, boards, () => ({ column: hit.column, card: hit.card })))
  if (isDouble && hit.on !== 'pane') runById(ui, 'detail')
}

/** The mouse of a terminal, for as long as the screens are open. */
export function openMouse(store: StateStore<State>, stdin: NodeJS.ReadStream, write: (text: string) => void) {
  let take = (_: MouseReport): void => {}
  const stop = watchMouse(stdin, (report) => take(report))
  const turn = (sequence: string) => {
    if (store.get().isMouseOn) write(sequence)
  }
  turn(MOUSE_ON)
  return {
    connect: (ui: Ui) => {
      take = createMouse(ui)
    },
    /** Without reports, which another program would take for typed text. */
    without: async (during: () => Promise<void>) => {
      turn(MOUSE_OFF)
      await during()
      turn(MOUSE_ON)
    },
    end: () => {
      turn(MOUSE_OFF)
      stop()
    },
  }
}

export const MOUSE: readonly Action[] = [
  action('mouse', 'M', 'Mouse on or off: a click selects, a double click opens, the wheel scrolls', {
    run: toggleMouse,
  }),
]

function toggleMouse({ store, world, background }: Ui): void {
  const isMouseOn = !store.get().isMouseOn
  store.update((state) => ({ ...state, isMouseOn }))
  world.writeRaw(isMouseOn ? MOUSE_ON : MOUSE_OFF)
  background.notices.done(isMouseOn ? 'Mouse on; hold Shift to select text of the terminal' : 'Mouse off')
}
