import { safeText } from '../../output/safe-text.ts'
import { textWidth, wrapText } from '../../output/terminal-text.ts'
import { isCommandLine } from '../actions/command-line.ts'
import { findActions, keyLabel } from '../actions/keymap.ts'
import type { Boards } from '../board.ts'
import { fitCell } from '../list/columns.ts'
import { lastWordStart } from '../list/server-filters.ts'
import type { Theme } from '../look/theme.ts'
import type { Choice, ColumnChooser, Confirmation, Form, Prompt, Text } from '../overlay.ts'
import { titleOf } from '../screens/all-screens.tsx'
import type { State } from '../state.ts'
import { diffLine } from '../text/diff.ts'
import { inputText, type TextInput, textBeforeCursor } from '../text/text-input.ts'
import type { Keymap } from '../ui.ts'
import { type Cursor, type OverlayLines, PANEL_COLUMNS, PANEL_ROWS } from './panel.tsx'

type Size = { readonly columns: number; readonly rows: number }

/** Rows of the screen that stay: the header, the title, its rule, and the keys with theirs. */
const TEXT_FREE_ROWS = 5

/** What is in view of them from `top` on, and which they are. */
function inView<Line>(all: readonly Line[], top: number, room: number) {
  const from = Math.max(0, Math.min(top, all.length - room))
  const range = `${from + 1}-${Math.min(from + room, all.length)} of ${all.length} lines`
  return { from, range, shown: all.slice(from, from + room) }
}

function textSheet(text: Text, size: Size): OverlayLines {
  const all = wrapped(text, size)
  const room = roomOf(all, size)
  const view = inView(all, text.top, room)
  const range = all.length > room ? `: ${view.range} · j k Space scroll` : ''
  const lines = view.shown.map((line) => fitCell(` ${line}`, size.columns))
  return { title: `${text.title}${range} · Esc closes`, lines, cursor: undefined }
}

export function lastTextTop(text: Text, { columns, rows }: Size): number {
  const size = { columns: columns - PANEL_COLUMNS, rows }
  const all = wrapped(text, size)
  return Math.max(0, all.length - roomOf(all, size))
}

function roomOf(all: readonly string[], { rows }: Size): number {
  return Math.min(all.length, rows - TEXT_FREE_ROWS)
}

function wrapped({ lines }: Text, { columns }: Size): readonly string[] {
  return lines.flatMap((line) => (line === '' ? [''] : wrapText(line, columns - 2)))
}

const KEYS = '   Space shows or hides · J K moves · Enter applies · r as at first · Esc drops'

export type Drawing = { readonly theme: Theme; readonly keymap: Keymap; readonly boards: Boards }

const KEYS_WIDTH = 18

export function sheetOf(state: State, drawing: Drawing): OverlayLines | undefined {
  const { overlay, columns, rows } = state
  const { theme } = drawing
  switch (overlay?.type) {
    case undefined:
      return undefined
    case 'prompt':
      return promptSheet(overlay, columns, theme)
    case 'confirm':
      return confirmSheet(overlay, inPanel(state), theme)
    case 'choice':
      return choiceSheet(overlay, inPanel(state).columns, theme)
    case 'form':
      return formSheet(overlay, inPanel(state).columns, rows - 5, theme)
    case 'help':
      return helpSheet(inPanel(state), drawing, overlay.top)
    case 'palette':
      return paletteSheet(inPanel(state), drawing)
    case 'columns':
      return { title: 'Columns', lines: columnsLines(overlay, inPanel(state), theme), cursor: undefined }
    case 'text':
      return textSheet(overlay, inPanel(state))
  }
}

function inPanel(state: State): State {
  return { ...state, columns: state.columns - PANEL_COLUMNS }
}

function actionLines(state: State, keymap: Keymap, text: string): readonly string[] {
  return findActions(keymap, state, text).map(({ id, title, refusal }) => {
    const keys = keymap.keysOf(id).map(keyLabel).join(' ') || ':'
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

export function lastHelpTop(state: State, keymap: Keymap): number {
  return Math.max(0, helpLines(inPanel(state), keymap).length - helpRoom(state))
}

function helpRoom({ rows }: State): number {
  return rows - 1 - PANEL_ROWS
}

function helpSheet(state: State, drawing: Drawing, top: number): OverlayLines {
  const { columns, screen } = state
  const { theme } = drawing
  const all = helpLines(state, drawing.keymap)
  const room = helpRoom(state)
  const { shown, range } = inView(all, top, room)
  const lines = [
    ...shown,
    ...Array.from({ length: Math.max(0, room - all.length) }, () => ' '.repeat(columns)),
    theme.dim(fitCell(` j/k, Space scroll · Esc closes · * marked`, columns)),
  ]
  return { title: `Keys of ${titleOf(screen)}: ${range}`, lines, cursor: undefined }
}

const PALETTE_PROMPT = { type: 'prompt', label: ':', enter: () => 'runs it', onSubmit: () => {} } as const

function paletteSheet(state: State, drawing: Drawing): OverlayLines {
  const { overlay, columns, rows } = state
  const { theme } = drawing
  if (overlay?.type !== 'palette') return { lines: [], cursor: undefined }
  const typed = inputText(overlay.input)
  const rest = actionLines(state, drawing.keymap, typed)
  const run =
    isCommandLine(state, typed) && overlay.index === 0 ? [`   ${fitCell('Enter', KEYS_WIDTH)}Run this line`] : []
  const found = [...run, ...rest.slice(run.length)].map((line) => fitCell(line, columns))
  const room = Math.min(12, rows - 6)
  const { from, shown: inRoom } = inView(found, overlay.index - room + 1, room)
  const shown = inRoom.map((line, at) => (from + at === overlay.index ? theme.inverse(`❯${line.slice(1)}`) : line))
  if (found.length === 0) shown.push(theme.dim(fitCell('   No command of this screen matches', columns)))
  while (shown.length < room) shown.push(' '.repeat(columns))
  const prompt = promptSheet({ ...overlay, ...PALETTE_PROMPT }, columns, theme)
  const lines = [...shown, ...prompt.lines]
  return {
    title: 'Commands',
    lines,
    cursor: prompt.cursor && { x: prompt.cursor.x, y: shown.length + prompt.cursor.y },
  }
}

/** The keys that end it follow the text if they fit; completions are above it, a problem of the text below. */
export function promptSheet(prompt: Prompt, width: number, theme: Theme): OverlayLines {
  const { label, input, enter, problem, complete } = prompt
  const shown = prompt.hasLines
    ? { ...input, graphemes: input.graphemes.map((each) => (each === '\n' ? '⏎' : each)) }
    : input
  const field = fieldText(shown, Math.max(1, width - textWidth(label) - 1))
  const text = `${label} ${field.text}`
  const hint = ` Enter ${enter()} · ${complete ? 'Tab completes · ' : ''}Esc drops `
  const room = width - textWidth(text) - textWidth(hint)
  const line = room > 1 ? text + ' '.repeat(room) + theme.dim(hint) : fitCell(text, width)
  const note = complete ? completionText(prompt, complete) : prompt.note && ` ${prompt.note()}`
  const above = note !== undefined && problem === undefined ? [theme.dim(fitCell(note, width))] : []
  const below = problem === undefined ? [] : problemLines(problem, width, theme)
  const cursor = { x: textWidth(label) + 1 + field.cursorX, y: above.length }
  return { lines: [...above, line, ...below], cursor }
}

const COMPLETIONS_SHOWN = 40

/** The words that Tab would take, without the text before them. */
function completionText(
  { input, taking, wordStart = lastWordStart }: Prompt,
  complete: NonNullable<Prompt['complete']>,
) {
  const options = taking?.options ?? complete(inputText(input))
  const words = options.slice(0, COMPLETIONS_SHOWN).map((option, at) => {
    const text = option.trimEnd()
    // The whole text where nothing follows its last beginning of a word, such as `stage=`.
    const word = safeText(text.slice(wordStart(text)) || text)
    return at === taking?.index ? `❯${word}` : word
  })
  return ` ${words.join('  ')}`
}

/** Never cut, because its end states what to type instead. */
function problemLines(problem: string, width: number, theme: Theme): readonly string[] {
  const lines = wrapText(safeText(problem), width - 4)
  return lines.map((line, at) => theme.bad(fitCell(`${at === 0 ? ' ! ' : '   '}${line}`, width)))
}

function confirmSheet(overlay: Confirmation, state: State, theme: Theme): OverlayLines {
  const { title, lines, verb, isOnCancel, expected, input, problem } = overlay
  const width = state.columns
  const text = lines.flatMap((line) => wrapText(line, width - 2)).map((line) => fitCell(` ${line}`, width))
  const body = [...diffLines(overlay, state, theme), ...text]
  if (expected !== undefined) {
    const label = ` Type ${expected} and Enter to ${verb.toLowerCase()}, Esc to cancel:`
    const field = fieldText(input, Math.max(1, width - textWidth(label) - 1))
    const cursor = { x: textWidth(label) + 1 + field.cursorX, y: body.length }
    const why = problem === undefined ? [] : problemLines(problem, width, theme)
    return { title, lines: [...body, fitCell(`${label} ${field.text}`, width), ...why], cursor }
  }
  const button = (label: string, isFocused: boolean) => (isFocused ? theme.inverse(`❯[${label}]`) : ` [${label}]`)
  const used = ` ${verb}  Cancel`.length + 10
  const buttons = `  ${button('Cancel', isOnCancel)}  ${button(verb, !isOnCancel)}`
  const keys = fitCell('   ←/→ then Enter, or y; Esc cancels', Math.max(0, width - used))
  return { title, lines: [...body, buttons + theme.dim(keys)], cursor: undefined }
}

const FREE_ROWS = 7

/** The lines of a plan that fit, with the number of those that do not. */
function diffLines({ diff = [], lines, top = 0 }: Confirmation, state: State, theme: Theme): readonly string[] {
  const width = state.columns
  const room = diffRoom(state, lines.length)
  const view = inView(diff, top, room)
  const shown = view.shown.map((line) => diffLine(line, width, theme))
  if (diff.length <= room) return shown
  return [...shown, theme.dim(fitCell(` ${view.range} · ↑ ↓ PgUp PgDn scroll`, width))]
}

function diffRoom({ rows }: State, lines: number): number {
  return Math.max(3, rows - FREE_ROWS - lines)
}

export function lastDiffTop({ diff = [], lines }: Confirmation, state: State): number {
  return Math.max(0, diff.length - diffRoom(state, lines.length))
}

function choiceSheet({ title, lines = [], options, index }: Choice, width: number, theme: Theme): OverlayLines {
  const text = lines.flatMap((line) => wrapText(line, width - 2)).map((line) => fitCell(` ${line}`, width))
  const rows = options.map((option, at) => {
    const text = fitCell(`${at === index ? ' ❯ ' : '   '}${option}`, width)
    return at === index ? theme.inverse(text) : text
  })
  return { title, lines: [...text, ...rows], cursor: undefined }
}

/** One line per field, with the server's error for it below. */
function formSheet(form: Form, width: number, height: number, theme: Theme): OverlayLines {
  const nameWidth = Math.min(20, Math.max(...form.fields.map(({ name }) => textWidth(safeText(name)))) + 1)
  const lines: string[] = []
  if (form.problem !== undefined) lines.push(...problemLines(form.problem, width, theme).slice(0, 3))
  const room = Math.max(1, height - lines.length - 1)
  const { from: first, shown } = inView(form.fields, form.index - Math.floor(room / 2), room)
  let cursor: Cursor | undefined
  for (const [offset, field] of shown.entries()) {
    const isCurrent = first + offset === form.index
    const label = `${isCurrent ? ' ❯ ' : '   '}${fitCell(safeText(field.name), nameWidth)} `
    const { text, cursorX } = fieldText(field.input, Math.max(1, width - textWidth(label) - 1))
    if (isCurrent) cursor = { x: textWidth(label) + cursorX, y: lines.length }
    const isChanged = field.before !== undefined && field.before !== inputText(field.input)
    const line = fitCell(`${label}${text}`, width)
    lines.push(isChanged ? theme.warn(line) : line)
    if (field.problem !== undefined) lines.push(theme.bad(fitCell(`     ! ${field.problem}`, width)))
  }
  lines.push(theme.dim(fitCell('   ↑↓/Tab field · Enter next, on the last saves · Ctrl-S saves · Esc leaves', width)))
  return { title: `${form.title}${form.isSending ? ' …' : ''}`, lines: lines.slice(0, height), cursor }
}

function fieldText(input: TextInput, width: number): { readonly text: string; readonly cursorX: number } {
  const before = safeText(textBeforeCursor(input))
  const beforeWidth = textWidth(before)
  if (beforeWidth < width) return { text: safeText(inputText(input)), cursorX: beforeWidth }
  const graphemes = input.graphemes.slice(0, input.cursor).map((each) => safeText(each))
  let used = 0
  let from = graphemes.length
  while (from > 0 && used + textWidth(graphemes[from - 1] ?? '') < width - 1) used += textWidth(graphemes[--from] ?? '')
  return { text: `…${graphemes.slice(from).join('')}`, cursorX: used + 1 }
}

function columnsLines({ items, index, vital }: ColumnChooser, size: { columns: number; rows: number }, theme: Theme) {
  const { columns, rows } = size
  const room = Math.max(3, Math.min(items.length, rows - 8))
  const { from, shown } = inView(items, index - Math.floor(room / 2), room)
  const lines = shown.map(({ name, isShown }, at) => {
    const note = vital.includes(name) ? '  always shown' : ''
    const line = fitCell(
      ` ${from + at === index ? '❯' : ' '} [${isShown ? 'x' : ' '}] ${safeText(name)}${note}`,
      columns,
    )
    if (from + at === index) return theme.inverse(line)
    return isShown ? line : theme.dim(line)
  })
  return [...lines, theme.dim(fitCell(KEYS, columns))]
}
