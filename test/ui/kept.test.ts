import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type KeptChange, type KeptForm, openKeptChanges } from '../../src/settings/kept-changes.ts'
import { restoreKept } from '../../src/ui/actions/kept.ts'
import type { BackgroundWorld } from '../../src/ui/background/parts.ts'
import { type Form, formIn } from '../../src/ui/overlay.ts'
import { withList } from '../../src/ui/state.ts'
import { diffText } from '../../src/ui/text/diff.ts'
import { inputText } from '../../src/ui/text/text-input.ts'
import { NO_KEY } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { recordsWithJobs } from './records-with-jobs.ts'
import { listOf } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const ADA = { id: 'con_0', name: 'Ada', company: 'Old', version: 1 }

/** The folder of what is kept; each `open` is another session. */
async function keptAt(changes: readonly KeptChange[] = [], forms: readonly KeptForm[] = []) {
  const env = { CRM_STATE_HOME: await tempFolder() }
  const open = () => openKeptChanges(env, 'http://crm.test/')
  if (changes.length + forms.length > 0) open().release(changes, forms)
  return { open, home: env.CRM_STATE_HOME, take: () => open().take() }
}

async function started(world: Partial<BackgroundWorld>): Promise<TestUi> {
  const ui = await uiOf('deals', world)
  await restoreKept(ui)
  return ui
}

function formOf({ store }: TestUi): Form {
  return formIn(store.get().overlay) ?? expect.fail(`no form but ${store.get().overlay?.type}`)
}

const textsOf = (ui: TestUi) => Object.fromEntries(formOf(ui).fields.map(({ name, input }) => [name, inputText(input)]))

const said = ({ store }: TestUi) => store.get().lists.log.rows.map(({ message }) => String(message))

async function typing(open: () => ReturnType<typeof openKeptChanges>): Promise<TestUi> {
  const ui = await uiOf('contacts', { changes: open() })
  ui.store.update((state) => withList(state, 'contacts', () => listOf([ADA])))
  ui.press('e', 'X')
  return ui
}

test('what is typed is on disk soon, private, and gone with the form: a process that is killed loses none', async () => {
  const { open, home } = await keptAt()
  const ui = await typing(open)
  const folder = join(home, 'browse')
  const files = () =>
    readdirSync(home).includes('browse') ? readdirSync(folder).map((name) => join(folder, name)) : []
  await expect.poll(files).toHaveLength(1)
  const [path = ''] = files()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(path, 'utf8')).forms).toMatchObject([{ list: 'contacts', texts: { name: 'AdaX' } }])
  ui.press('esc', 'j', 'enter')
  await expect.poll(files).toEqual([])
})

for (const [how, keys] of [
  ['kept', ['ctrl-c', 'ctrl-c']],
  ['stopped by a signal', []],
] as const) {
  test(`a form that was ${how} is offered at the next start, with its text over the current record`, async () => {
    const { open, take } = await keptAt()
    const ui = await typing(open)
    ui.press(...keys)
    ui.background.kept.hold()
    ui.background.kept.release()
    const now = { ...ADA, name: 'Ada L.', company: 'Other', version: 2 }
    const next = await started({ changes: open(), findRecords: async () => new Map([['con_0', now]]) })
    expect(next.store.get().overlay).toMatchObject({
      ...{ type: 'choice', title: 'A form of the last session was not saved', lines: ['contacts Ada: name=AdaX'] },
      options: ['Open it', 'Drop it', 'Keep it for the next start'],
    })
    next.press('enter')
    await expect.poll(() => next.store.get().overlay?.type).toBe('form')
    expect(textsOf(next)).toMatchObject({ name: 'AdaX', company: 'Other' })
    expect(formOf(next).fields[0]?.problem).toBe('is Ada L. now, and was Ada')
    next.press('esc', 'j', 'enter')
    next.background.kept.release()
    expect((await take()).forms).toEqual([])
  })
}

test('a form that is kept for later is offered again, and one that is dropped is not', async () => {
  const { open, take } = await keptAt([], [{ list: 'contacts', before: null, texts: { name: 'Bob' }, problem: null }])
  const later = await started({ changes: open() })
  later.press('G', 'enter', ':', ...'kept', 'enter')
  expect(later.store.get().overlay).toMatchObject({ lines: ['contacts new: name=Bob'] })
  later.press('esc')
  later.background.kept.release()
  const next = await started({ changes: open() })
  next.press('j', 'enter')
  next.background.kept.release()
  expect((await take()).forms).toEqual([])
})

test('a form whose record was deleted is told with its text, and one whose record cannot be read stays kept', async () => {
  const form = { list: 'contacts', before: ADA, texts: { company: 'New' }, problem: null } as const
  const deleted = await started({ changes: (await keptAt([], [form])).open(), findRecords: async () => new Map() })
  deleted.press('enter')
  await expect
    .poll(() => said(deleted))
    .toEqual(['Not restored, because the record was deleted: contacts Ada: company=New'])
  const { open, take } = await keptAt([], [form])
  const ui = await started({ changes: open() })
  ui.press('enter')
  await expect.poll(() => said(ui)[0]).toContain('The form cannot be opened, and stays kept: ')
  ui.background.kept.release()
  expect((await take()).forms).toHaveLength(1)
})

test('a form that was discarded at once after a key is on disk neither then nor later', async () => {
  const { open, take } = await keptAt()
  const ui = await typing(open)
  ui.press('ctrl-c', 'up', 'enter')
  expect(ui.quits).toEqual(['discard'])
  await sleep(1_000)
  expect((await take()).forms).toEqual([])
  expect((await take()).heldBy).toEqual([])
})

/** Changes that an earlier version kept of records of a real service. */
async function earlier(changesOf: (rows: readonly Readonly<Record<string, unknown>>[]) => readonly object[]) {
  const people = ['Ada', 'Bea', 'Cyd'].map((name) => ({ name, company: 'Old' }))
  const screen = await recordsWithJobs('contacts', people)
  const kept = await keptAt(changesOf(screen.rows) as readonly KeptChange[])
  const world = {
    openApi: async () => screen.api,
    openJobs: async () => screen.jobs,
    findRecords: async (_: unknown, ids: readonly string[]) =>
      new Map(
        (await screen.all('contacts')).flatMap((row) => (ids.includes(String(row.id)) ? [[String(row.id), row]] : [])),
      ),
    changes: kept.open(),
  } as const
  return { ...screen, ...kept, ui: await started(world) }
}

const update = (before: Readonly<Record<string, unknown>> | undefined, patch: object | null) => ({
  ...{ list: 'contacts', id: String(before?.id), patch, before },
})

test('changes that an earlier version kept are offered once as the plan of jobs, and are in no file after that', async () => {
  const { ui, all, jobs, take } = await earlier(([ada, bea]) => [update(ada, { company: 'New' }), update(bea, null)])
  expect(ui.store.get().overlay).toMatchObject({
    title: '2 changes were kept by an earlier version of crm, and not sent',
  })
  ui.press('enter')
  const plan = ui.store.get().overlay
  expect(plan).toMatchObject({ type: 'confirm', title: 'Send 1 update and 1 deletion to test http://crm.test?' })
  expect(plan?.type === 'confirm' && plan.diff?.map(diffText)).toEqual(['Ada  company: Old -> New', 'delete: Bea'])
  ui.press('y')
  await expect.poll(() => jobs.all().length).toBe(2)
  await expect
    .poll(async () => (await all('contacts')).map(({ name, company }) => [name, company]).toSorted())
    .toEqual([
      ['Ada', 'New'],
      ['Cyd', 'Old'],
    ])
  await ui.background.underWay.settled()
  ui.background.kept.release()
  expect((await take()).changes).toEqual([])
})

test('a kept change of a record that was changed since is shown over that, and not sent; nor is a second one of its record', async () => {
  const { ui, api, all, rows } = await earlier(([ada, bea]) => [
    update(ada, { company: 'Mine' }),
    update(bea, { company: 'One' }),
    update(bea, { company: 'Two' }),
  ])
  await api.contacts.update(String(rows[0]?.id), { company: 'Theirs' }, { ...NO_KEY, ifMatch: undefined })
  ui.press('enter', 'y')
  await expect
    .poll(() => JSON.stringify(ui.store.get().overlay))
    .toContain('Ada: company theirs Theirs, yours Mine, before Old')
  await expect.poll(() => said(ui).join()).toContain('Bea: company theirs One, yours Two, before Old')
  const companies = (await all('contacts')).map(({ name, company }) => [name, company]).toSorted()
  expect(companies.slice(0, 2)).toEqual([
    ['Ada', 'Theirs'],
    ['Bea', 'One'],
  ])
})

test('kept changes can be written to a file that is named, and stay kept until one of both is done', async () => {
  const { ui, home, open, take, jobs } = await earlier(([ada]) => [update(ada, { company: 'New' })])
  ui.press('enter', 'esc')
  ui.background.kept.release()
  const next = await started({ changes: open() })
  next.press('j', 'enter')
  const path = / to (.*)$/.exec(said(next)[0] ?? '')?.[1] ?? ''
  expect(path.startsWith(home)).toBe(true)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ list: 'contacts', patch: { company: 'New' } })
  expect([statSync(path).mode & 0o777, jobs.all()]).toEqual([0o600, []])
  next.background.kept.release()
  expect((await take()).changes).toEqual([])
})

test('what belongs to another server is not taken', async () => {
  const env = { HOME: await tempFolder() }
  openKeptChanges(env, 'http://one.test/').release([{ list: 'contacts', id: 'con_1', patch: { a: 1 }, before: {} }])
  expect((await openKeptChanges(env, 'http://other.test/').take()).changes).toEqual([])
  expect((await openKeptChanges(env, 'http://one.test/').take()).changes).toHaveLength(1)
})
