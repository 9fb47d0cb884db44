import { safeText } from '../../output/safe-text.ts'
import { textWidth } from '../../output/text-width.ts'
import { wrapText } from '../../output/wrap-text.ts'
import type { Choice, Confirmation, Form, Prompt } from '../overlay.ts'
import { fitCell } from '../text/fit-cell.ts'
import { inputText, type TextInput, textBeforeCursor } from '../text/text-input.ts'
import type { Theme } from './theme.ts'

export interface Cursor {
  readonly x: number
  readonly y: number
}

/** Lines that cover the bottom of the screen, and the position of the terminal's cursor, relative to the first line. */
export interface Sheet {
  readonly lines: readonly string[]
  readonly cursor: Cursor | undefined
}

/** The keys that end it follow the text if they fit; a problem of the text is shown below it. */
export function promptSheet({ label, input, onChange, problem }: Prompt, width: number, theme: Theme): Sheet {
  const field = fieldText(input, Math.max(1, width - textWidth(label) - 1))
  const text = `${label} ${field.text}`
  const hint = ` Enter ${onChange ? 'keeps' : 'goes on'} · Esc drops `
  const room = width - textWidth(text) - textWidth(hint)
  const line = room > 1 ? text + ' '.repeat(room) + theme.dim(hint) : fitCell(text, width)
  return {
    lines: problem === undefined ? [line] : [line, ...problemLines(problem, width, theme)],
    cursor: { x: textWidth(label) + 1 + field.cursorX, y: 0 },
  }
}

/** Never cut, because its end states what to type instead. */
function problemLines(problem: string, width: number, theme: Theme): readonly string[] {
  const lines = wrapText(safeText(problem), width - 4)
  return lines.map((line, at) => theme.bad(fitCell(`${at === 0 ? ' ! ' : '   '}${line}`, width)))
}

export function confirmSheet(overlay: Confirmation, width: number, theme: Theme): Sheet {
  const { title, lines, verb, isOnCancel, expected, input } = overlay
  const head = [rule(width, theme), theme.bold(fitCell(` ${title}`, width))]
  const body = lines.map((line) => fitCell(` ${line}`, width))
  if (expected !== undefined) {
    const label = ` Type ${expected} and Enter to ${verb.toLowerCase()}, Esc to cancel:`
    const field = fieldText(input, Math.max(1, width - textWidth(label) - 1))
    const cursor = { x: textWidth(label) + 1 + field.cursorX, y: head.length + body.length }
    return { lines: [...head, ...body, fitCell(`${label} ${field.text}`, width)], cursor }
  }
  const button = (label: string, isFocused: boolean) => (isFocused ? theme.inverse(`❯[${label}]`) : ` [${label}]`)
  const used = ` ${verb}  Cancel`.length + 10
  const buttons = `  ${button('Cancel', isOnCancel)}  ${button(verb, !isOnCancel)}`
  const keys = fitCell('   ←/→ then Enter, or y; Esc cancels', Math.max(0, width - used))
  return { lines: [...head, ...body, buttons + theme.dim(keys)], cursor: undefined }
}

export function choiceSheet({ title, lines = [], options, index }: Choice, width: number, theme: Theme): Sheet {
  const text = lines.flatMap((line) => wrapText(line, width - 2)).map((line) => fitCell(` ${line}`, width))
  const rows = options.map((option, at) => {
    const text = fitCell(`${at === index ? ' ❯ ' : '   '}${option}`, width)
    return at === index ? theme.inverse(text) : text
  })
  return { lines: [rule(width, theme), theme.bold(fitCell(` ${title}`, width)), ...text, ...rows], cursor: undefined }
}

/** One line per field, with the server's error for it below. */
export function formSheet(form: Form, width: number, height: number, theme: Theme): Sheet {
  const nameWidth = Math.min(20, Math.max(...form.fields.map(({ name }) => textWidth(safeText(name)))) + 1)
  const lines = [rule(width, theme), theme.bold(fitCell(` ${form.title}${form.isSending ? ' …' : ''}`, width))]
  if (form.problem !== undefined) lines.push(theme.bad(fitCell(` ! ${form.problem}`, width)))
  const room = Math.max(1, height - lines.length - 1)
  const first = Math.max(0, Math.min(form.index - Math.floor(room / 2), form.fields.length - room))
  let cursor: Cursor | undefined
  for (const [offset, field] of form.fields.slice(first, first + room).entries()) {
    const isCurrent = first + offset === form.index
    const label = `${isCurrent ? ' ❯ ' : '   '}${fitCell(safeText(field.name), nameWidth)} `
    const { text, cursorX } = fieldText(field.input, Math.max(1, width - textWidth(label) - 1))
    if (isCurrent) cursor = { x: textWidth(label) + cursorX, y: lines.length }
    const isChanged = field.before !== undefined && field.before !== inputText(field.input)
    const line = fitCell(`${label}${text}`, width)
    lines.push(isChanged ? theme.warn(line) : line)
    if (field.problem !== undefined) lines.push(theme.bad(fitCell(`     ! ${field.problem}`, width)))
  }
  lines.push(
    theme.dim(
      fitCell('   ↑↓/Tab field · Enter next, on the last saves · Ctrl-S saves · Esc drops · Ctrl-C quits', width),
    ),
  )
  return { lines: lines.slice(0, height), cursor }
}

/** The part of a long text around the cursor. */
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

export function rule(width: number, theme: Theme): string {
  return theme.dim('─'.repeat(width))
}
