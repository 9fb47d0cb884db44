import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listen, sendJson, startServer } from '../api/answering-server.ts'
import { crm, startRun } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { startProxy } from '../harness/proxy.ts'
import { serveForTest } from '../service/serve-for-test.ts'

/** The words of a command in a hint, as a shell reads them. */
function typed(command: string): string[] {
  return [...command.replace(/^crm /, '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

function described(lines: string): string {
  const file = join(tempFolder(), 'theirs.yaml')
  writeFileSync(file, `connector: 2\nname: theirs\n${lines}\n`)
  return file
}

test('the hint for a port in use keeps the flags that were typed', async () => {
  const { port } = await listen(createServer())
  const { exit, stderr } = await crm(['serve', '--database', ':memory:', '--port', port, '--log', 'none'], emptyHome())
  expect([exit, stderr]).toEqual([
    13,
    expect.stringContaining('\n  crm serve --database :memory: --log none --port 0\n'),
  ])
})

test('the hint for plain http allows it for the address of the environment', async () => {
  // Of the documentation (RFC 5737): it is refused before anything is sent there.
  const env = emptyHome({ CRM_BASE_URL: 'http://192.0.2.1', CRM_API_KEY: 'k' })
  const list = ['contacts', 'list', '--max-wait', '1s', '--timeout', '1s']
  const { exit, stderr } = await crm(list, env)
  expect(exit).toBe(2)
  const [, name = '', value = ''] = /: export (\w+)=(.*)$/m.exec(stderr) ?? []
  const allowed = await crm(list, { ...env, [name]: value })
  expect([allowed.exit, allowed.stderr]).not.toEqual([2, expect.stringContaining('plain http')])
})

test.each([
  ['amount=12.5', '2\n3\n'],
  ['amount[gte]=12.5', '2\n3\n'],
  ['name=A,C', '1\n3\n'],
  ['created_since=2026-02-01', '2\n3\n'],
])('the --where that is suggested for --filter %s selects the same', async (filter, ids) => {
  const records = [
    { id: '1', name: 'A', amount: 1, created_at: '2026-01-01T00:00:00Z' },
    { id: '2', name: 'B', amount: 12.5, created_at: '2026-02-02T00:00:00Z' },
    { id: '3', name: 'C', amount: '12.5', created_at: '2026-02-02T00:00:00Z' },
  ]
  const { url } = await startServer((response) => sendJson(response, 200, { data: records }))
  const list =
    "verbs: { list: { items: 'data[]', paging: none } }, record: { created_at: created_at }, fields: { name: name }"
  const file = described(`objects: { deals: { path: /deals, ${list} } }`)
  const env = emptyHome({ CRM_CONNECTOR: file, CRM_BASE_URL: url.origin, CRM_API_KEY: 'k' })
  const { exit, stderr } = await crm(['deals', 'list', '--filter', filter], env)
  expect(exit).toBe(7)
  const [, where = ''] = /--where '(.*)'$/m.exec(stderr) ?? []
  expect((await crm(['deals', 'list', '--where', where, '-o', 'id'], env)).stdout).toBe(ids)
})

test.each([
  [['contacts', 'import'], true],
  [['contacts', 'update', '--from'], false],
  [['contacts', 'delete', '--from'], false],
])('errors in the rows of %j name --rejects only where it is a flag: %j', async (command, hasFlag) => {
  const { url } = await startServer((response) =>
    sendJson(response, 200, { data: [], next_cursor: null, has_more: false }),
  )
  const file = join(tempFolder(), 'rows.csv')
  writeFileSync(file, 'id,name,score:number\ncon_1,A,x\n')
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k' })
  const { exit, stderr } = await crm([...command, file, '--map', 'score:number=score:number', '--yes'], env)
  expect([exit, stderr.includes('--rejects')], stderr).toEqual([2, hasFlag])
})

test.each(['', '/'])(
  'the bare origin%s of a server stands for the address at which its connector speaks',
  async (slash) => {
    const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [{ id: '1' }] }))
    const contacts = "{ path: /people, verbs: { list: { items: 'data[]', paging: none } } }"
    const file = described(`base: /api/v9\nobjects: { contacts: ${contacts} }`)
    const home = emptyHome()
    const login = [
      'auth',
      'login',
      '--connector',
      file,
      '--base-url',
      url.origin + slash,
      '--storage',
      'file',
      '--key-stdin',
    ]
    expect((await crm(login, home, 'k')).exit).toBe(0)
    expect((await crm(['contacts', 'list', '-o', 'id'], home)).stdout).toBe('1\n')
    const env = { ...emptyHome(), CRM_CONNECTOR: file, CRM_BASE_URL: url.origin + slash, CRM_API_KEY: 'k' }
    expect((await crm(['contacts', 'list', '-o', 'id'], env)).stdout).toBe('1\n')
    expect(new Set(seen.map(({ path }) => path.split('?')[0]))).toEqual(new Set(['/api/v9/people']))
  },
)

test('a hint names the profile that was typed, and works as typed', async () => {
  const { url } = await startServer((response, { method }) =>
    method === 'GET' ? sendJson(response, 200, { id: 'c1', name: 'Ada' }) : sendJson(response, 502, {}),
  )
  const env = emptyHome()
  const login = [
    'auth',
    'login',
    '-p',
    'two',
    '--connector',
    'crm',
    '--base-url',
    url.origin,
    '--storage',
    'file',
    '--no-verify',
    '--key-stdin',
  ]
  expect((await crm(login, env, 'key_of_the_test')).exit).toBe(0)
  const { exit, stderr } = await crm(
    ['contacts', 'update', 'c1', '--set', 'name=Eve', '-p', 'two', '--max-wait', '1ms'],
    env,
  )
  expect(exit).not.toBe(0)
  const [, hint = ''] = /\b(crm -p two contacts get [^;\n]*)/m.exec(stderr) ?? []
  expect(await crm(typed(hint), env), stderr).toMatchObject({ exit: 0 })
})

test('the hint of a deletion that is interrupted is the same command', async () => {
  const reached = Promise.withResolvers<void>()
  const { url } = await startServer(() => reached.resolve())
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k_0123456789' })
  const { exit, written, interrupt } = startRun(['contacts', 'delete', 'c1', '--yes'], env)
  await reached.promise
  interrupt('SIGINT')
  expect([await exit, written.stderr]).toEqual([130, expect.stringContaining('\n  crm contacts delete c1 --yes\n')])
})

test('hints about a job name the profile that it was made with, and about a job of another server too', async () => {
  const [mine, other] = [await serveForTest(), await serveForTest()]
  const env = emptyHome({ CRM_STATE_HOME: tempFolder() })
  const proxy = await startProxy(other.url, (method) => (method === 'DELETE' ? 403 : undefined))
  for (const [name, url, key] of [
    ['one', mine.url, mine.key],
    ['two', proxy, other.key],
  ] as const) {
    const login = ['auth', 'login', '-p', name, '--base-url', url, '--storage', 'file', '--key-stdin']
    expect(await crm(login, env, key.text)).toMatchObject({ exit: 0 })
  }
  const file = join(tempFolder(), 'rows.csv')
  writeFileSync(file, 'name,email\nAda,ada@x.test\n')
  const made = await crm(['contacts', 'import', file, '--yes', '-p', 'two', '-o', 'json'], env)
  const { job } = JSON.parse(made.stdout)
  const refused = await crm(['jobs', 'undo', job, '--yes', '-p', 'one'], env)
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('it was made with -p two;') })
  for (const command of ['show', 'apply'] as const) {
    const missing = await crm(command === 'show' ? ['plan', 'show', job] : ['apply', job, '-p', 'two'], env)
    expect(missing).toMatchObject({ exit: 2, stderr: expect.stringContaining(`there is no plan "${job}"`) })
    const [, hint = ''] = /(crm jobs show .*)/.exec(missing.stderr) ?? []
    expect(await crm(typed(hint), env)).toMatchObject({ exit: 0 })
  }
  expect(await crm(['jobs', 'undo', job, '-p', 'two', '--yes', '--expect', '1'], env)).toMatchObject({ exit: 5 })
  const [stopped = ''] = (await crm(['jobs', 'list', '--all', '-o', 'id'], env)).stdout.split('\n')
  const kept = await crm(['jobs', 'prune', stopped, '--yes'], env)
  expect(kept).toMatchObject({ exit: 7, stderr: expect.stringContaining(`crm jobs resume ${stopped} -p two`) })
  const none = await crm(['plan', 'show', 'nosuch'], env)
  expect(none).toMatchObject({ exit: 2, stderr: expect.stringContaining('make a plan with --plan FILE') })
})
