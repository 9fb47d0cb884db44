import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { textWidth } from '../../src/output/terminal-text.ts'
import { createBoards } from '../../src/ui/board.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import { boardLines, cardsShown } from '../../src/ui/screens/pipelines.tsx'
import { initialState, withList } from '../../src/ui/state.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { drawFrame } from './draw-frame.tsx'
import { recordsWithJobs } from './records-with-jobs.ts'
import { contact, listOf } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

async function boardOf(count: number, isProtected = false): Promise<TestUi> {
  const ui = await uiOf('pipelines')
  const items = Array.from({ length: count }, (_, at) => ({
    ...{ id: `deal_${at}`, name: `Deal ${at}`, stage: at % 4 === 3 ? 'Won' : 'Lead', amount: 1_234_567.89 },
  }))
  const page = { items, nextCursor: undefined, searched: searchedIn('deals') }
  ui.store.update((state) => ({
    ...withList(state, 'deals', (list) => takePage(list, page)),
    ...{ columns: 80, rows: 24, place: { text: 'prod', isProtected } },
    board: { column: 0, card: 0, stages: [{ name: 'Lead' }, { name: 'Won' }] },
  }))
  return ui
}

const linesOf = ({ store, keymap, boards }: TestUi) =>
  drawFrame(store.get(), { theme: createTheme('none'), keymap, boards }).lines.map(stripVTControlCharacters)

test('a stage has its count, sum and share of all stages, and a card two lines with its amount at the end', async () => {
  const lines = linesOf(await boardOf(100))
  expect(lines[3]).toContain('75 · 92,592,591.75 · 75 %')
  expect(lines[3]).toContain('25 · 30,864,197.25 · 25 %')
  expect(lines[6]).toMatch(/^❯ Deal 0 +▎ Deal 3$/)
  expect(lines[7]).toMatch(/^ {3,}1,234,567\.89 {2}▎ +1,234,567\.89$/)
})

test('the sum and the amounts are short in a narrow column, where the share is left out before a number is cut', async () => {
  const { store, boards } = await boardOf(852)
  const state = store.get()
  for (let width = 20; width <= 90; width++) {
    const lines = boardLines(
      boards(state.lists.deals, state.board.stages),
      state,
      { width, height: 12 },
      createTheme('none'),
    )
    const plain = lines.map(stripVTControlCharacters)
    for (const line of plain) expect(textWidth(line)).toBe(width)
    expect(plain[1]).toMatch(/639 · (?:788\.8M|788,888,881\.71)(?: · 75 %)?(?: |$)/)
    if (width === 90) expect(plain[1]).toContain('75 %')
    expect(plain[5]).toMatch(/ (?:1\.2M|1,234,567\.89)(?: |$)/)
  }
})

test('PgDn, G and gg move in a stage, and the deals above and below are counted', async () => {
  const ui = await boardOf(400)
  const page = cardsShown(20)
  expect(linesOf(ui).join('\n')).toContain(`▼ ${300 - page}`)
  ui.press('pagedown')
  expect(ui.store.get().board.card).toBe(page)
  expect(linesOf(ui).join('\n')).toMatch(/── ▲ \d+ ──/)
  ui.press('G')
  expect(ui.store.get().board.card).toBe(299)
  expect(linesOf(ui).join('\n')).toMatch(/\n❯ Deal 398/)
  ui.press('g', 'g')
  expect(ui.store.get().board.card).toBe(0)
})

test('> moves a card to the next stage, the cursor goes with it, and the message says from where to where', async () => {
  const service = await serveForTest()
  const { api } = openClient(new URL(service.url), { key: service.key.text })
  for (const name of ['One', 'Two', 'Three']) {
    await api.deals.create({ name, stage: 'Lead', pipeline_id: 'sales' }, NO_KEY)
  }
  const ui = await uiOf('pipelines', { openApi: async () => api })
  await ui.background.lists.all('deals')
  ui.press('m')
  await expect.poll(() => ui.store.get().overlay?.type).toBe('choice')
  ui.press('esc', 'j', '>')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toBe('Moved Two from Lead to Qualified; u undoes it')
  await expect.poll(() => ui.store.get().board).toMatchObject({ column: 1, card: 0 })
  ui.press('<')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toBe('Moved Two from Qualified to Lead; u undoes it')
  ui.press('<')
  expect(ui.store.get().toasts.at(-1)?.text).toBe('There is no stage on that side')
})

test('a card of a protected profile is moved after its number is typed', async () => {
  const ui = await boardOf(4, true)
  ui.press('>')
  expect(ui.store.get().overlay).toMatchObject({ type: 'confirm', expected: '1', isOnCancel: true })
  ui.press('y', 'enter')
  expect(ui.store.get().underWay).toEqual([])
  expect(ui.store.get().lists.deals.rows[0]?.stage).toBe('Lead')
})

test('the board sums amounts to the cent, and shows them with all their digits', () => {
  const amounts = [52805342.48, 0.1, '0.005', -0.005]
  const list = listOf(amounts.map((amount, at) => contact(at, { stage: 'Won', amount })))
  const place = { text: '', isProtected: false }
  const state = withList(initialState('deals', place, { columns: 80, rows: 24 }), 'deals', () => list)
  const lines = boardLines(createBoards()(list, undefined), state, { width: 40, height: 14 }, createTheme('none'))
  expect(lines[1]).toMatch(/^ {2}4 · 52,805,342\.58 · 100 % +$/)
  expect(lines.join('\n')).toContain('52,805,342.48')
  expect(lines.join('\n')).toContain(' -0.005')
})

async function dealsAt(count: number) {
  const deals = Array.from({ length: count }, (_, at) => ({ name: `D${at}`, stage: 'Lead' }))
  const { ui, overlay } = await recordsWithJobs('deals', deals)
  const stages = () => [...new Set(ui.store.get().lists.deals.rows.map(({ stage }) => stage))]
  const chooseWon = async () => {
    ui.press('m')
    await expect.poll(overlay).toMatchObject({ type: 'choice' })
    const shown = overlay()
    if (shown?.type === 'choice') shown.onChoose('Won')
  }
  return { ui, overlay, stages, chooseWon }
}

test('m on 21 marked deals shows their plan, moves them after the typed number, and one u takes all back', async () => {
  const { ui, overlay, stages, chooseWon } = await dealsAt(21)
  ui.press('A')
  await chooseWon()
  expect(overlay()).toMatchObject({ type: 'confirm', title: expect.stringMatching(/^Send 21 updates/), expected: '21' })
  ui.press('y', 'enter')
  expect(stages()).toEqual(['Lead'])
  ui.press('backspace', '2', '1', 'enter')
  await expect.poll(stages).toEqual(['Won'])
  await expect.poll(() => ui.store.get().underWay).toEqual([])
  ui.press('u')
  await expect
    .poll(overlay)
    .toMatchObject({ title: expect.stringMatching(/^Undo 21 updates \(deals\)/), expected: '21' })
  ui.press('2', '1', 'enter')
  await expect.poll(stages).toEqual(['Lead'])
})

test('m moves one deal at once, and on a protected profile after its number', async () => {
  const { ui, overlay, stages, chooseWon } = await dealsAt(1)
  ui.store.update((state) => ({ ...state, place: { ...state.place, isProtected: true } }))
  await chooseWon()
  expect(overlay()).toMatchObject({ type: 'confirm', expected: '1' })
  ui.press('esc')
  expect(stages()).toEqual(['Lead'])
  ui.store.update((state) => ({ ...state, overlay: undefined, place: { ...state.place, isProtected: false } }))
  await chooseWon()
  await expect.poll(stages).toEqual(['Won'])
})
