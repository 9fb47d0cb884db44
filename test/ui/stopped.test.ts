import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type KeptChange, openKeptChanges } from '../../src/settings/kept-changes.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { SEARCHED } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { stage } from '../../src/ui/work/staging.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { jobsAt } from './jobs-at.ts'
import { contacts } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

interface Stopped {
  readonly ui: TestUi
  readonly jobs: Awaited<ReturnType<typeof jobsAt>>
  readonly said: string[]
  readonly kept: () => Promise<readonly (readonly [id: string, patch: unknown])[]>
  readonly stop: () => void
}

/** The first contact is edited, and the second is to be deleted with the commit. */
async function uiAt(url: URL): Promise<Stopped> {
  const end = new AbortController()
  const { signal } = end
  const env = { CRM_STATE_HOME: await tempFolder() }
  const folder = join(env.CRM_STATE_HOME, 'browse')
  const { api } = openClient(url, { signal })
  const jobs = await jobsAt(url, 'k', signal)
  const changes = openKeptChanges(env, url.href)
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs, changes, signal })
  const [one, two] = contacts(2)
  if (!one || !two) return expect.fail()
  const page = { items: [one, two], nextCursor: undefined, searched: SEARCHED.contacts }
  ui.store.update((state) =>
    withList(state, 'contacts', (list) => stage(takePage(list, page), [one], ['company', 'New'])),
  )
  ui.work.deletions.hold([two])
  const said: string[] = []
  return {
    ...{ ui, jobs, said },
    kept: async () => {
      const [file = ''] = readdirSync(folder)
      const { changes }: { changes: KeptChange[] } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      return changes.map(({ id, patch }) => [id, patch] as const)
    },
    stop: () => {
      end.abort(new Error('interrupted by SIGTERM', { cause: 'SIGTERM' }))
      ui.work.kept.hold()
      ui.work.notices.leaveScreen((line) => said.push(line))
    },
  }
}

test('stopped while the server is down, the edit is kept, and no job holds it too', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 503, {}))
  const { ui, jobs, said, kept, stop } = await uiAt(url)
  ui.press('w', 'y')
  await expect.poll(() => seen.length).toBe(1)
  expect(jobs.all()).toHaveLength(1)
  stop()
  // Killed now, the job alone holds the edit.
  expect(await kept()).toEqual([['con_1', null]])
  await ui.work.underWay.settled()
  expect(ui.work.kept.hold()).toBe(2)
  expect(await kept()).toEqual([
    ['con_0', { company: 'New' }],
    ['con_1', null],
  ])
  expect(jobs.all()).toEqual([])
  expect(said).toEqual(['Not sent: stopped before anything more was sent'])
})

test('a held deletion behind an edit that was under way is not sent and kept, and no job is to be resumed', async () => {
  const held: (() => void)[] = []
  const { url, seen } = await startServer((response, { method }) => {
    if (method === 'PATCH') held.push(() => sendJson(response, 200, { id: 'con_0', company: 'New' }))
    else sendJson(response, 200, { data: [], next_cursor: null })
  })
  const { ui, said, kept, stop } = await uiAt(url)
  ui.press('w', 'y')
  await expect.poll(() => held.length).toBe(1)
  stop()
  held[0]?.()
  await ui.work.underWay.settled()
  expect(ui.work.kept.hold()).toBe(1)
  expect(await kept()).toEqual([['con_1', null]])
  expect(seen.map(({ method }) => method)).not.toContain('DELETE')
  expect(said).toEqual([expect.stringMatching(/^1 saved; crm jobs undo job_\w+ takes back what was saved$/)])
})

test('the answer to a deletion under way is awaited, and one that never comes has a command that shows the record', async () => {
  const held: ((status: number) => void)[] = []
  const { url } = await startServer((response, { method }) => {
    if (method === 'DELETE') held.push((status) => (status === 0 ? response.destroy() : sendJson(response, status, {})))
  })
  for (const [status, line] of [
    [200, 'Deleted Name 1'],
    [
      0,
      'Deletion of Name 1 (crm contacts get con_1 shows what became of it): stopped before the answer came; the server may have it all the same',
    ],
  ] as const) {
    const { ui, said, stop } = await uiAt(url)
    const sent = ui.work.deletions.commit()
    await expect.poll(() => held.length).toBe(1)
    stop()
    held.pop()?.(status)
    await sent
    expect(said).toEqual([line])
    expect(ui.work.deletions.waiting()).toEqual([])
  }
})
