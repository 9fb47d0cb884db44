import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeText } from '../../src/output/safe-text.ts'
import { textWidth, wrapText } from '../../src/output/terminal-text.ts'
import { fitCell } from '../../src/ui/list/columns.ts'
import { editText, inputText, insertText, textInput } from '../../src/ui/text/text-input.ts'

test('a fitted cell is exactly as wide as requested', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 80 }), (text, width) => {
      expect(textWidth(fitCell(safeText(text), width))).toBe(width)
    }),
  )
})

test('wrapped text has no line that is too wide, and keeps every character but blanks', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 2, max: 40 }), (raw, width) => {
      const text = safeText(raw)
      const lines = wrapText(text, width)
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width)
      expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
    }),
  )
})

test('backspace removes a whole family emoji, and a typed mark joins its letter', () => {
  const family = insertText(textInput('a'), '👩‍👩‍👧')
  expect(inputText(editText(family, 'backspace') ?? family)).toBe('a')
  expect(insertText(textInput('e'), '\u0301').cursor).toBe(1)
})

test('pasted text stays on one line', () => {
  expect(inputText(insertText(textInput(), 'a\r\nb\tc\nd'))).toBe('a b c d')
})

test('words, ends and the rest of the line are cut with the keys of a shell', () => {
  const input = textInput('one two  ')
  expect(inputText(editText(input, 'ctrl-w') ?? input)).toBe('one ')
  expect(inputText(editText(input, 'ctrl-u') ?? input)).toBe('')
  expect(editText(input, 'ctrl-a')?.cursor).toBe(0)
})
