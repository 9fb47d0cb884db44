import { Box, Text, useApp, useCursor, useInput, usePaste, useWindowSize } from 'ink'
import { memo, useEffect, useMemo, useSyncExternalStore } from 'react'
import { leave } from './actions/leave.ts'
import { pressDigit, runCounted, setCount } from './counts.ts'
import { isTooSmall, listHeight } from './draw/areas.ts'
import { drawFrame } from './draw/frame.ts'
import { themeOf } from './draw/look.ts'
import type { Drawing } from './draw/sheet.ts'
import { type Stroke, strokesOf } from './keys.ts'
import { moveTo } from './list/list-view.ts'
import { isChanged } from './overlay.ts'
import { pasteInOverlay, pressInOverlay } from './overlay-keys.ts'
import { withCurrentList } from './state.ts'
import type { Ui } from './ui.ts'

export interface AppProps {
  readonly drawing: Omit<Drawing, 'theme'>
  readonly makeUi: (terminal: Pick<Ui, 'suspend' | 'quit'>) => Ui
}

/** One Text per line: layout by Ink is the cost of a line, and an unchanged line is not rendered again. */
const Line = memo(function Line({ text }: { readonly text: string }) {
  return <Text wrap="truncate">{text}</Text>
})

/** The root handles all input; the screens only draw. */
export function App({ drawing, makeUi }: AppProps) {
  const { exit, suspendTerminal } = useApp()
  const { columns, rows } = useWindowSize()
  const ui = useMemo(
    () => makeUi({ suspend: (during) => suspendTerminal(during), quit: () => exit() }),
    [makeUi, exit, suspendTerminal],
  )
  const state = useSyncExternalStore(ui.store.subscribe, ui.store.get)
  useEffect(() => {
    ui.store.update((before) => {
      if (before.columns === columns && before.rows === rows) return before
      const resized = { ...before, columns, rows }
      return withCurrentList(resized, (list) => moveTo(list, list.cursor, listHeight(resized)))
    })
  }, [ui, columns, rows])
  useInput((input, key) => {
    for (const stroke of strokesOf(input, key)) press(ui, stroke)
  })
  usePaste((text) => paste(ui, text))
  // Draws the new size at once: a frame of the old size could be taller than the screen.
  const frame = drawFrame(state.columns === columns && state.rows === rows ? state : { ...state, columns, rows }, {
    ...drawing,
    theme: themeOf(state.look),
  })
  useCursor().setCursorPosition(frame.cursor && { ...frame.cursor })
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      {frame.lines.map((text, index) => (
        <Line key={index} text={text} />
      ))}
    </Box>
  )
}

/** Handles every key. */
export function press(ui: Ui, stroke: Stroke): void {
  const { store, keymap, background } = ui
  keepTime(ui)
  const { overlay, screen, pendingKeys } = store.get()
  if (stroke.chord === 'ctrl-c') return void interrupt(ui)
  if (stroke.chord === 'ctrl-z') return void pause(ui)
  // Nothing of what a key would act on is shown.
  if (isTooSmall(store.get())) return
  const digit = /^alt-(\d)$/.exec(stroke.chord)?.[1]
  if (overlay && digit !== undefined) {
    // No overlay binds Alt: Esc and a digit arrived as one input.
    pressInOverlay(ui, overlay, { chord: 'esc', text: undefined })
    return void press(ui, { chord: digit, text: digit })
  }
  if (overlay) return void pressInOverlay(ui, overlay, stroke)
  if (pendingKeys === '' && pressDigit(ui, stroke)) return
  const chords = pendingKeys === '' ? stroke.chord : `${pendingKeys} ${stroke.chord}`
  const found = keymap.lookUp(screen, chords)
  if (found === 'begins') return void store.update((state) => ({ ...state, pendingKeys: chords }))
  if (pendingKeys !== '') store.update((state) => ({ ...state, pendingKeys: '' }))
  if (found) return void runCounted(ui, found)
  setCount(ui, undefined)
  // An unbound key changes nothing, and shows where the keys are listed.
  if (stroke.text !== undefined) background.notices.wait(`${stroke.text} is not bound here; ? shows the keys`)
}

const MINUTE_MS = 60_000

/** Times are shown relative to the day of the last key: a clock of its own would draw at idle. */
function keepTime({ store, world }: Ui): void {
  const nowMs = world.now()
  store.update((state) =>
    nowMs - state.times.nowMs < MINUTE_MS ? state : { ...state, times: { ...state.times, nowMs } },
  )
}

function paste(ui: Ui, text: string): void {
  const { overlay } = ui.store.get()
  if (overlay && !isTooSmall(ui.store.get())) pasteInOverlay(ui, overlay, text)
}

/** The first Ctrl-C ends a command of the user, or stops loading; the next one quits. */
function interrupt(ui: Ui): void {
  setCount(ui, undefined)
  if (ui.background.shell.stop()) return
  const { overlay } = ui.store.get()
  if (overlay?.type === 'choice' && overlay.onInterrupt) return void overlay.onInterrupt()
  if (overlay?.type === 'form' && (overlay.isSending || overlay.fields.some(isChanged))) return void leave(ui)
  if (overlay) return void pressInOverlay(ui, overlay, { chord: 'esc', text: undefined })
  if (!ui.background.lists.cancel()) leave(ui)
}

function pause(ui: Ui): void {
  const { pauseProcess } = ui.world
  if (pauseProcess) void ui.suspend(pauseProcess)
}
