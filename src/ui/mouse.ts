import { runAction, runById } from './actions/keymap.ts'
import { openScreen } from './actions/open-screen.ts'
import { clampBoard } from './board.ts'
import { moveTo } from './list/list-view.ts'
import { listHeight } from './look/areas.ts'
import { type Hit, hitAt } from './look/hit.ts'
import type { MouseReport } from './mouse-input.ts'
import type { Overlay } from './overlay.ts'
import { pressInOverlay } from './overlay-keys.ts'
import { showOverlay } from './show-overlay.ts'
import { withCurrentList } from './state.ts'
import type { Ui } from './ui.ts'

/** Lines for a notch of the wheel. */
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
    const stroke = { chord: way, text: undefined }
    for (let line = 0; line < WHEEL_LINES; line++) pressCurrent(ui, stroke)
    return
  }
  const isOverPane = hitAt(ui.store.get(), ui.boards, report)?.on === 'pane'
  if (isOverPane) return void runById(ui, `pane-${way}`)
  const action = ui.keymap.lookUp(screen, way)
  for (let line = 0; line < WHEEL_LINES; line++) if (action && action !== 'begins') runAction(ui, action)
}

function pressCurrent(ui: Ui, stroke: { readonly chord: string; readonly text: undefined }): void {
  const { overlay } = ui.store.get()
  if (overlay && isScrolled(overlay)) pressInOverlay(ui, overlay, stroke)
}

/** Where text is typed, the wheel would go to another field. */
function isScrolled({ type }: Overlay): boolean {
  return type !== 'form' && type !== 'prompt'
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
  if (hit.on === 'card') {
    store.update((state) => {
      const board = { ...state.board, column: hit.column, card: hit.card }
      return { ...state, board: clampBoard(board, boards(state.lists.deals, state.board.stages)) }
    })
  }
  if (isDouble && hit.on !== 'pane') runById(ui, 'detail')
}
