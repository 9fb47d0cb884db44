import { moveTo } from './list/list-view.ts'
import { listHeight } from './look/areas.ts'
import { type State, type StateStore, withCurrentList } from './state.ts'

/** The state as the screen shows it: what a key changed at once, pages and events at most every 50 ms. */
export interface DrawnState {
  get(): State
  /** Returns a function that stops watching. */
  subscribe(listener: () => void): () => void
  /** Shows the present state. */
  drawNow(): void
  close(): void
}

const FRAME_EVERY_MS = 50

/** What a key began is drawn sooner. */
const SOON_MS = 16
const KEY_LASTS_MS = 250

export function openDrawnState(store: StateStore<State>, stdout: NodeJS.WriteStream): DrawnState {
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let drawn = store.get()
  let drawnAtMs = Number.NEGATIVE_INFINITY
  let keyAtMs = Number.NEGATIVE_INFINITY

  function draw(): void {
    clearTimeout(timer)
    timer = undefined
    drawn = store.get()
    drawnAtMs = performance.now()
    for (const listener of listeners) listener()
  }

  // Before Ink, which then lays out the frame of this size.
  function resize(): void {
    const { columns, rows } = stdout
    store.update((before) => {
      const resized = { ...before, columns, rows }
      return withCurrentList(resized, (list) => moveTo(list, list.cursor, listHeight(resized)))
    })
    draw()
  }

  const unsubscribe = store.subscribe(() => {
    const nowMs = performance.now()
    const everyMs = nowMs - keyAtMs < KEY_LASTS_MS ? SOON_MS : FRAME_EVERY_MS
    timer ??= setTimeout(draw, Math.max(0, drawnAtMs + everyMs - nowMs))
  })
  stdout.on('resize', resize)
  return {
    get: () => drawn,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    drawNow: () => {
      keyAtMs = performance.now()
      if (timer) draw()
    },
    close: () => {
      clearTimeout(timer)
      unsubscribe()
      stdout.off('resize', resize)
    },
  }
}
