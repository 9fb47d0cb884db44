import { expect, test } from 'vitest'
import { TERMS } from '../../src/ui/background/send-job.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { jobsAt } from './jobs-at.ts'
import { uiOf } from './ui-of.ts'

const NO_HOOKS = { onStart: () => {}, onPause: () => {}, onEnd: () => {} }

test('rows of a running job without an answer yet are not in doubt', async () => {
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const { url, seen } = await startServer(async (response, { method }) => {
    if (method === 'PATCH') await isLetGo
    sendJson(response, 200, method === 'PATCH' ? { id: 'con_1', name: 'New' } : { data: [], next_cursor: null })
  })
  const jobs = await jobsAt(url, 'k')
  const { paths } = await jobs.make({ kind: 'update', noun: 'contacts', run: 'r', of: undefined }, async (builder) => {
    const id = 'con_1'
    builder.add({ do: 'update', path: `/v1/contacts/${id}`, id, body: { name: 'New' }, before: { id } })
  })
  const done = jobs.run(paths, TERMS, NO_HOOKS)
  await expect.poll(() => seen.some(({ method }) => method === 'PATCH')).toBe(true)
  const { store, background } = await uiOf('jobs', { openJobs: async () => jobs })
  await background.jobs.look()
  const [row] = store.get().lists.jobs.rows
  expect(row).toMatchObject({ state: 'running', in_doubt: 0, under_way: 1 })
  expect(Object.keys(row ?? {}).filter((name) => name.startsWith('cause'))).toEqual([])
  letGo()
  expect((await done).account).toMatchObject({ done: 1, in_doubt: 0 })
})
