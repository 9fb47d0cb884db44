import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { sparkText, textWidth } from '../../src/output/terminal-text.ts'
import { emptyList, takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import type { State } from '../../src/ui/state.ts'
import { drawFrame } from './draw-frame.tsx'
import { uiOf } from './ui-of.ts'

const NOW = new Date(2026, 10, 26, 15).getTime()

function event(secondsAgo: number, members: CrmRecord = {}): CrmRecord {
  const received = new Date(NOW - secondsAgo * 1_000).toISOString()
  return { id: `evt_${secondsAgo}`, event: 'deal.updated', state: 'verified', received_at: received, ...members }
}

function bodyOf(data: CrmRecord): string {
  return JSON.stringify({ type: 'deal.updated', data })
}

/** The lines of the events screen, the pane open on the newest. */
async function screenOf(rows: readonly CrmRecord[], theme = createTheme('none'), columns = 120): Promise<string[]> {
  const { store, keymap, boards } = await uiOf('events')
  const list = takePage(emptyList('id'), { items: rows, nextCursor: undefined, searched: [] })
  const state: State = {
    ...store.get(),
    ...{ columns, times: { nowMs: NOW, isWhole: false } },
    lists: { ...store.get().lists, events: { ...list, isDetailOpen: true } },
  }
  return [...drawFrame(state, { theme, keymap, boards }).lines]
}

test('a sparkline has a column for each value, the greatest the highest, and 0 like no other', () => {
  expect(sparkText([0, 1, 4, 8])).toBe('·▁▄█')
  expect(sparkText([0, 1, 10_000])).toBe('·▁█')
  expect(sparkText([0, 0])).toBe('··')
})

test('the rate of events ends with the newest, and counts those whose last attempt failed', async () => {
  const rows = [
    event(0, { state: 'verified -> 503' }),
    event(3, { state: 'verified -> 503 x2, 200' }),
    event(20, { state: 'verified -> exit 1 x3' }),
    event(70, { event: 'rejected', state: '401 stale' }),
    event(110),
  ]
  const [, status, rate] = await screenOf(rows)
  expect(status).toContain('of 5')
  expect(rate?.trimEnd()).toBe(
    ` ·▄·······▄·········▄···█  2 min to 15:00:00, at most 2 in 5 s · 2 of 5 failing, 1 rejected`,
  )
})

test('bars with failures are red, others have the accent', async () => {
  const dark = createTheme('dark')
  const [, , rate] = await screenOf([event(0, { state: 'verified -> 503' }), event(110)], dark)
  // Ink ends a colour where the next one begins.
  const begins = (painted: string) => painted.slice(0, painted.indexOf('█') + 1)
  expect(rate).toContain(begins(dark.bad('█')))
  expect(rate).toContain(begins(dark.accent('·█')))
})

test('no line of the events screen is wider than it, and the failing count is never cut', async () => {
  for (const columns of [60, 80, 120]) {
    const lines = await screenOf([event(0, { state: 'verified -> no answer' })], createTheme('dark'), columns)
    expect(lines).toHaveLength(40)
    for (const line of lines) expect(textWidth(stripVTControlCharacters(line))).toBeLessThanOrEqual(columns)
    expect(stripVTControlCharacters(lines[2] ?? '')).toContain('1 of 1 failing')
  }
})

test('the pane of an event shows what changed since the previous event of the record', async () => {
  const rows = [
    event(1, { record_id: 'deal_1', body: bodyOf({ id: 'deal_1', stage: 'Won', amount: 12, version: 3 }) }),
    event(2, { record_id: 'deal_2', body: bodyOf({ id: 'deal_2', stage: 'Lost' }) }),
    event(3, { record_id: 'deal_1', body: bodyOf({ id: 'deal_1', stage: 'Lead', amount: 12, name: 'A', version: 2 }) }),
    event(4, { record_id: 'deal_1', body: bodyOf({ id: 'deal_1', stage: 'Qualified' }) }),
  ]
  const text = (await screenOf(rows)).map(stripVTControlCharacters).join('\n')
  expect(text).toContain('since deal.updated 14:59:57')
  expect(text).toContain('  stage: Lead -> Won')
  expect(text).not.toContain('amount:')
  expect(text).not.toContain('version:')
  expect(text).toContain('1 of its members are not in this event')
})

test('without an earlier event, changes are shown that the event itself states', async () => {
  const body = JSON.stringify({ data: { stage: 'Won', name: 'A' }, previous: { stage: 'Lead' } })
  const text = (await screenOf([event(1, { record_id: 'deal_1', body })])).join('\n')
  expect(text).toContain('changes that the event states')
  expect(text).toContain('  stage: Lead -> Won')
})

test('without a comparable earlier event, the pane states why nothing is compared', async () => {
  const first = event(1, { record_id: 'deal_1', body: bodyOf({ id: 'deal_1' }) })
  expect((await screenOf([first])).join('\n')).toContain('no earlier event of this record is loaded')
  const cut = event(2, { record_id: 'deal_1', body: '{"type":"deal.upd… (9000 characters)' })
  expect((await screenOf([first, cut])).join('\n')).toContain('not compared: a body has no data')
})
