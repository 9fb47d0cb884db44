import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'

function envOf(url: string, key: string) {
  const folder = tempFolder(onTestFinished)
  const env = emptyHome({ CRM_BASE_URL: url, CRM_API_KEY: key, CRM_STATE_HOME: join(folder, 'state') })
  return { folder, env }
}

/** crm serve with two contacts and two deals, of which one each has a member of its own. */
async function startOwn() {
  const service = await serveForTest()
  await service.send('POST', '/v1/contacts', { name: 'Ada', email: 'ada@example.test' })
  await service.send('POST', '/v1/contacts', { name: 'Bob', vip: true })
  await service.send('POST', '/v1/deals', { name: 'One', stage: 'Lead', amount: 10 })
  await service.send('POST', '/v1/deals', { name: 'Two', stage: 'Won', amount: 20, region: 'EU' })
  const { folder, env } = envOf(service.url, service.key.text)
  return { service, folder, run: (...argv: string[]) => crm(argv, env) }
}

/** Another server: no OpenAPI document, and no member that is null. */
async function startForeign(contacts: readonly object[], more: Readonly<Record<string, unknown>> = {}) {
  const { url, seen } = await startServer((response, { method, path }) => {
    const [route = ''] = path.split('?')
    if (method === 'GET' && route === '/v1/contacts') sendJson(response, 200, { data: contacts, next_cursor: null })
    else if (route in more) sendJson(response, 200, more[route])
    else if (method === 'PATCH') sendJson(response, 200, { id: route.split('/').at(-1) ?? '' })
    else sendJson(response, 404, { error: 'no such path' })
  })
  const { folder, env } = envOf(url.href, 'k_0123456789')
  const writes = () => seen.filter(({ method }) => method !== 'GET').length
  return { folder, writes, run: (...argv: string[]) => crm(argv, env) }
}

const FOREIGN = [
  { id: '1', mail: 'a@b' },
  { id: '2', mail: 'c@d', owner: { name: 'Ines' } },
]

describe('a list with a misspelt member in its expression prints its rows, and is exit 2', () => {
  test.for([
    { words: ['--where', '.emial == null', '-o', 'id'], rows: /^con_\S+\ncon_\S+\n$/, name: 'emial', meant: 'email' },
    { words: ['--where', '.compny == "x"', '-o', 'json'], rows: /^\[\]\n$/, name: 'compny', meant: 'company' },
    { words: ['--where', '.ownerId == null', '-o', 'id'], rows: /^con_/, name: 'ownerId', meant: 'owner_id' },
    { words: ['--jq', 'map(.nmae)'], rows: /null,\n {2}null/, name: 'nmae', meant: 'name' },
    { words: ['--jq', '.nmae', '-o', 'jsonl'], rows: /^null\nnull\n$/, name: 'nmae', meant: 'name' },
    {
      words: ['--fields', 'id,emial', '-o', 'csv'],
      rows: /^id,emial\r?\ncon_\S+,\r?\ncon_/,
      name: 'emial',
      meant: 'email',
    },
  ])('contacts list $words', async ({ words, rows, name, meant }) => {
    const { run } = await startOwn()
    const { exit, stdout, stderr } = await run('contacts', 'list', ...words)
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining(`has the member ${name}`) })
    expect(stderr).toContain(`did you mean ${meant}?`)
    expect(stdout).toMatch(rows)
  })

  test('deals list --summary nosuch', async () => {
    const { run } = await startOwn()
    const { exit, stdout, stderr } = await run('deals', 'list', '--summary', 'stge', '-o', 'json')
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining('did you mean stage?') })
    expect(JSON.parse(stdout)).toEqual([{ stge: null, count: 2, amount: 30 }])
  })
})

test('an export with a misspelt member leaves no file', async () => {
  const { run, folder } = await startOwn()
  const file = join(folder, 'all.jsonl')
  expect((await run('contacts', 'export', file, '--where', '.emial == null')).exit).toBe(2)
  expect((await run('contacts', 'export', file, '--fields', 'id,emial')).exit).toBe(2)
  expect(existsSync(file)).toBe(false)
  expect((await run('contacts', 'export', file, '--where', '.email == null')).exit).toBe(0)
  expect(readFileSync(file, 'utf8')).toContain('Bob')
})

test('the answer to a get is checked as well; that to a write is exit 3, because the write is done', async () => {
  const { run } = await startOwn()
  const made = await run('contacts', 'create', '--set', 'name=Cy', '--jq', '.idd')
  expect(made).toMatchObject({ exit: 3, stdout: 'null\n', stderr: expect.stringContaining('did you mean id?') })
  const { stdout: id } = await run('contacts', 'create', '--set', 'name=Di', '--jq', '.id')
  expect(await run('contacts', 'get', id.trim(), '--jq', '.nmae')).toMatchObject({ exit: 2, stdout: 'null\n' })
  expect(await run('contacts', 'get', id.trim(), '--jq', '.name')).toMatchObject({ exit: 0, stdout: 'Di\n' })
})

describe('nothing is refused', () => {
  test.for([
    { why: 'a member that one record has', words: ['--where', '.vip == true'] },
    { why: 'a member that only the server describes', words: ['--where', '.phone == null'] },
    { why: 'a member that `has` marks as optional', words: ['--where', 'has("nosuch") and .nosuch == 1'] },
    { why: 'a field of contacts that none of them has', words: ['--fields', 'id,phone,owner_id'] },
    { why: 'a member that one record has, in --fields', words: ['--fields', 'id,vip', '--where', '.vip == null'] },
    { why: 'a member in --fields that no record has and whose name resembles none', words: ['--fields', 'id,twitter'] },
    { why: '--fields that ids alone do not show', words: ['--fields', 'emial', '-o', 'id'] },
    { why: 'what is no member of the record', words: ['--jq', 'map(to_entries[] | .key) | unique'] },
    { why: 'a name that --fields makes', words: ['--fields', 'id,vip.a', '--jq', 'map(."vip.a")'] },
  ])('where it uses $why', async ({ words }) => {
    const { run } = await startOwn()
    expect(await run('contacts', 'list', ...words)).toMatchObject({ exit: 0 })
  })

  test('of a list without records', async () => {
    const { run } = await startForeign([])
    expect(await run('contacts', 'list', '--where', '.emial == null')).toMatchObject({ exit: 0 })
    expect(await run('contacts', 'list', '--fields', 'emial')).toMatchObject({ exit: 0 })
  })

  test('of --fields that name a member with a dot in its name, and one in an object that is null', async () => {
    const { run } = await startForeign([{ id: '1', 'owner.name': 'Ines', home: null }])
    expect(await run('contacts', 'list', '--fields', 'owner.name,home.city')).toMatchObject({ exit: 0 })
    expect(await run('contacts', 'list', '--fields', 'owner.nmae')).toMatchObject({ exit: 2 })
  })
})

describe('a change of many is checked before anything is sent', () => {
  test.for([
    { slip: ['--where', '.mial == null', '--set', 'mail=x'], names: /--where: .* mial/ },
    { slip: ['--where', '.owner.nmae == null', '--set', 'mail=x'], names: /--where: .* owner\.nmae/ },
    { slip: ['--where', '.mail != null', '--set', 'mial=x'], names: /--set: .* mial\n.*--new-field/ },
    { slip: ['--where', '.mial | test("x")', '--set', 'mail=x'], names: /--where: .* mial/ },
  ])('contacts update $slip', async ({ slip, names }) => {
    const { run, writes } = await startForeign(FOREIGN)
    const { exit, stderr } = await run('contacts', 'update', ...slip, '--yes')
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringMatching(names) })
    expect(writes()).toBe(0)
  })

  test('a misspelt delete finds none and is exit 2; --new-field writes a member that no record has', async () => {
    const { run, writes } = await startForeign(FOREIGN)
    expect(await run('contacts', 'delete', '--where', '.mial == "a@b"', '--yes', '--expect', '0')).toMatchObject({
      exit: 2,
    })
    expect(writes()).toBe(0)
    const made = await run('contacts', 'update', '--where', '.mail != null', '--set', 'fax=1', '--new-field', '--yes')
    expect(made).toMatchObject({ exit: 0 })
    expect(writes()).toBe(2)
    expect(await run('contacts', 'update', '1', '--set', 'emial=x')).toMatchObject({ exit: 2 })
    expect(await run('contacts', 'update', '1', '--set', 'emial=x', '--new-field')).toMatchObject({ exit: 0 })
  })
})

describe('--compute', () => {
  test('with a name that no row has is exit 2 before anything is sent', async () => {
    const { run, writes } = await startForeign([])
    const { writeFileSync } = await import('node:fs')
    const file = join(tempFolder(onTestFinished), 'people.csv')
    writeFileSync(file, 'first,last,phone\nAda,L,\nBob,,\n')
    const words = ['contacts', 'import', file, '--map', 'first=,last=', '--yes', '--dry-run', '--compute']
    const slip = await run(...words, 'name=.frist + .last')
    expect(slip).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/--compute name: .* frist\n.*did you mean first\?/),
    })
    expect(await run(...words, 'name=.first + .last', '--compute', 'note=.phone // .name')).toMatchObject({ exit: 0 })
    expect(writes()).toBe(0)
  })
})

describe('--filter stage', () => {
  test.for([
    { filter: 'stage=Wno', words: ['deals', 'list'], says: 'did you mean Won?' },
    { filter: 'stage=Won,Leda', words: ['deals', 'list', '--summary', 'stage'], says: 'did you mean Lead?' },
  ])('$filter of $words says that there is no such stage', async ({ filter, words, says }) => {
    const { run } = await startOwn()
    const { exit, stderr } = await run(...words, '--filter', filter)
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining(says) })
  })

  test('of a stage without deals is an empty list, and an export with a misspelt stage leaves no file', async () => {
    const { run, folder } = await startOwn()
    expect(await run('deals', 'list', '--filter', 'stage=Lost')).toMatchObject({ exit: 0, stderr: 'No deals.\n' })
    const file = join(folder, 'deals.csv')
    expect(await run('deals', 'export', file, '--filter', 'stage=Wno')).toMatchObject({ exit: 2 })
    expect(existsSync(file)).toBe(false)
  })
})

describe('an expression that fails on some records', () => {
  const MIXED = [
    { id: '1', at: '2026-01-01' },
    { id: '2', at: null },
    { id: '3', at: 'x' },
  ]

  test('stops with their number', async () => {
    const { run } = await startForeign(MIXED)
    const { exit, stderr } = await run('contacts', 'list', '--where', '.at | older_than("1d")')
    expect(exit).toBe(2)
    expect(stderr).toContain('--where fails on 2 records, the first is record "2": null is not a time')
    expect(stderr).toContain('--where-errors skip')
  })

  test('stops after the rows before the first of them', async () => {
    const { run } = await startForeign([...MIXED, { id: '4', at: '2026-01-01' }])
    const { exit, stdout } = await run('contacts', 'list', '--where', '.at | older_than("1d")', '-o', 'id')
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '1\n' })
  })

  test('does not matter behind the last record that --limit asks for', async () => {
    const { run } = await startForeign([...MIXED, { id: '4', at: '2026-01-01' }])
    const words = ['--where', '.at | older_than("1d")', '--limit', '1', '-o', 'id']
    expect(await run('contacts', 'list', ...words)).toMatchObject({ exit: 0, stdout: '1\n' })
  })

  test('leaves them out and counts them with --where-errors skip', async () => {
    const { run } = await startForeign(MIXED)
    const words = ['--where', '.at | older_than("1d")', '--where-errors', 'skip']
    expect(await run('contacts', 'list', ...words, '-o', 'id')).toEqual({
      exit: 0,
      stdout: '1\n',
      stderr:
        'Left out: 2 records that --where fails on, the first is record "2": null is not a time, expected one such as 2026-01-31T09:30:00.000Z, or 2026-01-31\n',
    })
  })

  test('stops a deletion by an amount that some records have as a text', async () => {
    const { run, writes } = await startForeign([
      { id: '1', score: '500.00' },
      { id: '2', score: 2000 },
    ])
    const words = ['--where', '.score > 1000']
    const reason = 'record "1": score is the text "500.00", not a number; use (.score|tonumber) > 1000'
    expect(await run('contacts', 'delete', ...words, '--yes')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(reason),
    })
    expect(writes()).toBe(0)
    // A default would not help.
    expect(await run('contacts', 'list', ...words, '-o', 'id')).toMatchObject({
      exit: 2,
      stderr: `crm: --where fails on ${reason}\n  --where-errors skip leaves such records out and counts them\n`,
    })
  })

  test('stops a change of many before anything is sent, or changes the others', async () => {
    const { run, writes } = await startForeign(MIXED)
    const words = ['contacts', 'update', '--where', '.at | older_than("1d")', '--set', 'at=', '--yes']
    expect(await run(...words)).toMatchObject({ exit: 2, stderr: expect.stringContaining('fails on 2 records') })
    expect(writes()).toBe(0)
    const skipped = await run(...words, '--where-errors', 'skip')
    expect(skipped).toMatchObject({ exit: 0, stderr: expect.stringContaining('Left out: 2 records') })
    expect(writes()).toBe(1)
  })
})
