import { Box, Text, useApp, useCursor, useInput, usePaste, useWindowSize } from 'ink'
import { memo, useEffect, useMemo, useSyncExternalStore } from 'react'
import { listHeight } from './draw/areas.ts'
import { type Drawing, drawFrame } from './draw/frame.ts'
import { strokesOf } from './keys.ts'
import { moveTo } from './list/move.ts'
import { paste, press } from './press.ts'
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
