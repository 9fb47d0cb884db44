import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Env, emptyHome, tempFolder } from '../harness/home.ts'
import { ask } from '../harness/records.ts'
import { startService } from '../harness/service.ts'
import { CRM, startCrm } from './crm.ts'

const folder = tempFolder(afterAll)
const database = join(folder, 'crm.db')
const env: Env = emptyHome({}, afterAll)

function run(args: readonly string[], input?: Buffer) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CRM, 'serve', ...args], {
    env,
    input,
    maxBuffer: 2 ** 26,
  })
  return { exit: status, stdout, stderr: String(stderr) }
}

beforeAll(async () => {
  const service = await startService(['--database', database], afterAll)
  for (const name of ['Ada', 'Grace']) await ask(service, { method: 'POST', path: '/v1/contacts', body: { name } })
  await service.stop()
})

const contactsIn = (path: string) =>
  JSON.parse(String(run(['stats', '--database', path, '-o', 'json']).stdout)).contacts

test('a backup through a pipe is a database, and nothing stays beside it', () => {
  const { exit, stdout } = run(['backup', '-', '--database', database])
  expect(exit).toBe(0)
  expect(stdout.subarray(0, 15).toString()).toBe('SQLite format 3')
  const restored = join(folder, 'piped.db')
  const made = run(['restore', '-', '--database', restored, '-o', 'json'], stdout)
  expect(JSON.parse(String(made.stdout))).toEqual({
    file: null,
    database: restored,
    size_bytes: statSync(restored).size,
  })
  expect(contactsIn(restored)).toBe(2)
  expect(statSync(restored).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
})

test('a reader that leaves a backup early is an error', () => {
  const line = `'${process.execPath}' '${CRM}' serve backup - --database '${database}' | head -c 100 > /dev/null; exit \${PIPESTATUS[0]}`
  const { status, stderr } = spawnSync('bash', ['-c', line], { env })
  expect(String(stderr)).toContain('the reader of the copy is gone before its end')
  expect(status).toBe(13)
})

test('a backup that is cut off, changed or no database is not restored, and replaces nothing', () => {
  const bytes = run(['backup', '-', '--database', database]).stdout
  const damaged = Buffer.from(bytes).fill(0xff, 4096, 3 * 4096)
  for (const [input, reason] of [
    [bytes.subarray(0, bytes.length - 8192), /damaged|malformed/],
    [damaged, /damaged|malformed/],
    [Buffer.from('no database'), /not a database|no crm database/],
    [Buffer.alloc(0), /not a database|no crm database|empty/],
  ] as const) {
    const target = join(folder, 'never.db')
    const { exit, stderr } = run(['restore', '-', '--database', target], input)
    expect({ exit, stderr }).toMatchObject({ exit: 13, stderr: expect.stringMatching(reason) })
    expect(existsSync(target)).toBe(false)
  }
  const before = readFileSync(database)
  expect(run(['restore', '-', '--database', database], bytes)).toMatchObject({
    exit: 13,
    stderr: expect.stringContaining('exists'),
  })
  expect(readFileSync(database)).toEqual(before)
})

test('a restored file is not changed, and one in use is refused', () => {
  const backup = join(folder, 'backup.db')
  run(['backup', backup, '--database', database])
  const before = readFileSync(backup)
  expect(run(['restore', backup, '--database', join(folder, 'second.db')]).exit).toBe(0)
  expect(readFileSync(backup)).toEqual(before)
  writeFileSync(`${backup}-wal`, 'x')
  expect(run(['restore', backup, '--database', join(folder, 'third.db')])).toMatchObject({
    exit: 13,
    stderr: expect.stringContaining('it has a write-ahead log'),
  })
})

test('--every makes copies until it is stopped, and --keep removes older ones alone', async () => {
  const copies = tempFolder()
  writeFileSync(join(copies, 'crm-20200101T000000Z.db'), 'old')
  writeFileSync(join(copies, 'notes.db'), 'kept')
  // What copies that were killed have left, a week ago and now.
  const [old, young] = ['20200101T000000Z', '20990101T000000Z'].map((time) => `.crm-${time}.db.${randomUUID()}`)
  for (const name of [old, `${old}-journal`, young]) writeFileSync(join(copies, String(name)), 'part')
  const weekAgo = Date.now() / 1000 - 7 * 86_400
  for (const name of [old, `${old}-journal`]) utimesSync(join(copies, String(name)), weekAgo, weekAgo)
  const child = startCrm(['serve', 'backup', copies, '--every', '1s', '--keep', '2', '--database', database], env)
  onTestFinished(() => void child.kill('SIGKILL'))
  await vi.waitFor(() => expect(readdirSync(copies).filter((name) => name.startsWith('crm-20')).length).toBe(2), {
    timeout: 20_000,
  })
  await vi.waitFor(() => expect(existsSync(join(copies, 'crm-20200101T000000Z.db'))).toBe(false), { timeout: 20_000 })
  child.kill('SIGINT')
  const { exit, stderr } = await child.done
  expect(exit).toBe(0)
  expect(stderr).toContain('Removed crm-20200101T000000Z.db.')
  const left = readdirSync(copies)
  // A copy of another process that is being made is younger than a day.
  const unfinished = left.filter((name) => name.startsWith('.crm-2020') || name.startsWith('.crm-2099'))
  expect(unfinished).toEqual([young])
  expect(left).toContain('notes.db')
  for (const name of left.filter((each) => each.startsWith('crm-'))) expect(contactsIn(join(copies, name))).toBe(2)
})

test.each(['30d', '500ms'])('--every %s is refused', (every) => {
  const { exit, stderr } = run(['backup', 'copies', '--every', every])
  expect({ exit, stderr }).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('Expected a time from 1s to 24d.'),
  })
})

test('--keep without --every, and a copy on a terminal, are refused', () => {
  expect(run(['backup', 'x.db', '--keep', '2'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--keep needs --every'),
  })
  const { status, stdout } = spawnSync(
    'script',
    ['-qec', `'${process.execPath}' '${CRM}' serve backup - --database '${database}'`, '/dev/null'],
    { env },
  )
  if (status === null) return
  expect(String(stdout)).toContain('a database cannot be shown on a terminal')
})
