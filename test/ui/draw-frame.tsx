import { renderToString } from 'ink'
import { cursorIn } from '../../src/ui/app.tsx'
import { Frame } from '../../src/ui/components/frame.tsx'
import { type Drawing, sheetOf } from '../../src/ui/components/overlay.tsx'
import { isTooSmall } from '../../src/ui/look/areas.ts'
import type { State } from '../../src/ui/state.ts'

/** The lines that Ink draws, without the blanks at their ends, and where the cursor is. */
export function drawFrame(state: State, drawing: Drawing) {
  const sheet = isTooSmall(state) ? undefined : sheetOf(state, drawing)
  const text = renderToString(<Frame state={state} drawing={drawing} sheet={sheet} />, { columns: state.columns })
  return { lines: text.split('\n'), cursor: sheet && cursorIn(state, sheet) }
}
