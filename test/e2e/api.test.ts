import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { startService } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

const HAS_CURL = spawnSync('curl', ['--version']).error === undefined

describe('crm api', () => {
  test('prints an answer byte for byte as it came, and with -o json laid out', async ({ service }) => {
    await crmPrints(['api', 'POST', '/v1/contacts', '--input', '-'], service.env, '{"n":12345678901234567890}')
    const path = '/v1/contacts?limit=1'
    const headers = { authorization: `Bearer ${service.key}` }
    const text = await (await fetch(`${service.url}${path}`, { headers })).text()
    expect(await crmPrints(['api', 'GET', path], service.env)).toBe(`${text}\n`)
    const laidOut = await crmPrints(['api', 'GET', path, '-o', 'json'], service.env)
    expect(laidOut).toMatch(/^\{\n {2}"data": \[\n {4}\{\n {6}"id": "con_/)
    expect(laidOut).toContain('"n": 12345678901234567890')
  })

  test('makes a body of -f and -F, or takes one from --input, and of a GET parameters', async ({ service }) => {
    const post = async (args: readonly string[], input = '') =>
      JSON.parse(await crmPrints(['api', 'post', '/v1/contacts', ...args], service.env, input))
    expect(await post(['-f', 'name=a=b', '-F', 'vip:=true', '-f', 'tags.one=x'])).toMatchObject({
      name: 'a=b',
      vip: true,
      tags: { one: 'x' },
    })
    expect(await post(['--input', '-'], '{"name":"piped"}')).toMatchObject({ name: 'piped' })
    const args = ['api', 'GET', '/v1/contacts', '-F', 'limit:=1', '--jq', '.data | length']
    expect(await crmPrints(args, service.env)).toBe('1\n')
  })

  test('without a method reads, and with a body posts; the first slash of a path may be left out', async ({
    service,
  }) => {
    const made = await crmPrints(
      ['api', 'v1/contacts', '-f', 'name=typed', '-F', 'vip=true', '-F', 'n=12.50'],
      service.env,
    )
    expect(made).toContain('"vip":true,"n":12.50')
    const { id } = JSON.parse(made)
    expect(JSON.parse(await crmPrints(['api', `/v1/contacts/${id}`], service.env))).toMatchObject({ name: 'typed' })
    const piped = await crmPrints(['api', '/v1/contacts', '--input', '-'], service.env, '{"name":"posted"}')
    expect(piped).toContain('"name":"posted"')
    const texts = ['-F', 'phone=+4930', '-F', 'zip=007', '-F', 'handle=@ada', '-F', 'list:=["a"]', '-F', 'gone=null']
    expect(JSON.parse(await crmPrints(['api', '/v1/contacts', '-f', 'name=x', ...texts], service.env))).toMatchObject({
      phone: '+4930',
      zip: '007',
      handle: '@ada',
      list: ['a'],
    })
  })

  test.for([
    [['GET'], 'expected a path'],
    [['GET', '/v1/contacts', '/v1/deals'], 'too many arguments'],
    [['https://evil.example/v1/contacts'], 'is not a path'],
    [['//evil.example/v1/contacts'], 'is not a path'],
    [['\\\\evil.example/v1/contacts'], 'is not a path'],
  ] as const)('refuses %j, and sends nothing', async ([words, message], { service }) => {
    const { exit, stderr } = await crm(['api', ...words], service.env)
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) })
  })

  test('sends an amount with the digits that were typed, and they come back over REST and GraphQL', async ({
    service,
  }) => {
    const deal = ['-f', 'name=Fleet', '-f', 'stage=Lead', '-F', 'amount:=12500.50']
    const posted = await crmPrints(['api', 'POST', '/v1/deals', ...deal], service.env)
    expect(posted).toContain('"amount":12500.50')
    const created = ['deals', 'create', '--set', 'name=b', '--set', 'stage=Lead', '--set', 'amount:=99.90', '-o', 'id']
    const id = (await crmPrints(created, service.env)).trim()
    const query = 'query ($id: ID!) { deal(id: $id) { amount } }'
    expect(await crmPrints(['graphql', query, '-f', `id=${id}`], service.env)).toBe(
      '{"data":{"deal":{"amount":99.90}}}\n',
    )
    const update =
      'mutation ($id: ID!, $amount: Decimal) { updateDeal(input: {id: $id, amount: $amount}) { deal { amount } } }'
    const updated = await crmPrints(['graphql', update, '-f', `id=${id}`, '-F', 'amount:=100.00'], service.env)
    expect(updated).toBe('{"data":{"updateDeal":{"deal":{"amount":100.00}}}}\n')
    const again = ['deals', 'update', id, '--set', 'amount:=100.00', '--dry-run', '--exit-code']
    expect((await crm(again, service.env)).exit).toBe(0)
  })

  test.for([
    [['-f', 'stage=Won', '-f', 'stage=Lead'], /stage is given more than once/, /once/],
    [['-f', 'a=1', '-f', 'a.b=2'], /a and a\.b cannot both be given/, /once/],
    [['-f', 'a.b=1', '-F', 'a:=2'], /a\.b and a cannot both be given/, /once/],
    [['-f', 'a..b=x'], /"a\.\.b" contains an empty name/, /dot/],
    [['--paginate', '-i'], /-i shows one answer/, /leave out/],
    [['-H', 'Content-Length: 3'], /cannot set Content-Length/, /leave it out/],
    [['-H', 'expect: 100-continue'], /cannot set expect/, /leave it out/],
    [['-H', 'TE: trailers'], /cannot set TE/, /leave it out/],
  ] as const)('refuses %j before anything is sent', async ([flags, what, next], { service }) => {
    await expectRefusal(
      { args: ['api', 'GET', '/v1/deals', ...flags], env: service.env },
      { exit: 2, code: 'usage', what, next },
    )
  })

  test('a refusal names the way on: --paginate needs a GET, missing records are in a list, and a dry run shows the headers', async ({
    service,
  }) => {
    await expectRefusal(
      { args: ['api', 'DELETE', '/v1/contacts/con_x', '--paginate'], env: service.env },
      { exit: 2, code: 'usage', what: /goes with GET, not DELETE/, next: /crm api GET/ },
    )
    const hintOf = async (...args: string[]) => (await crm(['api', ...args], service.env)).stderr.split('\n')[1]?.trim()
    expect(await hintOf('GET', '/v1/pipelines/none/stages')).toBe('crm pipelines list')
    expect(await hintOf('DELETE', '/v1/contacts/con_x', '--yes')).toBe('crm api GET /v1/contacts')
    const stale = ['PATCH', '/v1/contacts/con_x', '-f', 'a=b', '-H', 'If-Match: "3"']
    expect(await hintOf(...stale)).toMatch(/^crm api GET \/v1\/contacts/)
    const dry = ['api', 'PATCH', '/v1/contacts/con_x', '-f', 'a=b', '-H', 'If-Match: "3"', '--dry-run', '-o', 'json']
    expect(JSON.parse(await crmPrints(dry, service.env)).headers).toMatchObject({ 'If-Match': '"3"' })
  })

  test('sends an idempotency key by itself, or the one that is given, also as a header', async ({ service }) => {
    const post = (...args: string[]) =>
      crmPrints(['api', 'POST', '/v1/contacts', '-f', 'name=once', ...args], service.env)
    expect(await post('--idempotency-key', 'api-1')).toBe(await post('-H', 'Idempotency-Key: api-1'))
    expect(JSON.parse(await post()).id).not.toBe(JSON.parse(await post()).id)
  })

  test('shows status and headers first with -i, and of an error the answer, two lines and its exit code', async ({
    service,
  }) => {
    const found = await crmPrints(['api', 'GET', '/healthz', '-i'], service.env)
    expect(found).toMatch(/^HTTP\/1\.1 200\n(?:[a-z-]+: .*\n)+\n\{"status":"ok"\}\n$/)
    const { exit, stdout, stderr } = await crm(['api', 'GET', '/v1/nope', '--jq', '.data[0].id'], service.env)
    expect(exit).toBe(6)
    expect(JSON.parse(stdout)).toMatchObject({ status: 404, code: 'not_found' })
    expect(stderr).toMatch(/^crm: cannot GET \/v1\/nope: .*\(404\)\n {2}\S.*\n$/)
  })

  test('--paginate makes one document of all pages, in every format', async () => {
    const service = await startService()
    const ids = await make(
      service,
      '/v1/contacts',
      Array.from({ length: 7 }, (_, n) => ({ name: `n${n}` })),
    )
    const list = (...args: string[]) =>
      crmPrints(['api', 'GET', '/v1/contacts?limit=2', '--paginate', ...args], service.env)
    expect(JSON.parse(await list())).toEqual(await all(service, '/v1/contacts'))
    expect(await list('-o', 'id')).toBe(`${ids.toReversed().join('\n')}\n`)
    expect(await list('-o', 'csv', '--fields', 'name', '--limit', '3')).toBe('name\r\nn6\r\nn5\r\nn4\r\n')
    expect(await list('--where', '.name == "n0"', '--jq', '.[].name')).toBe('n0\n')
    const { stderr } = await crm(['api', 'GET', '/v1/contacts', '--paginate', '--limit', '3', '-o', 'id'], service.env)
    const words = stderr.trim().split(' ')
    const next = ['api', 'GET', '/v1/contacts', '--paginate', '-o', 'id', '--cursor', words.at(-1) ?? '']
    expect(await crmPrints(next, service.env)).toBe(`${ids.slice(0, 4).toReversed().join('\n')}\n`)
  })

  test('--curl prints what curl would send, with a variable in place of the key, and sends nothing', async ({
    service,
  }) => {
    const args = ['api', 'POST', '/v1/contacts', '-f', "name=O'Neil $HOME", '-H', 'X-Request-Id: by-curl', '--curl']
    const before = await all(service, '/v1/contacts')
    const command = await crmPrints(args, service.env)
    expect(await all(service, '/v1/contacts')).toEqual(before)
    expect(command).toContain('"Authorization: Bearer $CRM_API_KEY"')
    expect(command).not.toContain(service.key)
    if (!HAS_CURL) return
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: service.env })
    expect(JSON.parse(stdout)).toMatchObject({ name: "O'Neil $HOME" })
  })

  test('sends the key to the server of the profile alone, whatever the path looks like', async ({ service }) => {
    for (const path of ['https://other.test/', '//other.test/x', '/\\other.test/x', '', '/a#b', service.url]) {
      await expectRefusal(
        { args: ['api', 'GET', path], env: service.env },
        { exit: 2, code: 'usage', what: /is not a path/, next: /such as \/v1\/contacts/ },
      )
    }
    const env = { ...service.env, CRM_BASE_URL: `${service.url}/prefix` }
    const outside = await crm(['api', 'GET', '/v1/%2e%2e/../../../healthz'], env)
    expect(outside.stderr).toContain('there is no /prefix/healthz here')
  })

  test('deletes only the confirmed records', async ({ service }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'gone' }])
    const args = ['api', 'DELETE', `/v1/contacts/${id}`]
    await expectRefusal(
      { args, env: service.env },
      { exit: 11, code: 'unconfirmed', what: /cannot be undone and needs --yes/, next: /--yes$/ },
    )
    expect(await crm([...args, '--yes'], service.env)).toEqual({ exit: 0, stdout: '', stderr: '' })
  })

  test.for([
    [['FETCH', '/'], /is not a method/, /GET/],
    [['GET', '/v1/contacts', '-H', 'Authorization: Bearer x'], /-H cannot set Authorization/, /profile/],
    [['GET', '/v1/contacts', '-H', 'no header'], /is not a header/, /Name: value/],
    [['GET', '/v1/contacts', '-H', 'A: b\r\nC: d'], /is not a header/, /Name: value/],
    [['POST', '/v1/contacts', '-f', 'name'], /-f "name" is not key=text/, /-F/],
    [['POST', '/v1/contacts', '-f', 'n:=1'], /-f "n:=1" is not key=text/, /-F/],
    [['POST', '/v1/contacts', '-F', 'n'], /-F "n" is not key=value or key:=json/, /-f/],
    [['POST', '/v1/contacts', '-F', 'n:=x'], /-F n:=x is not valid JSON/, /-f n=x/],
    [['GET', '/v1/contacts', '--fields', 'id'], /--fields needs a list/, /--paginate/],
    [['POST', '/v1/contacts', '--paginate', '-f', 'a=b'], /--paginate goes with GET/, /crm api GET/],
  ] as const)('%j is a usage error, and nothing is sent', async ([args, what, next]) => {
    const env = emptyHome({ CRM_BASE_URL: 'http://127.0.0.1:1', CRM_API_KEY: 'crm_key_nobody' })
    await expectRefusal({ args: ['api', ...args], env }, { exit: 2, code: 'usage', what, next })
  })
})
