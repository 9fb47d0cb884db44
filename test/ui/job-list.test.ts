import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TERMS } from '../../src/ui/background/under-way.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { jobsAt } from './jobs-at.ts'
import { uiOf } from './ui-of.ts'

const NO_HOOKS = { onStart: () => {}, onPause: () => {}, onEnd: () => {} }

test('rows of a running job without an answer yet are not in doubt', async () => {
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const { url, seen } = await startServer(async (response, { method, path }) => {
    if (method === 'PATCH') await isLetGo
    sendJson(
      response,
      200,
      method === 'PATCH' ? { id: 'con_1', name: 'New' } : { id: path.split('/').at(-1), data: [], next_cursor: null },
    )
  })
  const jobs = await jobsAt(url, 'k')
  const { paths } = await jobs.make({ kind: 'update', noun: 'contacts', run: 'r', of: undefined }, async (builder) => {
    const id = 'con_1'
    builder.add({ do: 'update', path: `/v1/contacts/${id}`, id, body: { name: 'New' }, before: { id } })
  })
  const done = jobs.of(paths).run(TERMS, NO_HOOKS)
  await expect.poll(() => seen.some(({ method }) => method === 'PATCH')).toBe(true)
  const { store, background } = await uiOf('jobs', { openJobs: async () => jobs })
  await background.jobs.look()
  const [row] = store.get().lists.jobs.rows
  expect(row).toMatchObject({ state: expect.stringMatching(/^running \d+ %/), in_doubt: 0, under_way: 1 })
  expect(Object.keys(row ?? {}).filter((name) => name.startsWith('cause'))).toEqual([])
  letGo()
  expect((await done).account).toMatchObject({ done: 1, in_doubt: 0 })
})

/** A server whose updates are held until they are let go. */
async function holding() {
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const { url } = await startServer(async (response, { method, path }) => {
    if (method === 'PATCH' && !path.endsWith('con_0')) await isLetGo
    sendJson(
      response,
      200,
      method === 'PATCH' ? { id: path.split('/').at(-1) } : { id: path.split('/').at(-1), data: [], next_cursor: null },
    )
  })
  const jobs = await jobsAt(url, 'k')
  const make = async (account?: string) => {
    const { paths } = await jobs.make(
      { kind: 'update', noun: 'contacts', run: `r${account}`, of: undefined },
      async (builder) => {
        for (const id of ['con_0', 'con_1', 'con_2']) {
          builder.add({ do: 'update', path: `/v1/contacts/${id}`, id, body: { name: 'New' }, before: { id } })
        }
        builder.leaveOut('unchanged', 4)
      },
    )
    return paths
  }
  return { jobs, make, letGo }
}

test('Jobs follows a running job each second with share, and shows its unchanged rows; without a change nothing is drawn', async () => {
  const { jobs, make, letGo } = await holding()
  const paths = await make()
  const ui = await uiOf('contacts', { openJobs: async () => jobs })
  const row = () => ui.store.get().lists.jobs.rows[0]
  ui.press('5', 'enter')
  await expect.poll(() => row()?.state).toBe('planned')
  expect(row()).toMatchObject({ unchanged: 4, rows: 7 })
  const done = jobs.of(paths).run(TERMS, NO_HOOKS)
  await expect.poll(() => row()?.state, { timeout: 4_000 }).toMatch(/^running 33 %/)
  letGo()
  await done
  await expect.poll(() => row()?.state, { timeout: 4_000 }).toBe('finished')
  let changes = 0
  const unsubscribe = ui.store.subscribe(() => changes++)
  await new Promise((resolve) => setTimeout(resolve, 2_300))
  unsubscribe()
  expect(changes).toBe(0)
})

test('jobs of other servers are counted, and shown with their server on request', async () => {
  const { jobs, make } = await holding()
  await make()
  const elsewhere = { ...jobs, account: async () => 'http://other.test' }
  const ui = await uiOf('jobs', { openJobs: async () => elsewhere })
  await ui.background.jobs.look()
  expect(ui.store.get().lists.jobs.rows).toEqual([])
  expect(ui.store.get().jobs.others).toBe(1)
  ui.press('O')
  await expect
    .poll(() => ui.store.get().lists.jobs.rows[0]?.what)
    .toMatch(/^update contacts at http:\/\/127\.0\.0\.1:\d+$/)
})

test('a damaged job is a row, and hides no other', async () => {
  const { jobs, make } = await holding()
  const paths = await make()
  await make('b')
  writeFileSync(paths.db, 'not a job')
  const ui = await uiOf('jobs', { openJobs: async () => jobs })
  await ui.background.jobs.look()
  expect(
    ui.store
      .get()
      .lists.jobs.rows.map(({ state }) => state)
      .toSorted(),
  ).toEqual(['damaged', 'planned'])
})
