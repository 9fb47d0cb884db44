import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { jobsAt } from './jobs-at.ts'
import { recordsWithJobs } from './records-with-jobs.ts'
import { contacts, listOf, shownAt } from './rows.ts'
import { uiOf } from './ui-of.ts'

const FORCED = { ...NO_KEY, ifMatch: undefined }

const changed = (rows: readonly CrmRecord[], patch = { company: 'New' }) => rows.map((row) => ({ row, patch }))

test('deletions of marked rows are one job after their plan, and one u creates all again', async () => {
  const people = ['Ada', 'Bea', 'Cyd'].map((name) => ({ name, company: 'Acme' }))
  const { ui, jobs, all, overlay, said, shown, settled } = await recordsWithJobs('contacts', people)
  ui.press(' ', ' ', 'd')
  expect(overlay()).toMatchObject({
    title: 'Send 2 deletions to test http://crm.test?',
    diff: ['Ada', 'Bea'].map((old) => expect.objectContaining({ label: 'delete', old })),
  })
  ui.press('d', 'enter')
  expect([overlay(), jobs.all(), (await all('contacts')).length]).toEqual([undefined, [], 3])
  ui.press('d', 'y')
  await expect.poll(said).toContainEqual(expect.stringMatching(/^2 deleted; crm jobs undo job_\w+ takes it back/))
  expect([shown('name'), (await all('contacts')).length, jobs.all().length]).toEqual([['Cyd'], 1, 1])
  expect(ui.store.get().lists.contacts.marks.size).toBe(0)
  ui.press('u')
  await expect.poll(overlay).toMatchObject({ title: expect.stringMatching(/^Undo 2 deletions \(contacts\) on/) })
  ui.press('y')
  await expect.poll(() => shown('name').toSorted()).toEqual(['Ada', 'Bea', 'Cyd'])
  await settled()
  expect((await all('contacts')).map(({ company }) => company)).toEqual(['Acme', 'Acme', 'Acme'])
})

test('a deletion of a record that others changed is refused, and asked about over what they made of it', async () => {
  const { ui, api, rows, all, overlay } = await recordsWithJobs('contacts', [{ name: 'Ada', company: 'Old' }])
  await api.contacts.update(String(rows[0]?.id), { company: 'Theirs' }, FORCED)
  ui.press('d', 'y')
  await expect.poll(overlay).toMatchObject({
    title: expect.stringMatching(/^Send 1 deletion to/),
    lines: expect.arrayContaining([expect.stringContaining('Ada: company theirs Theirs, before Old')]),
  })
  expect(await all('contacts')).toHaveLength(1)
  ui.press('y')
  await expect.poll(() => all('contacts')).toEqual([])
})

test('an edit of a record that others changed is refused, and its plan is shown again over their value', async () => {
  const { ui, api, rows, all, overlay, shown } = await recordsWithJobs('contacts', [{ name: 'Ada', company: 'Old' }])
  await api.contacts.update(String(rows[0]?.id), { company: 'Theirs' }, FORCED)
  ui.press('b', ...'company=New', 'enter', 'y')
  await expect.poll(overlay).toMatchObject({
    ...{ type: 'confirm', isOnCancel: true, diff: [expect.objectContaining({ old: 'Theirs', new: 'New' })] },
    lines: expect.arrayContaining(['Ada: company theirs Theirs, yours New, before Old']),
  })
  expect([(await all('contacts'))[0]?.company, shown('company')]).toEqual(['Theirs', ['Theirs']])
  ui.press('y')
  await expect.poll(async () => (await all('contacts'))[0]?.company).toBe('New')
})

test('a row that the server refuses stays marked, and Jobs has its reason', async () => {
  const deals = ['One', 'Two'].map((name) => ({ name, stage: 'Lead', pipeline_id: 'sales' }))
  const { ui, rows, said, shown } = await recordsWithJobs('deals', deals)
  ui.press('A')
  const [one = {}, two = {}] = rows
  const changes = [
    { row: one, patch: { stage: 'Nowhere' } },
    { row: two, patch: { stage: 'Won' } },
  ]
  await ui.background.sendChanges({ name: 'deals', changes })
  expect(said()).toContainEqual(
    expect.stringMatching(/^1 saved, 1 not; crm jobs undo job_\w+ takes it back; Jobs shows why/),
  )
  expect([shown('stage'), [...ui.store.get().lists.deals.marks]]).toEqual([['Lead', 'Won'], [one.id]])
})

test('rows that have the value already are not in the plan, and alone they send nothing', async () => {
  const people = [{ name: 'Ada', company: 'New' }, { name: 'Bea' }]
  const { ui, overlay, jobs, said } = await recordsWithJobs('contacts', people)
  ui.press('b', ...'company=New', 'enter')
  expect([overlay(), said()[0]]).toEqual([undefined, 'All of them have this value already; nothing was sent'])
  ui.press('A', 'b', ...'company=New', 'enter')
  expect(overlay()).toMatchObject({ diff: [expect.objectContaining({ label: 'Bea  company' })] })
  expect(jobs.all()).toEqual([])
})

test('what a stopped job did not send is left to it, with its command', async () => {
  const { url } = await startServer((response, { method, path }) => {
    if (method !== 'PATCH') return sendJson(response, 200, shownAt(path))
    if (path.endsWith('con_0')) return sendJson(response, 200, { id: 'con_0', company: 'New' })
    sendJson(response, 401, { detail: 'revoked' })
  })
  const jobs = await jobsAt(url, 'k')
  const ui = await uiOf('contacts', { openApi: async () => openClient(url).api, openJobs: async () => jobs })
  ui.store.update((state) => withList(state, 'contacts', () => listOf(contacts(2))))
  await ui.background.sendChanges({ name: 'contacts', changes: changed(contacts(2)) })
  expect(ui.store.get().lists.log.rows.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^1 saved, 1 left to job_\w+/),
  )
})
