import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitText, textWidth } from '../../../src/output/terminal-text.ts'
import { createTheme, THEMES } from '../../../src/ui/draw/theme.ts'
import { createPainter } from '../../../src/ui/paint/painter.ts'
import { createGrid } from './grid.ts'

const COLUMNS = 24
const ROWS = 4

const theme = createTheme('dark')
const paints = [theme.bold, theme.inverse, theme.good, theme.bad, theme.dim, theme.danger, (text: string) => text]

const words = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'Ada',
    'Ada Lovelace',
    '      ',
    '日本',
    'é',
    'e\u0301',
    '❯',
    '│',
    '…',
    '👩‍👩‍👧',
    '🇩🇪x',
    'ü 42',
  ),
  fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', ' ', '1', '漢') }),
)

const painted = fc
  .array(fc.tuple(words, fc.constantFrom(...paints)), { maxLength: 5 })
  .map((parts) => {
    let used = 0
    return parts.map(([word, paint]) => {
      const text = fitText(word, COLUMNS - used)
      used += textWidth(text)
      return paint(text)
    })
  })
  .map((parts) => parts.join(''))

const frames = fc.array(fc.array(painted, { minLength: ROWS, maxLength: ROWS }), { minLength: 1, maxLength: 5 })

test('the changes that are painted leave the screen as painting the frame whole does', () => {
  fc.assert(
    fc.property(frames, (sequence) => {
      const [grid, whole] = [createGrid(COLUMNS, ROWS), createGrid(COLUMNS, ROWS)]
      const painter = createPainter()
      for (const lines of sequence) grid.write(painter.paint({ lines, cursor: undefined }, COLUMNS))
      for (const [row, line] of (sequence.at(-1) ?? []).entries()) whole.write(`\x1b[${row + 1}H\x1b[m${line}`)
      expect(grid.rows()).toEqual(whole.rows())
    }),
    { numRuns: 40 },
  )
})

test('what stood behind a wide character of the same end is erased', () => {
  const grid = createGrid(COLUMNS, 1)
  const painter = createPainter()
  for (const line of ['漢漢b', 'a漢']) grid.write(painter.paint({ lines: [line], cursor: undefined }, COLUMNS))
  for (const line of ['aa漢b', 'a 日']) grid.write(painter.paint({ lines: [line], cursor: undefined }, COLUMNS))
  expect(grid.rows()[0]?.trimEnd()).toBe('a 日')
})

test('a frame that is shown already is not sent', () => {
  const painter = createPainter()
  const frame = { lines: ['Ada', 'Grace'], cursor: undefined }
  painter.paint(frame, COLUMNS)
  expect(painter.paint(frame, COLUMNS)).toBe('')
})

test('of a changed line, only the changed cells are sent', () => {
  const painter = createPainter()
  painter.paint({ lines: ['a line', `${theme.good('Won')}  12 of 40 loaded`], cursor: undefined }, COLUMNS)
  const sent = painter.paint({ lines: ['a line', `${theme.good('Won')}  13 of 40 loaded`], cursor: undefined }, COLUMNS)
  expect(sent).toBe('\x1b[?2026h\x1b[2;7H3\x1b[?25l\x1b[?2026l')
})

test('after the screen was lost, it is painted whole', () => {
  const painter = createPainter()
  const frame = { lines: ['Ada', 'Grace'], cursor: { x: 2, y: 1 } }
  const first = painter.paint(frame, COLUMNS)
  painter.forget()
  const again = painter.paint(frame, COLUMNS)
  expect(again).toBe(first)
  const grid = createGrid(COLUMNS, ROWS)
  grid.write('of another program')
  grid.write(again)
  expect(grid.rows().map((row) => row.trimEnd())).toEqual(['Ada', 'Grace', '', ''])
  expect(grid.cursor()).toEqual({ x: 2, y: 1 })
})

test('a line with characters that terminals measure differently is painted whole', () => {
  const painter = createPainter()
  painter.paint({ lines: ['👩‍👩‍👧 Ada 1'], cursor: undefined }, COLUMNS)
  expect(painter.paint({ lines: ['👩‍👩‍👧 Ada 2'], cursor: undefined }, COLUMNS)).toContain('👩‍👩‍👧 Ada 2')
})

test.each(THEMES)('every code of the theme %s is painted', (name) => {
  const { good, warn, bad, accent, dim, danger, bold, inverse } = createTheme(name)
  const line = [good('a'), warn('b'), bad('c'), accent('d'), dim('e'), danger('f'), bold(dim('g')), inverse('h')].join(
    '',
  )
  const [grid, whole] = [createGrid(COLUMNS, 1), createGrid(COLUMNS, 1)]
  grid.write(createPainter().paint({ lines: [line], cursor: undefined }, COLUMNS))
  whole.write(line)
  expect(grid.rows()).toEqual(whole.rows())
})
