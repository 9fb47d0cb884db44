import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { searchedIn } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { diffText } from '../../src/ui/text/diff-line.ts'
import { editDiff } from '../../src/ui/text/plan-diff.ts'
import { ALL, allPages } from '../api/client-fixture.ts'
import { contactsWithJobs } from './contacts-with-jobs.ts'
import { drawFrame } from './draw-frame.tsx'
import { contact, contacts, listOf } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

function screenOf({ store, keymap, boards }: TestUi, hasColor = false): string {
  return drawFrame(store.get(), { theme: createTheme(hasColor ? '16' : 'none'), keymap, boards }).lines.join('\n')
}

test('equal changes are one line, old to new, the most frequent first', () => {
  const rows = [...Array(12).keys()].map((at) => contact(at, { company: at < 10 ? 'Acme' : 'Other' }))
  const edits = rows.map((row) => ({ row, patch: { company: 'BULK' } }))
  const own = { row: contact(99), patch: { phone: '+49 1', name: null } }
  expect(editDiff([...edits, own]).map(diffText)).toEqual([
    'company: Acme -> BULK (10)',
    'company: Other -> BULK (2)',
    'Name 99  phone: (none) -> +49 1',
    'Name 99  name: Name 99 -> (none)',
  ])
})

test('hostile values do not reach the terminal, and long ones are cut', () => {
  const [line] = editDiff([{ row: contact(1, { company: '\x1b[31mx' }), patch: { company: 'y'.repeat(500) } }])
  expect(line && diffText(line)).toMatch(/^Name 1 {2}company: \\x1b\[31mx -> y{60}…$/)
})

async function editing(count: number): Promise<TestUi> {
  const ui = await uiOf('contacts')
  const rows = [...Array(count).keys()].map((at) => contact(at, { company: `Old ${at}` }))
  ui.store.update((state) => withList(state, 'contacts', () => listOf(rows)))
  ui.press('A', 'b', ...'company=New', 'enter')
  return ui
}

test('a plan shows every change in red and green, and scrolls; keys of a typed count do not scroll', async () => {
  const ui = await editing(60)
  ui.press('w')
  expect(screenOf(ui)).toContain('1-33 of 60 lines')
  expect(screenOf(ui)).toContain('company: Old 0 -> New')
  expect(screenOf(ui, true)).toContain('\x1b[31mOld 0\x1b[39m -> \x1b[32mNew\x1b[39m')
  ui.press('down', 'pagedown')
  expect(screenOf(ui)).toContain('9-41 of 60 lines')
  ui.press('j')
  expect(screenOf(ui)).toContain('cancel: j')
  for (let at = 0; at < 20; at++) ui.press('pagedown')
  expect(screenOf(ui)).toContain('28-60 of 60 lines')
})

test('more than 20 updates are sent only after their number is typed', async () => {
  const few = await editing(20)
  few.press('w')
  expect(screenOf(few)).toContain('❯[Cancel]')
  const many = await editing(21)
  many.press('w', 'y', 'enter')
  expect(screenOf(many)).toContain('Type 21 and Enter to send')
  many.press('esc', 'q', 'k', 'k', 'k')
  many.press('enter')
  expect(screenOf(many)).toContain('Type 21 and Enter to send')
  expect(many.quits).toEqual([])
})

test('u takes back the last job: its rows have the values from before, here and on the server', async () => {
  const { ui, api } = await withJobs(['Ada', 'Grace'])
  ui.press('A', 'b', ...'company=New', 'enter', 'w', 'y')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/^2 saved/)
  ui.press('u')
  await expect.poll(() => screenOf(ui)).toContain('company: New -> (none) (2)')
  ui.press('esc', 'u')
  await expect.poll(() => screenOf(ui)).toMatch(/Undo job_\w+ on .*\? 2 changes/)
  ui.press('y')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/2 of 2 done/)
  const companies = (rows: readonly CrmRecord[]) => rows.map(({ company }) => company ?? null)
  await expect.poll(() => companies(ui.store.get().lists.contacts.rows)).toEqual([null, null])
  expect(companies((await allPages(api.contacts.list(ALL)))[0]?.items ?? [])).toEqual([null, null])
})

test('u on Jobs undoes the job under the cursor, and states why a job cannot be undone', async () => {
  const { ui, api } = await withJobs(['Ada'])
  ui.press('A', 'b', ...'company=New', 'enter', 'w', 'y')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/^1 saved/)
  ui.press('5', 'enter')
  await expect.poll(() => ui.store.get().lists.jobs.rows.length).toBe(1)
  ui.press('u')
  await expect.poll(() => screenOf(ui)).toContain('Ada  company: New -> (none)')
  ui.press('y')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/1 of 1 done/)
  expect((await allPages(api.contacts.list(ALL)))[0]?.items[0]?.company ?? null).toBeNull()
  ui.press('G', 'u')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/was undone by job_\w+, which is finished/)
})

/** Contacts of a real service on the screen, with jobs. */
async function withJobs(names: readonly string[]) {
  const { api, rows, ui } = await contactsWithJobs(names)
  const page = { items: rows, nextCursor: undefined, searched: searchedIn('contacts') }
  ui.store.update((state) => withList(state, 'contacts', (list) => takePage(list, page)))
  return { ui, api }
}

test('a plan of many changes is grouped in one pass', () => {
  const edits = contacts(56_000).map((row) => ({ row, patch: { company: 'BULK' } }))
  expect(editDiff(edits).map(diffText)).toEqual(['company: (none) -> BULK (56,000)'])
})
