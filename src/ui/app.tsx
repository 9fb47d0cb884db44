import { render, useApp, useCursor, useInput, usePaste, useStdout } from 'ink'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { Frame } from './components/frame.tsx'
import { type Drawing, sheetOf } from './components/overlay.tsx'
import { coveredRows, type OverlayLines } from './components/panel.tsx'
import { strokesOf } from './keys.ts'
import { moveTo } from './list/list-state.ts'
import { isTooSmall, listHeight } from './look/areas.ts'
import type { Overlay } from './overlay.ts'
import { paste, press } from './press.ts'
import { type State, type StateStore, withCurrentList } from './state.ts'
import type { Ui } from './ui.ts'

/** The state as the screen shows it: what a key changed at once, pages and events at most every 50 ms. */
export type DrawnState = { get(): State; subscribe(listener: () => void): () => void; drawNow(): void; close(): void }

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

export type UiTerminal = Pick<Ui, 'suspend' | 'quit' | 'redraw' | 'isDrawn'>

interface AppParts {
  readonly drawn: DrawnState
  readonly drawingOf: (state: State) => Drawing
  readonly makeUi: (terminal: UiTerminal) => Ui
}

export type AppSession = { unmount(): void; waitUntilExit(): Promise<unknown> }

interface AppProps extends AppParts {
  readonly isDrawn: Ui['isDrawn']
  readonly onFrame: (overlay: Overlay | undefined) => void
}

/** An empty screen, with the cursor at its top left. */
const CLEAR = '\x1b[m\x1b[2J\x1b[H'

function App({ drawn, drawingOf, makeUi, isDrawn, onFrame }: AppProps) {
  const { exit, suspendTerminal, waitUntilRenderFlush } = useApp()
  const { stdout, write } = useStdout()
  const { setCursorPosition } = useCursor()
  const state = useSyncExternalStore(drawn.subscribe, drawn.get)
  const ui = useMemo(
    () =>
      makeUi({ suspend: (during) => suspendTerminal(during), quit: () => exit(), redraw: () => write(CLEAR), isDrawn }),
    [makeUi, exit, suspendTerminal, write, isDrawn],
  )
  // Frames are relative to the last one, which a terminal moves or wraps when its size changes.
  useEffect(() => {
    const drawAfresh = () => void waitUntilRenderFlush().then(() => write(CLEAR))
    stdout.on('resize', drawAfresh)
    return () => void stdout.off('resize', drawAfresh)
  }, [stdout, write, waitUntilRenderFlush])
  useInput((input, key) => {
    for (const stroke of strokesOf(input, key)) press(ui, stroke)
    drawn.drawNow()
  })
  usePaste((text) => {
    paste(ui, text)
    drawn.drawNow()
  })
  const drawing = drawingOf(state)
  const sheet = isTooSmall(state) ? undefined : sheetOf(state, drawing)
  onFrame(state.overlay)
  setCursorPosition(sheet && cursorIn(state, sheet))
  return <Frame state={state} drawing={drawing} sheet={sheet} />
}

/** On the screen; inside the border of a panel. */
export function cursorIn({ columns, rows }: Pick<State, 'columns' | 'rows'>, sheet: OverlayLines) {
  const { cursor, title } = sheet
  if (!cursor) return undefined
  const border = title === undefined ? 0 : 1
  const from = Math.max(0, rows - coveredRows(sheet))
  return { x: Math.min(cursor.x + border, columns - 1), y: Math.min(from + cursor.y + border, rows - 1) }
}

type Terminal = { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream }

export function openApp(parts: AppParts, { stdin, stdout }: Terminal): AppSession {
  let framed: Overlay | undefined
  let shown: Overlay | undefined
  return render(
    <App
      {...parts}
      // Typing makes another object of the same question.
      isDrawn={({ onConfirm }) => shown?.type === 'confirm' && shown.onConfirm === onConfirm}
      onFrame={(overlay) => {
        framed = overlay
      }}
    />,
    {
      ...{ stdin, stdout, alternateScreen: true, exitOnCtrlC: false, incrementalRendering: true, interactive: true },
      maxFps: 60,
      onRender: () => {
        shown = framed
      },
    },
  )
}
