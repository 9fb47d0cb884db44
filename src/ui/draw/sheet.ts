import { keyLabel } from '../actions/keymap.ts'
import { findActions } from '../actions/palette.ts'
import { TITLES } from '../screens.ts'
import type { State } from '../state.ts'
import { fitCell } from '../text/fit-cell.ts'
import { inputText } from '../text/text-input.ts'
import type { Drawing } from './frame.ts'
import { choiceSheet, confirmSheet, formSheet, promptSheet, rule, type Sheet } from './overlay-lines.ts'

const KEYS_WIDTH = 18

/** What lies over the screen, if anything does. */
export function sheetOf(state: State, drawing: Drawing): Sheet | undefined {
  const { overlay, columns, rows } = state
  const { theme } = drawing
  switch (overlay?.type) {
    case undefined:
      return undefined
    case 'prompt':
      return promptSheet(overlay, columns)
    case 'confirm':
      return confirmSheet(overlay, columns, theme)
    case 'choice':
      return choiceSheet(overlay, columns, theme)
    case 'form':
      return formSheet(overlay, columns, rows - 3, theme)
    case 'help':
      return helpSheet(state, drawing, overlay.top)
    case 'palette':
      return paletteSheet(state, drawing)
  }
}

function actionLines(state: State, { keymap }: Drawing, text: string): readonly string[] {
  return findActions(keymap, state, text).map(({ id, title, refusal }) => {
    const keys = keymap.keysOf(id).map(keyLabel).join(' ')
    const why = refusal?.(state)
    return fitCell(
      `   ${fitCell(keys, KEYS_WIDTH)}${title}${why === undefined ? '' : ` (not now: ${why})`}`,
      state.columns,
    )
  })
}

function helpSheet(state: State, drawing: Drawing, top: number): Sheet {
  const { columns, rows, screen } = state
  const { theme } = drawing
  const all = actionLines(state, drawing, '')
  const room = rows - 4
  const from = Math.max(0, Math.min(top, all.length - room))
  const lines = [
    theme.bold(fitCell(` Keys of ${TITLES[screen]}`, columns)),
    rule(columns, theme),
    ...all.slice(from, from + room),
    ...Array.from({ length: Math.max(0, room - all.length) }, () => ' '.repeat(columns)),
    rule(columns, theme),
    theme.dim(fitCell(` j/k scrolls · Esc closes · * marked  ~ edited, not sent  x is deleted soon`, columns)),
  ]
  return { lines, cursor: undefined }
}

function paletteSheet(state: State, drawing: Drawing): Sheet {
  const { overlay, columns, rows } = state
  const { theme } = drawing
  if (overlay?.type !== 'palette') return { lines: [], cursor: undefined }
  const found = actionLines(state, drawing, inputText(overlay.input))
  const room = Math.min(12, rows - 5)
  const from = Math.max(0, Math.min(overlay.index - room + 1, found.length - room))
  const shown = found
    .slice(from, from + room)
    .map((line, index) => (from + index === overlay.index ? theme.inverse(`❯${line.slice(1)}`) : line))
  while (shown.length < room) shown.push(' '.repeat(columns))
  const prompt = promptSheet({ type: 'prompt', label: ':', input: overlay.input, onSubmit: () => {} }, columns)
  const lines = [rule(columns, theme), ...shown, ...prompt.lines]
  return { lines, cursor: prompt.cursor && { x: prompt.cursor.x, y: lines.length - 1 } }
}
