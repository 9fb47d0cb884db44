import { expect, test } from 'vitest'
import { takePage } from '../../src/ui/list/list-state.ts'
import { SEARCHED } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { stage } from '../../src/ui/work/staging.ts'
import { startServer } from '../api/answering-server.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { uiOf } from './ui-of.ts'

test('an edit of a deal that the server refuses stays edited, and those beside it are saved', async () => {
  const service = await serveForTest()
  const { api } = openClient(new URL(service.url), { key: service.key.text })
  const one = await api.deals.create({ name: 'One', stage: 'Lead' }, NO_KEY)
  const two = await api.deals.create({ name: 'Two', stage: 'Lead' }, NO_KEY)
  const { store, work } = await uiOf('deals', { openApi: async () => api })
  store.update((state) =>
    withList(state, 'deals', (list) => {
      const loaded = takePage(list, { items: [one, two], nextCursor: undefined, searched: SEARCHED.deals })
      return stage(stage(loaded, [one], ['stage', 'Nowhere']), [two], ['stage', 'Won'])
    }),
  )
  await work.commit('deals')
  expect([...store.get().lists.deals.staged.keys()]).toEqual([one.id])
  expect(store.get().lists.deals.rows.map(({ stage: name }) => name)).toEqual(['Lead', 'Won'])
  expect(store.get().lists.log.rows.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('One not saved: '),
  )
})

test('deals behind one that was stopped are not sent, and stay edited', async () => {
  const stop = new AbortController()
  const { url, seen } = await startServer(() => {})
  const { api } = openClient(url, { signal: stop.signal })
  const { store, work } = await uiOf('deals', { openApi: async () => api })
  const rows = ['One', 'Two'].map((name) => ({ id: `deal_${name}`, name, stage: 'Lead' }))
  store.update((state) =>
    withList(state, 'deals', (list) => {
      const loaded = takePage(list, { items: rows, nextCursor: undefined, searched: SEARCHED.deals })
      return stage(loaded, rows, ['stage', 'Won'])
    }),
  )
  const said: string[] = []
  work.notices.leaveScreen((line) => said.push(line))
  stop.abort(new Error('stopped'))
  await work.commit('deals')
  expect(seen).toEqual([])
  expect(said).toEqual(['One not saved: stopped before it was sent', '0 saved, 2 not: they stay edited'])
  expect(store.get().lists.deals.staged.size).toBe(2)
})
