import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { SEARCHED } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { uiOf } from './ui-of.ts'

async function dealsAt(count: number) {
  const service = await serveForTest()
  const { api } = openClient(new URL(service.url), { key: service.key.text })
  const deals: CrmRecord[] = []
  for (let at = 0; at < count; at++) deals.push(await api.deals.create({ name: `D${at}`, stage: 'Lead' }, NO_KEY))
  const ui = await uiOf('deals', { openApi: async () => api })
  ui.store.update((state) =>
    withList(state, 'deals', (list) =>
      takePage(list, { items: deals, nextCursor: undefined, searched: SEARCHED.deals }),
    ),
  )
  const overlay = () => ui.store.get().overlay
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
  await expect.poll(overlay).toMatchObject({ title: expect.stringMatching(/^Undo 21 updates/), expected: '21' })
  ui.press('2', '1', 'enter')
  await expect.poll(stages).toEqual(['Lead'])
})

test('m moves one deal at once, and on a protected profile after its number', async () => {
  const { ui, overlay, stages, chooseWon } = await dealsAt(1)
  ui.store.update((state) => ({ ...state, place: { ...state.place, isProtected: true } }))
  await chooseWon()
  expect(overlay()).toMatchObject({ type: 'confirm', expected: '1' })
  ui.press('esc')
  expect(ui.store.get().lists.deals.staged.size).toBe(0)
  ui.store.update((state) => ({ ...state, overlay: undefined, place: { ...state.place, isProtected: false } }))
  await chooseWon()
  await expect.poll(stages).toEqual(['Won'])
})
