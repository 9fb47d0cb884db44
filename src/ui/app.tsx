import { Box, Text, useApp, useCursor, useInput, usePaste, useWindowSize } from 'ink'
import { memo, useEffect, useMemo, useSyncExternalStore } from 'react'
import { leave } from './actions/leave.ts'
import { runAction } from './actions/run-action.ts'
import { listHeight } from './draw/areas.ts'
import { drawFrame } from './draw/frame.ts'
import type { Drawing } from './draw/sheet.ts'
import { type Stroke, strokesOf } from './keys.ts'
import { moveTo } from './list/move.ts'
import { isChanged } from './overlay.ts'
import { pasteInOverlay, pressInOverlay } from './overlay-keys.ts'
import { withCurrentList } from './state.ts'
import type { Ui } from './ui.ts'

export interface AppProps {
  readonly drawing: Drawing
  readonly makeUi: (terminal: Pick<Ui, 'suspend' | 'quit'>) => Ui
}

/** One text a line: what a line costs is Ink's layout, and of lines that stay the same nothing else is done. */
const Line = memo(function Line({ text }: { readonly text: string }) {
  return <Text wrap="truncate">{text}</Text>
})

/** The root owns all input; the screens only draw. */
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
  // The frame of the new size at once: one of the old size would be taller than the screen.
  const frame = drawFrame(
    state.columns === columns && state.rows === rows ? state : { ...state, columns, rows },
    drawing,
  )
  useCursor().setCursorPosition(frame.cursor && { ...frame.cursor })
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      {frame.lines.map((text, index) => (
        <Line key={index} text={text} />
      ))}
    </Box>
  )
}

/** The one place that keys come to. */
export function press(ui: Ui, stroke: Stroke): void {
  const { store, keymap, background } = ui
  const { overlay, screen, pendingKeys } = store.get()
  if (stroke.chord === 'ctrl-c') return void interrupt(ui)
  if (stroke.chord === 'ctrl-z') return void pause(ui)
  if (overlay) return void pressInOverlay(ui, overlay, stroke)
  const chords = pendingKeys === '' ? stroke.chord : `${pendingKeys} ${stroke.chord}`
  const found = keymap.lookUp(screen, chords)
  if (found === 'begins') return void store.update((state) => ({ ...state, pendingKeys: chords }))
  if (pendingKeys !== '') store.update((state) => ({ ...state, pendingKeys: '' }))
  if (found) return void runAction(ui, found)
  // An unknown key changes nothing, and says where the known ones are.
  if (stroke.text !== undefined) background.notices.wait(`${stroke.text} does nothing here; ? shows the keys`)
}

function paste(ui: Ui, text: string): void {
  const { overlay } = ui.store.get()
  if (overlay) pasteInOverlay(ui, overlay, text)
}

/** The first stops loading, the second quits. */
function interrupt(ui: Ui): void {
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
