import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openKeptChanges } from '../../src/settings/kept-changes.ts'
import { withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { jobsAt } from './jobs-at.ts'
import { contacts, listOf, shownAt } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

async function uiAt(url: URL) {
  const end = new AbortController()
  const { signal } = end
  const { api } = openClient(url, { signal })
  const jobs = await jobsAt(url, 'k', signal)
  const changes = openKeptChanges({ CRM_STATE_HOME: await tempFolder() }, url.href)
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs, changes, signal })
  ui.store.update((state) => withList(state, 'contacts', () => listOf(contacts(2))))
  const messages: string[] = []
  return {
    ...{ ui, jobs, messages },
    stop: () => {
      end.abort(new Error('interrupted by SIGTERM', { cause: 'SIGTERM' }))
      ui.background.kept.hold()
      ui.background.notices.leaveScreen((line) => messages.push(line))
    },
  }
}

const EDIT = ['A', 'b', ...'company=New', 'enter', 'y'] as const

test('a plan that was confirmed is in its job when crm is stopped while the server does not answer', async () => {
  const { url, seen } = await startServer(() => {})
  const { ui, jobs, messages, stop } = await uiAt(url)
  ui.press(...EDIT)
  await expect.poll(() => seen.length).toBeGreaterThan(0)
  expect(jobs.all()).toHaveLength(1)
  stop()
  await ui.background.underWay.settled()
  const [paths] = jobs.all()
  expect(messages.join(' ')).toContain(`0 saved, 2 left to ${paths?.id}`)
  expect(messages.join(' ')).toContain(`crm jobs resume ${paths?.id}`)
})

for (const { what, keys, method, answer, done } of [
  { what: 'edits', keys: EDIT, method: 'PATCH', answer: 200, done: 'saved' },
  { what: 'deletions', keys: ['A', 'd', 'y'], method: 'DELETE', answer: 204, done: 'deleted' },
]) {
  test(`the answers to running ${what} are awaited at a stop, and nothing is left to resume`, async () => {
    const held: (() => void)[] = []
    const { url } = await startServer((response, { method: asked, path }) => {
      if (asked !== method) return sendJson(response, 200, shownAt(path))
      const body = { id: path.split('/').at(-1), company: 'New' }
      held.push(() => (answer === 204 ? response.writeHead(204).end() : sendJson(response, answer, body)))
    })
    const { ui, messages, stop } = await uiAt(url)
    ui.press(...keys)
    await expect.poll(() => held.length).toBe(2)
    stop()
    for (const send of held) send()
    await ui.background.underWay.settled()
    expect(messages).toEqual([expect.stringMatching(new RegExp(`^2 ${done}; crm jobs undo job_\\w+ takes it back$`))])
  })
}

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
    write: (ui) => ui.background.writes.addNote('deals', { id: 'deal_1', name: 'Big' }, 'Called'),
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
