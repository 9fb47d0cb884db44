import { listHeight } from '../draw/areas.ts'
import { moveTo } from '../list/list-view.ts'
import type { Confirmation, Overlay } from '../overlay.ts'
import { type State, type StateStore, withCurrentList } from '../state.ts'
import { type AlternateScreen, createAlternateScreen } from './alternate-screen.ts'
import { createPainter, type Painted } from './painter.ts'

/** Draws the state on the alternate screen of the terminal while that is open. */
export interface Frames {
  readonly screen: AlternateScreen
  /** Draws what a key changed at once. */
  afterKey(): void
  /** Whether the last frame shows this question. */
  isDrawn(question: Confirmation): boolean
  /** Draws the whole screen, from an empty one. */
  redraw(): void
  /** Stops drawing. */
  close(): void
}

interface Parts {
  readonly store: StateStore<State>
  readonly stdout: NodeJS.WriteStream
  readonly draw: (state: State) => Painted
}

/** Without keys, pages and events are drawn at most this often. */
const FRAME_EVERY_MS = 50

/** What a key began is drawn sooner. */
const SOON_MS = 16
const KEY_LASTS_MS = 250

export function openFrames({ store, stdout, draw }: Parts): Frames {
  const painter = createPainter()
  let timer: NodeJS.Timeout | undefined
  let drawnAtMs = Number.NEGATIVE_INFINITY
  let keyAtMs = Number.NEGATIVE_INFINITY
  let drawn: Overlay | undefined

  function drawNow(): void {
    clearTimeout(timer)
    timer = undefined
    if (!screen.isOpen()) return
    const state = store.get()
    const text = painter.paint(draw(state), state.columns)
    if (text !== '') stdout.write(text)
    drawn = state.overlay
    drawnAtMs = performance.now()
  }

  function redraw(): void {
    painter.forget()
    drawNow()
  }

  function resize(): void {
    const { columns, rows } = stdout
    store.update((before) => {
      const resized = { ...before, columns, rows }
      return withCurrentList(resized, (list) => moveTo(list, list.cursor, listHeight(resized)))
    })
    redraw()
  }

  const unsubscribe = store.subscribe(() => {
    const nowMs = performance.now()
    const everyMs = nowMs - keyAtMs < KEY_LASTS_MS ? SOON_MS : FRAME_EVERY_MS
    timer ??= setTimeout(drawNow, Math.max(0, drawnAtMs + everyMs - nowMs))
  })
  stdout.on('resize', resize)
  const screen = createAlternateScreen(stdout, redraw)
  screen.open()
  return {
    screen,
    redraw,
    // Typing makes another object of the same question.
    isDrawn: ({ onConfirm }) => drawn?.type === 'confirm' && drawn.onConfirm === onConfirm,
    afterKey: () => {
      keyAtMs = performance.now()
      if (timer) drawNow()
    },
    close: () => {
      clearTimeout(timer)
      unsubscribe()
      stdout.off('resize', resize)
    },
  }
}
