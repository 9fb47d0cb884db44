import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type KeptChange, openKeptChanges } from '../../src/settings/kept-changes.ts'
import { stage } from '../../src/ui/background/staging.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { searchedIn } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { jobsAt } from './jobs-at.ts'
import { contacts, shownAt } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

interface Stopped {
  readonly ui: TestUi
  readonly jobs: Awaited<ReturnType<typeof jobsAt>>
  readonly messages: string[]
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
  const page = { items: [one, two], nextCursor: undefined, searched: searchedIn('contacts') }
  ui.store.update((state) =>
    withList(state, 'contacts', (list) => stage(takePage(list, page), [one], ['company', 'New'])),
  )
  ui.background.deletions.hold('contacts', [two])
  const messages: string[] = []
  return {
    ...{ ui, jobs, messages },
    kept: async () => {
      const [file = ''] = readdirSync(folder)
      const { changes }: { changes: KeptChange[] } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      return changes.map(({ id, patch }) => [id, patch] as const)
    },
    stop: () => {
      end.abort(new Error('interrupted by SIGTERM', { cause: 'SIGTERM' }))
      ui.background.kept.hold()
      ui.background.notices.leaveScreen((line) => messages.push(line))
    },
  }
}

test('an edit stopped while the server does not answer is kept, and is not in a job, too', async () => {
  const { url, seen } = await startServer(() => {})
  const { ui, jobs, messages, kept, stop } = await uiAt(url)
  ui.press('w', 'y')
  await expect.poll(() => seen.length).toBe(1)
  expect(jobs.all()).toHaveLength(1)
  stop()
  // After a kill at this point only the job has the edit.
  expect(await kept()).toEqual([['con_1', null]])
  await ui.background.underWay.settled()
  expect(ui.background.kept.hold()).toBe(2)
  expect(await kept()).toEqual([
    ['con_0', { company: 'New' }],
    ['con_1', null],
  ])
  expect(jobs.all()).toEqual([])
  expect(messages).toEqual(['Not sent: stopped before anything more was sent'])
})

test('a kept deletion after a running edit is not sent at a stop, but kept, and no job must be resumed', async () => {
  const held: (() => void)[] = []
  const { url, seen } = await startServer((response, { method, path }) => {
    if (method === 'PATCH') held.push(() => sendJson(response, 200, { id: 'con_0', company: 'New' }))
    else sendJson(response, 200, shownAt(path))
  })
  const { ui, messages, kept, stop } = await uiAt(url)
  ui.press('w', 'y')
  await expect.poll(() => held.length).toBe(1)
  stop()
  held[0]?.()
  await ui.background.underWay.settled()
  expect(ui.background.kept.hold()).toBe(1)
  expect(await kept()).toEqual([['con_1', null]])
  expect(seen.map(({ method }) => method)).not.toContain('DELETE')
  expect(messages).toEqual([expect.stringMatching(/^1 saved; crm jobs undo job_\w+ reverts what was saved$/)])
})

test('the answer to a running deletion is awaited; without one a command shows the record', async () => {
  const held: ((status: number) => void)[] = []
  const { url } = await startServer((response, { method }) => {
    if (method === 'DELETE')
      held.push((status) => (status === 0 ? response.destroy() : response.writeHead(status).end()))
  })
  for (const [status, line] of [
    [204, 'Deleted Name 1'],
    [
      0,
      'Deletion of Name 1 (crm contacts get con_1 shows whether it was applied): in doubt: stopped before the answer; the server may have applied it',
    ],
  ] as const) {
    const { ui, messages, stop } = await uiAt(url)
    const sent = ui.background.deletions.commit('contacts')
    await expect.poll(() => held.length).toBe(1)
    stop()
    held.pop()?.(status)
    await sent
    expect(messages).toEqual([line])
    expect(ui.background.deletions.waiting('contacts')).toEqual([])
  }
})

const ADA = { id: 'con_0', name: 'Ada', version: 1 }

/** What each sends, and the message when it is done. */
const SINGLE: readonly {
  readonly what: string
  readonly write: (ui: TestUi) => Promise<void>
  readonly done: string
}[] = [
  {
    what: 'a change',
    write: (ui) => ui.background.writes.update('contacts', ADA, { company: 'New' }, false),
    done: 'Saved Ada',
  },
  {
    what: 'a new contact',
    write: (ui) => ui.background.writes.create('contacts', { name: 'Ada' }),
    done: 'Created Ada',
  },
  {
    what: 'a note',
    write: (ui) => ui.background.writes.addNote({ id: 'deal_1', name: 'Big' }, 'Called'),
    done: 'Added the note to Big; notes cannot be undone',
  },
]

for (const { what, write, done } of SINGLE) {
  test(`the answer to ${what} is awaited when crm is stopped; without one it is in doubt`, async () => {
    const held: ((isLost: boolean) => void)[] = []
    const { url } = await startServer((response, { method }) => {
      if (method === 'GET') sendJson(response, 200, { data: [], next_cursor: null })
      else held.push((isLost) => (isLost ? response.destroy() : sendJson(response, 200, ADA)))
    })
    const answered = await uiAt(url)
    const sent = write(answered.ui)
    await expect.poll(() => held.length).toBe(1)
    answered.stop()
    held.pop()?.(false)
    await sent
    expect(answered.messages).toEqual([done])
    const lost = await uiAt(url)
    const failing = write(lost.ui).catch((error: unknown) => error)
    await expect.poll(() => held.length).toBe(1)
    lost.stop()
    held.pop()?.(true)
    expect(await failing).toMatchObject({ details: { isInDoubt: true } })
  })
}

test('the answer to a saved form is awaited for a limited time; then the form is in doubt, with a command to look', async () => {
  const { url, seen } = await startServer(() => {})
  const { ui, messages, stop } = await uiAt(url)
  ui.press('e', 'ctrl-s')
  ui.press('esc', 'e', 'end', 'X', 'ctrl-s')
  await expect.poll(() => seen.length).toBe(1)
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  stop()
  await vi.advanceTimersByTimeAsync(7_900)
  expect(messages).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  vi.useRealTimers()
  await ui.background.underWay.settled()
  await expect
    .poll(() => messages)
    .toEqual([
      'Edit Name 0 (crm contacts get con_0 shows whether it was applied): in doubt: stopped before the answer; the server may have applied it',
    ])
})

test('the answer to a deal that is being moved is awaited, and the next is not sent', async () => {
  const service = await serveForTest()
  const url = new URL(service.url)
  const { api } = openClient(url, { key: service.key.text })
  const deals = [
    await api.deals.create({ name: 'One', stage: 'Lead' }, NO_KEY),
    await api.deals.create({ name: 'Two', stage: 'Lead' }, NO_KEY),
  ]
  const end = new AbortController()
  const stopped = openClient(url, { key: service.key.text, signal: end.signal }).api
  const ui = await uiOf('deals', { openApi: async () => stopped, signal: end.signal })
  const messages: string[] = []
  ui.background.notices.leaveScreen((line) => messages.push(line))
  const moved = ui.background.writes.update('deals', deals[0] ?? {}, { stage: 'Won' }, false)
  await expect.poll(() => ui.store.get().underWay.length).toBe(1)
  await setTimeout(3)
  end.abort(new Error('stopped', { cause: 'SIGTERM' }))
  await moved
  expect(messages).toEqual(['Moved One from Lead to Won'])
  await expect(ui.background.writes.update('deals', deals[1] ?? {}, { stage: 'Won' }, false)).rejects.toMatchObject({
    code: 'interrupted',
  })
})
