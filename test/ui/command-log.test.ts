import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandText, memberWords, plainJson, targetWord } from '../../src/ui/background/done-commands.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { jobsAt } from './jobs-at.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const shown = ({ store }: TestUi) => store.get().lists.commands.rows.map(({ command }) => command)

async function atServer(): Promise<TestUi & { readonly key: string; readonly pipeline: string }> {
  const service = await serveForTest()
  const { api } = openClient(new URL(service.url), { key: service.key.text })
  const jobs = await jobsAt(new URL(service.url), service.key.text)
  for (const name of ['Ada', 'Grace', "O'Neil"]) await api.contacts.create({ name }, NO_KEY)
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs })
  ui.store.update((state) => ({ ...state, place: { ...state.place, profile: 'staging' } }))
  await ui.background.lists.all('contacts')
  return Object.assign(ui, { key: service.key.text, pipeline: 'sales' })
}

/** What a shell makes of a text, as the words after `crm`. */
function readBack(text: string): readonly string[] {
  const { stdout, status } = spawnSync('sh', ['-c', `crm() { for w in "$@"; do printf '%s\\0' "$w"; done; }\n${text}`])
  expect(status).toBe(0)
  return stdout.toString().split('\0').slice(0, -1)
}

test('an edit, its undo, a new record and a deletion are commands with their values, for the same profile', async () => {
  const ui = await atServer()
  const [row] = ui.store.get().lists.contacts.rows
  if (!row) return expect.fail('no contact')
  await ui.background.writes.update('contacts', row, { company: "Bell & 'Co'", phone: null }, false)
  ui.press('u')
  await expect.poll(() => ui.store.get().overlay?.type).toBe('confirm')
  ui.press('y')
  await expect.poll(() => shown(ui).length).toBe(2)
  await ui.background.writes.create('contacts', { name: 'Edsger' })
  const [after = {}] = ui.store.get().lists.contacts.rows.filter(({ id }) => id === row.id)
  await ui.background.sendChanges({ name: 'contacts', changes: [{ row: after, patch: null }] })
  const created = ui.store.get().lists.contacts.rows.find(({ name }) => name === 'Edsger')
  expect(created).toBeDefined()
  expect(shown(ui)).toEqual([
    `crm contacts update ${row.id} --set 'company=Bell & '\\''Co'\\''' --set phone:=null -p staging`,
    `crm contacts update ${row.id} --set company:=null --set phone:=null -p staging`,
    'crm contacts create --set name=Edsger -p staging',
    `crm contacts delete ${row.id} --yes -p staging`,
  ])
})

test('edits sent as a job are one command with a row for each that was saved', async () => {
  const ui = await atServer()
  const { rows } = ui.store.get().lists.contacts
  const changes = rows.map((row) => ({ row, patch: { company: 'Acme' } }))
  await ui.background.sendChanges({ name: 'contacts', changes })
  expect(shown(ui)).toEqual([
    expect.stringMatching(
      /^crm contacts update --from - --format jsonl --run-id again-job_\w+ --yes -p staging {2}# 3 rows$/,
    ),
  ])
  const text = ui.background.commands.scriptOf('1')
  for (const { id } of rows) expect(text).toContain(`\n${JSON.stringify({ id, company: 'Acme' })}\n`)
  expect(text).toMatch(/<<'CRM_ROWS'\n[\s\S]*\nCRM_ROWS$/)
})

test('a script is private, never overwrites, and a shell reads it', async () => {
  const ui = await atServer()
  ui.background.commands.add(['notes', 'add', 'deal_1', '--set', 'body=two\nlines'])
  ui.background.commands.addMembers(['contacts', 'create'], { name: "O'Neil $HOME `id`" })
  const path = join(await tempFolder(), 'again.sh')
  ui.press('@', 'x', ...Array.from('crm-commands.sh', () => 'backspace'), ...path, 'enter')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toBe(`Wrote 2 to ${path}: sh ${path} runs them`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readBack(readFileSync(path, 'utf8')).slice(-6)).toEqual([
    'contacts',
    'create',
    '--set',
    "name=O'Neil $HOME `id`",
    '-p',
    'staging',
  ])
  writeFileSync(path, 'mine')
  ui.press('x', ...Array.from('crm-commands.sh', () => 'backspace'), ...path, 'enter')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toContain('it exists already')
  expect(readFileSync(path, 'utf8')).toBe('mine')
})

test('control characters never reach a command: they become JSON escapes, or a comment', async () => {
  const ui = await uiOf('contacts')
  ui.background.commands.addMembers(['contacts', 'update', 'con_1'], { name: 'a\x1b]0;b\x07', company: 'x\u202ey' })
  ui.background.commands.add(['contacts', 'delete', 'con\x1b[2J', '--yes'])
  expect(shown(ui)).toEqual([
    `crm contacts update con_1 --set 'name:="a\\u001b]0;b\\u0007"' --set 'company:="x\\u202ey"'`,
    expect.stringMatching(/^# a value has control characters: /),
  ])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be in it
  expect(shown(ui).join('')).not.toMatch(/[\x00-\x1f\x7f\u202e]/)
})

test('an address that may hold a secret becomes a variable', () => {
  expect(targetWord('http://127.0.0.1:3000/hook')).toBe('http://127.0.0.1:3000/hook')
  for (const url of ['http://user:pw@host/', 'https://host/hook?token=abc']) {
    expect(commandText(['webhooks', 'replay', 'evt_1', '--to', targetWord(url)])).toBe(
      'crm webhooks replay evt_1 --to "$TARGET_URL"',
    )
  }
})

test('names that --set would read as something else are given as a record', () => {
  expect(memberWords({ 'a.b': 'x', 'c:': 1 })).toEqual({ words: ['--data', '-'], input: ['{"a.b":"x","c:":1}'] })
  expect(plainJson({ n: [1, null, 'é'] })).toBe('{"n":[1,null,"é"]}')
})

test('before the first change the screen says what it will hold, and y and x are refused', async () => {
  const ui = await uiOf('contacts')
  ui.press('@', 'y')
  expect(ui.store.get().toasts.at(-1)?.text).toBe('Copy the command: nothing was changed yet')
})
