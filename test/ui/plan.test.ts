import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { withList } from '../../src/ui/state.ts'
import { diffText, editDiff } from '../../src/ui/text/diff.ts'
import { drawFrame } from './draw-frame.tsx'
import { recordsWithJobs } from './records-with-jobs.ts'
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
  expect(screenOf(few)).toContain('❯[Cancel]')
  const many = await editing(21)
  many.press('y', 'enter')
  expect(screenOf(many)).toContain('Type 21 and Enter to send')
  many.press('esc', 'y')
  expect(many.store.get()).toMatchObject({ overlay: undefined, underWay: [] })
})

test('u takes back the last job: its rows have the values from before, here and on the server', async () => {
  const { ui, all } = await recordsWithJobs('contacts', [{ name: 'Ada' }, { name: 'Grace' }])
  ui.press('A', 'b', ...'company=New', 'enter', 'y')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/^2 saved/)
  ui.press('u')
  await expect.poll(() => screenOf(ui)).toContain('company: New -> (none) (2)')
  ui.press('esc', 'u')
  await expect.poll(() => screenOf(ui)).toMatch(/Undo 2 updates \(contacts\) on/)
  ui.press('y')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/2 of 2 done/)
  const companies = (rows: readonly CrmRecord[]) => rows.map(({ company }) => company ?? null)
  await expect.poll(() => companies(ui.store.get().lists.contacts.rows)).toEqual([null, null])
  expect(companies(await all('contacts'))).toEqual([null, null])
})

test('u on Jobs undoes the job under the cursor, and states why a job cannot be undone', async () => {
  const { ui, all } = await recordsWithJobs('contacts', [{ name: 'Ada' }])
  ui.press('A', 'b', ...'company=New', 'enter', 'y')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/^1 saved/)
  ui.press('5', 'enter')
  await expect.poll(() => ui.store.get().lists.jobs.rows.length).toBe(1)
  ui.press('u')
  await expect.poll(() => screenOf(ui)).toContain('Ada  company: New -> (none)')
  ui.press('y')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/1 of 1 done/)
  expect((await all('contacts'))[0]?.company ?? null).toBeNull()
  // It is taken back, on every screen.
  ui.press('1', 'enter', 'u')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toBe('There is no change of this session to undo')
  ui.press('5', 'enter', 'G', 'u')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/was undone by job_\w+, which is finished/)
})

test('a plan of many changes is grouped in one pass', () => {
  const edits = contacts(56_000).map((row) => ({ row, patch: { company: 'BULK' } }))
  expect(editDiff(edits).map(diffText)).toEqual(['company: (none) -> BULK (56,000)'])
})
