import { wrapText } from '../../output/wrap-text.ts'
import { keyLabel } from '../actions/keymap.ts'
import { findActions } from '../actions/palette.ts'
import type { Boards } from '../pipelines/board.ts'
import { TITLES } from '../screens.ts'
import type { State } from '../state.ts'
import { fitCell } from '../text/fit-cell.ts'
import { inputText } from '../text/text-input.ts'
import type { Keymap } from '../ui.ts'
import { choiceSheet, confirmSheet, formSheet, promptSheet, rule, type Sheet } from './overlay-lines.ts'
import type { Theme } from './theme.ts'

export interface Drawing {
  readonly theme: Theme
  readonly keymap: Keymap
  readonly boards: Boards
}

const KEYS_WIDTH = 18

/** The overlay of the screen; undefined without one. */
export function sheetOf(state: State, drawing: Drawing): Sheet | undefined {
  const { overlay, columns, rows } = state
  const { theme } = drawing
  switch (overlay?.type) {
    case undefined:
      return undefined
    case 'prompt':
      return promptSheet(overlay, columns, theme)
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

function actionLines(state: State, keymap: Keymap, text: string): readonly string[] {
  return findActions(keymap, state, text).map(({ id, title, refusal }) => {
    const keys = keymap.keysOf(id).map(keyLabel).join(' ')
    const why = refusal?.(state)
    return `   ${fitCell(keys, KEYS_WIDTH)}${title}${why === undefined ? '' : ` (not now: ${why})`}`
  })
}

/** A long title is wrapped. */
function helpLines(state: State, keymap: Keymap): readonly string[] {
  const indent = ' '.repeat(3 + KEYS_WIDTH)
  return actionLines(state, keymap, '').flatMap((line) => {
    const [first = '', ...rest] = wrapText(line.slice(indent.length), state.columns - indent.length)
    return [line.slice(0, indent.length) + first, ...rest.map((part) => indent + part)].map((part) =>
      fitCell(part, state.columns),
    )
  })
}

/** The greatest scroll position of the help. */
export function lastHelpTop(state: State, keymap: Keymap): number {
  return Math.max(0, helpLines(state, keymap).length - helpRoom(state))
}

function helpRoom({ rows }: State): number {
  return rows - 4
}

function helpSheet(state: State, drawing: Drawing, top: number): Sheet {
  const { columns, screen } = state
  const { theme } = drawing
  const all = helpLines(state, drawing.keymap)
  const room = helpRoom(state)
  const from = Math.max(0, Math.min(top, all.length - room))
  const lines = [
    theme.bold(
      fitCell(
        ` Keys of ${TITLES[screen]}: ${from + 1}-${Math.min(from + room, all.length)} of ${all.length} lines`,
        columns,
      ),
    ),
    rule(columns, theme),
    ...all.slice(from, from + room),
    ...Array.from({ length: Math.max(0, room - all.length) }, () => ' '.repeat(columns)),
    rule(columns, theme),
    theme.dim(fitCell(` j/k, Space scroll · Esc closes · * marked  ~ edited, not sent  x deleted soon`, columns)),
  ]
  return { lines, cursor: undefined }
}

function paletteSheet(state: State, drawing: Drawing): Sheet {
  const { overlay, columns, rows } = state
  const { theme } = drawing
  if (overlay?.type !== 'palette') return { lines: [], cursor: undefined }
  const found = actionLines(state, drawing.keymap, inputText(overlay.input)).map((line) => fitCell(line, columns))
  const room = Math.min(12, rows - 5)
  const from = Math.max(0, Math.min(overlay.index - room + 1, found.length - room))
  const shown = found
    .slice(from, from + room)
    .map((line, index) => (from + index === overlay.index ? theme.inverse(`❯${line.slice(1)}`) : line))
  if (found.length === 0) shown.push(theme.dim(fitCell('   No command of this screen matches', columns)))
  while (shown.length < room) shown.push(' '.repeat(columns))
  const prompt = promptSheet({ type: 'prompt', label: ':', input: overlay.input, onSubmit: () => {} }, columns, theme)
  const lines = [rule(columns, theme), ...shown, ...prompt.lines]
  return { lines, cursor: prompt.cursor && { x: prompt.cursor.x, y: lines.length - 1 } }
}
