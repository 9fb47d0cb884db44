import { expect, test } from 'vitest'
import { textWidth } from '../../src/output/terminal-text.ts'
import { ACTIONS } from '../../src/ui/actions/all-actions.ts'
import { createKeymap } from '../../src/ui/actions/keymap.ts'
import { createBoards } from '../../src/ui/board.ts'
import { formFields } from '../../src/ui/form/record-form.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import type { Overlay } from '../../src/ui/overlay.ts'
import { allScreens, listOfScreen, type ScreenName } from '../../src/ui/screens.ts'
import { initialState, type State, withList } from '../../src/ui/state.ts'
import { textInput } from '../../src/ui/text/text-input.ts'
import { drawFrame } from './draw-frame.tsx'
import { contact, listOf } from './rows.ts'

const DRAWING = {
  theme: createTheme('none'),
  keymap: createKeymap(ACTIONS, {}),
  boards: createBoards(),
}

const HOSTILE = [
  contact(1, { name: '\x1b[31mred\x1b]8;;http://x\x07link', email: 'a\r\nb\tc' }),
  contact(2, { name: '名前'.repeat(40), company: '\u202Eabc\u2066' }),
  contact(3, { name: 'e\u0301'.repeat(30), phone: '👩‍👩‍👧‍👦🇩🇪' }),
  contact(4, { name: 'x'.repeat(10_000) }),
  contact(5, { name: null, amount: 12, stage: 'Won' }),
]

function stateOf(screen: ScreenName, columns: number, rows: number): State {
  const state = initialState(screen, { text: 'test http://127.0.0.1:1', isProtected: false }, { columns, rows })
  const list = listOf(HOSTILE)
  return withList(
    withList(state, 'contacts', () => list),
    'deals',
    () => list,
  )
}

/** The text without styles. */
function plain(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a style
  return line.replace(/\x1b\[\d+m/g, '')
}

const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
  [60, 12],
] as const

const OVERLAYS: readonly (Overlay | undefined)[] = [
  undefined,
  { type: 'help', top: 0 },
  { type: 'palette', profiles: [], input: textInput('e'), index: 2 },
  { type: 'prompt', label: 'Find:', input: textInput('名'.repeat(300)), enter: () => 'ends', onSubmit: () => {} },
  {
    type: 'form',
    key: Symbol('form'),
    list: 'contacts',
    record: undefined,
    title: 'Edit',
    fields: formFields('contacts', HOSTILE[0]),
    index: 0,
    isSending: false,
    problem: 'no',
    onSubmit: async () => {},
  },
]

function everyState(columns: number, rows: number): readonly State[] {
  return allScreens().flatMap((screen) =>
    [false, true].flatMap((isDetailOpen) =>
      OVERLAYS.map((overlay) => {
        const name = listOfScreen(screen)
        const state = { ...stateOf(screen, columns, rows), overlay }
        return withList(state, name, (list) => ({ ...list, isDetailOpen }))
      }),
    ),
  )
}

for (const [columns, rows] of SIZES) {
  test(`every frame of ${columns}x${rows} has all its lines, none wider than the screen, for any cells`, () => {
    for (const state of everyState(columns, rows)) {
      const { lines, cursor } = drawFrame(state, DRAWING)
      expect(lines.length).toBe(rows)
      for (const line of lines) expect(textWidth(plain(line))).toBeLessThanOrEqual(columns)
      expect(lines.join('')).not.toMatch(/[\u202a-\u202e\u2066-\u2069\r\n\t]/)
      if (cursor) expect(cursor.x < columns && cursor.y < rows).toBe(true)
    }
  })
}

test('a terminal that is too small shows the required size, on one line', () => {
  const { lines } = drawFrame(stateOf('contacts', 50, 10), DRAWING)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('needs 60 columns')
})

test('text of a record cannot style its line', () => {
  const { lines } = drawFrame(stateOf('contacts', 120, 40), DRAWING)
  expect(lines.map(plain).join('\n')).not.toContain('\x1b')
  expect(lines.join('\n')).toContain('\\x1b[31mred')
})

test('without colour the cursor and marks can still be distinguished', () => {
  const state = withList(stateOf('contacts', 120, 40), 'contacts', (list) => ({
    ...list,
    marks: new Set(['con_2']),
  }))
  const lines = drawFrame(state, DRAWING).lines.map(plain)
  const starts = lines.slice(3, 6).map((line) => line.slice(0, 2))
  expect(starts).toEqual(['❯ ', ' *', '  '])
})
