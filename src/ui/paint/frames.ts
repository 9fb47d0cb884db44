import { listHeight } from '../draw/areas.ts'
import { moveTo } from '../list/list-view.ts'
import type { Confirmation, Overlay } from '../overlay.ts'
import { type State, type StateStore, withCurrentList } from '../state.ts'
import { createPainter, type Painted } from './painter.ts'

const ESC = '\x1b'
const OPEN = `${ESC}[?1049h`
const CLOSE = `${ESC}[?1049l`
const HIDE_CURSOR = `${ESC}[?25l`
const SHOW_CURSOR = `${ESC}[?25h`

/** Alternate screen, bracketed paste and cursor. */
const MODES = new RegExp(`${ESC}\\[\\?(?:1049|2004|25)[hl]`, 'g')

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

/** The alternate screen of a terminal, which leaves the main one unchanged. */
interface AlternateScreen {
  /** What Ink is given as the terminal: its modes and its size. The text of its own frames, which are empty, is dropped. */
  readonly terminalOfInk: NodeJS.WriteStream
  isOpen(): boolean
  open(): void
  /** Safe to call at any time. */
  close(): void
}

/** `onOpened` is called each time it was opened empty, also after another program had the terminal. */
function createAlternateScreen(stdout: NodeJS.WriteStream, onOpened: () => void): AlternateScreen {
  let isOpen = false
  const passOn = (mode: string): string => {
    if (mode !== OPEN && mode !== CLOSE) return mode
    if (isOpen === (mode === OPEN)) return ''
    isOpen = !isOpen
    return mode
  }
  const write = (chunk: unknown, ...rest: unknown[]): boolean => {
    const wasOpen = isOpen
    const modes = String(chunk).match(MODES)?.map(passOn).join('') ?? ''
    const isTaken: boolean = Reflect.apply(stdout.write, stdout, [modes, ...rest])
    if (isOpen && !wasOpen) onOpened()
    return isTaken
  }
  const terminalOfInk = new Proxy(stdout, {
    get: (stream, name) => {
      if (name === 'write') return write
      const value: unknown = Reflect.get(stream, name, stream)
      return typeof value === 'function' ? value.bind(stream) : value
    },
  })
  return {
    terminalOfInk,
    isOpen: () => isOpen,
    open: () => void write(OPEN + HIDE_CURSOR),
    close: () => {
      if (isOpen) write(SHOW_CURSOR + CLOSE)
    },
  }
}
