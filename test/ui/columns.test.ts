import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textWidth } from '../../src/output/terminal-text.ts'
import { toRemember, withRemembered } from '../../src/ui/closing.ts'
import { numberCell, shortNumber, shortTime } from '../../src/ui/list/columns.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import { initialState, withList } from '../../src/ui/state.ts'
import { drawFrame } from './draw-frame.tsx'
import { type TestUi, uiOf } from './ui-of.ts'

const NOW = new Date(2026, 10, 26, 12, 0, 0).getTime()

async function dealsOf(rows: readonly Readonly<Record<string, string | number>>[], columns = 80): Promise<TestUi> {
  const ui = await uiOf('deals')
  const page = { items: rows, nextCursor: undefined, searched: searchedIn('deals') }
  ui.store.update((state) => ({
    ...withList(state, 'deals', (list) => takePage(list, page)),
    columns,
    times: { nowMs: NOW, isWhole: false },
  }))
  return ui
}

const linesOf = ({ store, keymap, boards }: TestUi) =>
  drawFrame(store.get(), { theme: createTheme('none'), keymap, boards }).lines.map(stripVTControlCharacters)

const DEAL = { id: 'deal_1', name: 'Engines', stage: 'Won', pipeline_id: 'sales' }

test.each([
  [0, '0'],
  [852, '852'],
  [999.99, '999.9'],
  [1_000, '1K'],
  [213_312_345.67, '213.3M'],
  [-1_250, '-1.2K'],
  [999_999_999, '999.9M'],
  [3e15, '3000T'],
])('%d is short as %s', (value, text) => {
  expect(numberCell(value, 0)).toBe(text)
})

test('a short number is never longer than seven characters below a thousand trillions', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.integer({ min: 2, max: 6 }), (digits, scale) => {
      expect(shortNumber({ digits, scale }).length).toBeLessThanOrEqual(7)
    }),
  )
})

test('a number is whole where it fits, and short where it does not; none is cut at any width', async () => {
  for (let columns = 60; columns <= 140; columns++) {
    const ui = await dealsOf([{ ...DEAL, amount: 213_312_345.67 }], columns)
    const row = linesOf(ui)[3]
    expect(row, String(columns)).toMatch(/ (?:213312345\.67|213\.3M) /)
  }
})

test('a time is its hour today, and a number of days before', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour, 18, 23).toISOString()
  expect(shortTime(at(26, 7), NOW)).toBe('07:18:23')
  expect(shortTime(at(25, 23), NOW)).toBe('1 d')
  expect(shortTime(at(24, 1), NOW)).toBe('2 d')
  expect(shortTime(at(28, 7), NOW)).toBe(at(28, 7).slice(0, 10))
  expect(shortTime('soon', NOW)).toBe('soon')
})

test('z shows whole times', async () => {
  const made = new Date(2026, 10, 24, 7).toISOString()
  const ui = await dealsOf([{ ...DEAL, created_at: made }], 140)
  expect(linesOf(ui)[3]).toContain('2 d')
  ui.press('z')
  expect(linesOf(ui)[3]).toContain(made)
})

test('columns are as wide as their contents, so that short ones leave room for more', async () => {
  const long = { ...DEAL, name: 'x'.repeat(60), owner_id: 'u_1', amount: 5 }
  const ui = await dealsOf([long], 160)
  expect(linesOf(ui)[3]).toContain('x'.repeat(60))
  for (const line of linesOf(ui)) expect(textWidth(line)).toBeLessThanOrEqual(160)
  expect(textWidth(linesOf(ui)[3] ?? '')).toBeGreaterThan(120)
})

test('c hides, shows and orders columns, which are remembered', async () => {
  const ui = await dealsOf([{ ...DEAL, amount: 5, source: 'fair' }], 120)
  ui.press('c')
  expect(linesOf(ui).join('\n')).toMatch(/❯ \[x\] name/)
  const { overlay } = ui.store.get()
  const names = overlay?.type === 'columns' ? overlay.items.map(({ name }) => name) : []
  expect(names).toContain('source')
  ui.press('j', ' ', 'k', ...Array(names.indexOf('source')).fill('j'), ' ', 'enter')
  const head = linesOf(ui)[2] ?? ''
  expect(head).toContain('NAME')
  expect(head).toContain('SOURCE')
  expect(head).not.toContain((names[1] ?? '').toUpperCase())
  ui.press('c', 'j', 'J', 'enter')
  const chosen = ui.store.get().chosenColumns.deals
  const left = toRemember(ui.store.get())
  const again = withRemembered(initialState('deals', { text: '', isProtected: false }, { columns: 80, rows: 24 }), left)
  expect(again.chosenColumns.deals).toEqual(chosen)
  ui.press('c', 'r')
  expect(linesOf(ui)[2]).not.toContain('SOURCE')
})

test('the state of jobs and events cannot be hidden, and is shown after an older choice without it', async () => {
  const ui = await uiOf('jobs')
  ui.press('c', 'j', ' ', 'enter')
  expect(ui.store.get().chosenColumns.jobs).toContain('state')
  ui.store.update((state) => ({ ...state, chosenColumns: { jobs: ['id'] } }))
  expect(linesOf(ui)[2]).toContain('STATE')
})

test('a time and the result of a delivery are whole or not shown, at any width and in any row', async () => {
  const first = { id: 'sub_0', url: 'http://127.0.0.1:4244/orders', status: 'enabled', last: '204', attempts: 1 }
  const early = Array.from({ length: 250 }, (_, at) => ({ ...first, id: `sub_${at}`, last_at: '2026-11-26T09:00:00Z' }))
  const late = { ...first, id: 'sub_x', last: 'no answer pending', last_at: '2019-03-01T09:30:00Z' }
  const page = { items: [...early, late], nextCursor: undefined, searched: searchedIn('webhooks') }
  const ui = await uiOf('webhooks')
  for (let columns = 60; columns <= 140; columns += 5) {
    ui.store.update((state) => ({
      ...withList(state, 'webhooks', (list) => ({
        ...takePage({ ...list, isStale: true }, page),
        cursor: 250,
        top: 240,
      })),
      ...{ columns, times: { nowMs: NOW, isWhole: false } },
    }))
    const [head = '', rows] = [linesOf(ui).find((line) => line.includes('[URL]')), linesOf(ui)]
    const row = rows.find((line) => line.startsWith('❯')) ?? ''
    expect(row.includes('no answer pending'), row).toBe(head.includes('LAST'))
    expect(row.includes('2019-03-01'), row).toBe(/ AT /.test(head))
  }
  expect(linesOf(ui).join('\n')).toContain('LAST')
})

test('a column without a value keeps the beginning of its head, where others need the room', async () => {
  const long = { ...DEAL, name: 'Engines and looms of the northern mills', amount: 100 }
  const narrow = linesOf(await dealsOf([long]))[2]
  expect(narrow?.trim().split(/ {2,}/)).toEqual(['[NAME]', 'AMOUNT', 'STAGE', 'ID', 'OW…', 'PIPELINE', 'CR…'])
  const [, , head = '', row = ''] = linesOf(await dealsOf([long], 120))
  expect(head).toMatch(/ OWNER .* CREATED /)
  expect(row).toContain(long.name)
})
