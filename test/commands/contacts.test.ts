import { describe, expect } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { all, ask, make } from '../harness/records.ts'
import { newKey, startService } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('contacts create', () => {
  test('sends text and JSON members, and prints the record as the server has it', async ({ service }) => {
    const args = ['contacts', 'create', '--set', 'name=Ada', '--set', 'age:=36', '--set', 'address.city=London']
    const { exit, stdout, stderr } = await crm([...args, '-o', 'json'], service.env)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    const id = expect.stringMatching(/^con_[0-9a-z]{11}$/)
    const members = { name: 'Ada', age: 36, address: { city: 'London' } }
    expect(JSON.parse(stdout)).toEqual({ id, ...members, created_at: TIME, updated_at: TIME, version: 1 })
    expect(await all(service, '/v1/contacts')).toContainEqual(JSON.parse(stdout))
  })

  test('prints the id alone with -o id, and one line with -o jsonl', async ({ service }) => {
    const [id, line] = await Promise.all([
      crmPrints(['contacts', 'create', '--set', 'name=A', '-o', 'id'], service.env),
      crmPrints(['contacts', 'create', '--set', 'name=B', '-o', 'jsonl', '--fields', 'name,version'], service.env),
    ])
    expect(id).toMatch(/^con_[0-9a-z]{11}\n$/)
    expect(line).toBe('{"name":"B","version":1}\n')
  })

  test('takes members from YAML and from JSON on stdin, and --set wins over them', async ({ service }) => {
    const args = ['contacts', 'create', '--data', '-', '--fields', 'name,company', '-o', 'jsonl']
    const [yaml, json] = await Promise.all([
      crm(args, service.env, 'name: Grace\ncompany: Navy\n'),
      crm([...args, '--set', 'name=Hopper'], service.env, '{"name":"Grace","company":"Navy"}'),
    ])
    expect(yaml).toEqual({ exit: 0, stdout: '{"name":"Grace","company":"Navy"}\n', stderr: '' })
    expect(json).toEqual({ exit: 0, stdout: '{"name":"Hopper","company":"Navy"}\n', stderr: '' })
  })

  test('--dry-run shows the request and sends nothing; --exit-code makes that 10', async () => {
    const service = await startService()
    const args = ['contacts', 'create', '--set', 'name=Ada', '--dry-run', '-o', 'json']
    const [plain, coded] = await Promise.all([crm(args, service.env), crm([...args, '--exit-code'], service.env)])
    expect([plain.exit, coded.exit]).toEqual([0, 10])
    const request = { dry_run: true, method: 'POST', path: '/v1/contacts', body: { name: 'Ada' } }
    expect(JSON.parse(plain.stdout)).toEqual(request)
    expect(plain.stderr).toBe('Dry run: nothing was sent.\n')
    expect(await all(service, '/v1/contacts')).toEqual([])
  })
})

describe('contacts get', () => {
  test('finds a contact on a later page of the list', async () => {
    const service = await startService()
    const [first = ''] = await make(
      service,
      '/v1/contacts',
      [...Array(120).keys()].map((n) => ({ name: `n${n}` })),
    )
    const stdout = await crmPrints(['contacts', 'get', first, '-o', 'jsonl', '--fields', 'id,name'], service.env)
    expect(stdout).toBe(`{"id":"${first}","name":"n0"}\n`)
  })
})

describe('get of several', () => {
  test('takes the ids that list -o id prints on -, in their order, as one list', async () => {
    const service = await startService()
    const made = await make(
      service,
      '/v1/contacts',
      [...Array(130).keys()].map((n) => ({ name: `n${n}` })),
    )
    const ids = await crmPrints(['contacts', 'list', '-o', 'id'], service.env)
    const names = await crmPrints(['contacts', 'get', '-', '-o', 'csv', '--fields', 'id,name'], service.env, ids)
    const rows = made.map((id, n) => `${id},n${n}\r\n`).reverse()
    expect(names).toBe(['id,name\r\n', ...rows].join(''))
    const one = await crmPrints(['contacts', 'get', '-', '--jq', '.[].name'], service.env, `${made[0]}\n`)
    expect(one).toBe('n0\n')
  })

  test('prints those that exist, names the others, and exits 3; 6 when none exists', async ({ service }) => {
    const [deal = ''] = await make(service, '/v1/deals', [{ name: 'Big', stage: 'Lead' }])
    const some = await crm(['deals', 'get', 'deal_x', deal, 'deal_y', '-o', 'jsonl', '--fields', 'name'], service.env)
    expect({ ...some, stderr: JSON.parse(some.stderr) }).toMatchObject({
      exit: 3,
      stdout: '{"name":"Big"}\n',
      stderr: { error: { code: 'partial', message: '2 of 3 deals do not exist: deal_x, deal_y' } },
    })
    const none = await crm(['deals', 'get', '-', '-o', 'json', '-q'], service.env, 'deal_x\ndeal_y\n')
    expect(none).toMatchObject({ exit: 6, stdout: '[]\n' })
    expect(none.stderr).toContain('there is no deal deal_x, deal_y')
    const nothing = await crm(['deals', 'get', '-', '-o', 'json'], service.env, '')
    expect(nothing).toEqual({ exit: 0, stdout: '[]\n', stderr: 'No ids on stdin.\n' })
  })

  test('reads the list once if the connector shows no single contact', async () => {
    const data = [{ id: 'c1', name: 'Ada' }, { id: 'c2' }, { id: 'c3' }]
    const { url, seen } = await startServer((response, { method }) => {
      if (method === 'GET') sendJson(response, 200, { data, next_cursor: null })
      else sendJson(response, 404, { message: 'no such page' })
    })
    const args = ['contacts', 'get', 'c3', 'c9', 'c1', '-o', 'jsonl']
    const { exit, stdout } = await crm(
      args,
      emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: newKey(), CRM_CONNECTOR: 'contract' }),
    )
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: '{"id":"c3"}\n{"id":"c1","name":"Ada"}\n' })
    expect(seen.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })
})

describe('contacts update', () => {
  test('changes what is named, clears with null, keeps the rest, and counts the version', async ({ service }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada', phone: '1', company: 'Analytical' }])
    const args = ['contacts', 'update', id, '--set', 'phone=2', '--set', 'company:=null', '-o', 'json']
    const { exit, stdout, stderr } = await crm(args, service.env)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    const record = { id, name: 'Ada', phone: '2', created_at: TIME, updated_at: TIME, version: 2 }
    expect(JSON.parse(stdout)).toEqual(record)
  })

  test('--if-match refuses when the contact has moved on, and changes nothing', async ({ service }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const update = (name: string) =>
      crm(['contacts', 'update', id, '--set', `name=${name}`, '--if-match', '1', '-o', 'json'], service.env)
    expect((await update('Bea')).exit).toBe(0)
    const late = await update('Cyn')
    expect({ ...late, stderr: JSON.parse(late.stderr) }).toMatchObject({
      exit: 7,
      stdout: '',
      stderr: {
        error: {
          code: 'precondition_failed',
          message: expect.stringContaining('at version 2, expected 1; nothing was sent'),
        },
      },
    })
    expect((await all(service, '/v1/contacts')).find((contact) => contact.id === id)).toMatchObject({ name: 'Bea' })
  })

  test('--dry-run says what would change, changes nothing, and is 10 with --exit-code only if something would', async ({
    service,
  }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada', phone: '1' }])
    const args = ['contacts', 'update', id, '--dry-run', '--exit-code', '-o', 'json', '--set']
    const [other, same] = await Promise.all([
      crm([...args, 'phone=2'], service.env),
      crm([...args, 'phone=1'], service.env),
    ])
    expect([other.exit, same.exit]).toEqual([10, 0])
    expect(JSON.parse(other.stdout)).toMatchObject({ changes: { phone: { from: '1', to: '2' } } })
    expect(JSON.parse(same.stdout)).toMatchObject({ changes: {} })
    const record = (await all(service, '/v1/contacts')).find((contact) => contact.id === id)
    expect(record).toMatchObject({ phone: '1', version: 1 })
  })
})

describe('contacts delete', () => {
  test('without ids on stdin succeeds, and is 11 when some were expected', async ({ service }) => {
    const nothing = await crm(['contacts', 'delete', '-', '--yes'], service.env, '\n \n')
    expect(nothing).toEqual({ exit: 0, stdout: '', stderr: 'No ids on stdin: nothing to delete.\n' })
    const { exit } = await crm(['contacts', 'delete', '-', '--yes', '--expect', '2'], service.env, '')
    expect(exit).toBe(11)
  })

  test('deletes one with --yes, and prints nothing on stdout', async ({ service }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const run = await crm(['contacts', 'delete', id, '--yes'], service.env)
    expect(run).toEqual({ exit: 0, stdout: '', stderr: `Deleted contact ${id}.\n` })
    expect((await ask(service, { method: 'DELETE', path: `/v1/contacts/${id}` })).status).toBe(404)
  })

  test('takes the ids that list -o id prints on -, when their number is as expected', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    const ids = await crmPrints(['contacts', 'list', '-o', 'id'], service.env)
    const { exit, stdout } = await crm(['contacts', 'delete', '-', '--yes', '--expect', '3'], service.env, ids)
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' })
    expect(await all(service, '/v1/contacts')).toEqual([])
  })

  test('continues after a missing one, names it, and exits 3', async () => {
    const service = await startService()
    const [a = '', b = ''] = await make(service, '/v1/contacts', [{ name: 'a' }, { name: 'b' }])
    const args = ['contacts', 'delete', a, 'con_nothere', b, '--yes', '--expect', '3']
    const { exit, stdout, stderr } = await crm(args, service.env)
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
    expect(stderr).toMatch(/Not found: 1 of \d+: con_nothere/)
    expect(stderr).toContain('crm: 1 of 3 contacts were not deleted: con_nothere\n  crm contacts list\n')
    expect(await all(service, '/v1/contacts')).toEqual([])
  })

  test('of ids of which none exists is 6, and names them even with -q', async ({ service }) => {
    const args = ['contacts', 'delete', '-', '--yes', '--expect', '2', '-q']
    const { exit, stderr } = await crm(args, service.env, 'con_x\ncon_y\n')
    expect({ exit, stderr }).toEqual({
      exit: 6,
      stderr: 'crm: 2 of 2 contacts were not deleted: con_x, con_y\n  crm contacts list\n',
    })
  })

  test('--dry-run shows the contacts and deletes none', async ({ service }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const args = ['contacts', 'delete', id, 'con_x', '--dry-run', '-o', 'id']
    const [plain, coded] = await Promise.all([crm(args, service.env), crm([...args, '--exit-code'], service.env)])
    expect([plain.exit, coded.exit]).toEqual([0, 10])
    expect(plain.stdout).toBe(`${id}\n`)
    expect(plain.stderr).toContain('Not found: con_x\n')
    expect((await all(service, '/v1/contacts')).map((contact) => contact.id)).toContain(id)
  })
})

test('flags work both before the noun and after the verb', async ({ service }) => {
  const rest = ['contacts', 'create', '--set', 'name=Ada', '--fields', 'name']
  const before = await crmPrints(['-o', 'jsonl', ...rest], service.env)
  const after = await crmPrints([...rest, '-o', 'jsonl'], service.env)
  expect([before, after]).toEqual(Array(2).fill('{"name":"Ada"}\n'))
})

test('a key on stdin works in place of the variable', async ({ service }) => {
  const { CRM_API_KEY, ...env } = service.env
  const { exit, stdout } = await crm(
    ['contacts', 'list', '--limit', '1', '-o', 'id', '--key-stdin'],
    { ...env, HOME: emptyHome().HOME },
    `${service.key}\n`,
  )
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringMatching(/^(?:con_\w+\n)?$/) })
})
