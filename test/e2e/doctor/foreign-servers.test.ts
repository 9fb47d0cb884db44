import { describe, expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { DIALECTS, startLimitedApp } from '../../api/limited-app.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { type Env, emptyHome } from '../../harness/home.ts'
import { newKey } from '../../harness/service.ts'
import { examined } from './examined.ts'
import { HAS_PRISM, startJsonServer, startPrism } from './foreign-processes.ts'
import { startGateway } from './gateway.ts'

const keyed = (url: URL): Env => emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() })

/** A home with a profile of this server. */
async function profiled(url: URL): Promise<Env> {
  const home = emptyHome()
  await crmPrints(['config', 'set', 'base_url', url.origin, '-p', 'other'], home)
  return { ...home, CRM_PROFILE: 'other', CRM_API_KEY: newKey() }
}

const RECORDS = Array.from({ length: 5 }, (_, n) => ({ id: `con_${n + 1}` }))

test('json-server treats the page size as a filter: doctor reports it, and --fix makes its list complete', async () => {
  const json = await startJsonServer({ contacts: RECORDS, deals: RECORDS })
  const before = json.text()
  const { url, seen } = await startGateway(json.url, (path) => path.replace(/^\/v1/, ''))
  const env = await profiled(url)
  // Its empty first page is asked for without the size.
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], env)).toBe(RECORDS.map(({ id }) => `${id}\n`).join(''))

  const first = await examined(env)
  expect(first).toMatchObject({ exit: 7, states: { page_size: 'fail' }, settings: ['wire.limit_param=none'] })
  expect(first.seen('page_size')).toBe(
    'limit=1 gives 0, limit=2 gives 0, and without it 5: the server treats it as a filter; no other parameter was found',
  )
  expect(await examined(env, '--fix')).toMatchObject({ exit: 0, document: { written: true } })
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], env)).toBe(RECORDS.map(({ id }) => `${id}\n`).join(''))

  const writes = seen.filter(({ method, body }) => method !== 'GET' && !body.includes('__schema'))
  expect(writes).toEqual([])
  expect(json.text()).toBe(before)
})

test.each(DIALECTS)('the limit of an express app is read in its dialect: %s', async (dialect) => {
  const { url } = await startLimitedApp(dialect, 250, 60_000)
  const names = {
    'draft-6': /^RateLimit-\*: .*ratelimit-limit: 250/,
    'draft-7': /^RateLimit \(draft 7\): .*limit=250, remaining=\d+/,
    'draft-8': /^RateLimit \(draft 8\): .*r=\d+; t=\d+/,
    legacy: /^X-RateLimit-\*: x-ratelimit-limit: 250/,
  }
  const { exit, seen } = await examined(keyed(url))
  expect(exit).toBe(0)
  expect(seen('limits')).toMatch(names[dialect])
})

test('a key that the server quotes is not shown, so that what doctor prints can be passed on', async () => {
  const { url } = await startServer((response, { headers }) =>
    sendJson(response, 401, { message: `no such key: ${headers.authorization}` }),
  )
  const env = keyed(url)
  const { exit, stdout, stderr } = await crm(['doctor'], env)
  expect(exit).toBe(4)
  expect(stdout).toContain('no such key: Bearer [redacted]')
  expect(stdout + stderr).not.toContain(env.CRM_API_KEY)
})

/** Pages of a server that has a name of its own for everything. */
async function startOddServer() {
  return startServer((response, { path }) => {
    const url = new URL(path, 'http://odd')
    const [, version, noun] = url.pathname.split('/')
    if (version !== 'v1' || (noun !== 'contacts' && noun !== 'deals')) return sendJson(response, 404, { message: 'no' })
    if (url.searchParams.has('limit')) return sendJson(response, 400, { message: 'limit is not known here' })
    const size = Math.min(Number(url.searchParams.get('per_page') ?? 3), 4)
    const start = Number(url.searchParams.get('page_token') ?? 0)
    const more = start + size < RECORDS.length ? { continue_token: `${start + size}` } : {}
    sendJson(response, 200, { people: RECORDS.slice(start, start + size), ...more, total: RECORDS.length })
  })
}

test('the names of a foreign server are detected, and --fix makes its lists complete', async () => {
  const { url, seen } = await startOddServer()
  const env = await profiled(url)
  expect((await crm(['contacts', 'list'], env)).exit).toBe(7)
  const fixed = await examined(env, '--fix')
  expect(fixed.settings).toEqual([
    'wire.items_path=people',
    'wire.limit_param=per_page',
    'wire.next_path=continue_token',
    'wire.cursor_param=page_token',
    'wire.page_size=4',
  ])
  expect(fixed).toMatchObject({ exit: 0, states: { records: 'ok', page_size: 'ok', paging: 'ok', largest_page: 'ok' } })
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], env)).toBe(RECORDS.map(({ id }) => `${id}\n`).join(''))
  expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
})

test('a cursor is tried in every known parameter, without a setting', async () => {
  const { url } = await startServer((response, { path }) => {
    const query = new URL(path, 'http://odd').searchParams
    const start = Number(query.get('page_token') ?? 0)
    const size = Number(query.get('limit'))
    const next = start + size < RECORDS.length ? `${start + size}` : null
    sendJson(response, 200, { data: RECORDS.slice(start, start + size), next_cursor: next })
  })
  const env = await profiled(url)
  const first = await examined(env)
  expect(first.seen('paging')).toBe(
    'next_cursor was sent as cursor, and the second page repeats the first; further requests read 5 records',
  )
  expect(first).toMatchObject({ exit: 0, states: { paging: 'ok' } })
  expect(first.settings.filter((setting) => setting.includes('cursor_param'))).toEqual([])
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], env)).toBe(RECORDS.map(({ id }) => `${id}\n`).join(''))
})

test('a page that is perhaps cut is not called the whole list, and after --fix the list is refused instead of cut', async () => {
  const people = Array.from({ length: 37 }, (_, n) => ({ id: `con_${n + 1}` }))
  const { url } = await startServer((response, { path }) => {
    const query = new URL(path, 'http://odd').searchParams
    const size = Math.min(Number(query.get('per_page') ?? 20), 20)
    const start = Number(query.get('tok') ?? 0)
    const nxt = start + size < people.length ? `${start + size}` : null
    sendJson(response, 200, { payload: { stuff: people.slice(start, start + size), meta: { nxt } } })
  })
  const env = await profiled(url)
  const fixed = await examined(env, '--fix')
  expect(fixed).toMatchObject({ exit: 7, states: { paging: 'fail', largest_page: 'warn' } })
  expect(fixed.settings).toContain('wire.page_size=20')
  expect(fixed.seen('largest_page')).toContain(
    'per_page=1000 gives 20, which is either the whole list or the maximum of a page',
  )
  const list = await crm(['contacts', 'list', '-o', 'id'], env)
  expect(list.exit).toBe(7)
  expect(list.stderr).toContain('the end of the list is unknown')
  await crmPrints(['config', 'set', 'wire.next_path', 'payload.meta.nxt'], env)
  await crmPrints(['config', 'set', 'wire.cursor_param', 'tok'], env)
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], env)).toBe(people.map(({ id }) => `${id}\n`).join(''))
})

test('without a key --fix does not claim to have found out what the server speaks', async () => {
  const { url } = await startServer((response) => sendJson(response, 401, { message: 'no' }))
  const { exit, stderr } = await crm(['doctor', '--fix'], emptyHome({ CRM_BASE_URL: url.origin }))
  expect(exit).toBe(4)
  expect(stderr).toContain('Nothing to write: the lists of this server could not be read.')
})

test('a setting that points to where nothing is, is found out too', async () => {
  const { url } = await startServer((response) => sendJson(response, 200, { data: RECORDS, next_cursor: null }))
  const env = await profiled(url)
  await crmPrints(['config', 'set', 'wire.items_path', 'people'], env)
  expect(await examined(env, '--fix')).toMatchObject({ exit: 0, settings: ['wire.items_path='] })
  expect(await crmPrints(['config', 'get', 'wire.items_path'], env)).toBe('\n')
})

test('a clock that is wrong, and an interface that goes away, are warnings: the exit stays 0', async () => {
  const { url } = await startServer((response) =>
    sendJson(
      response,
      200,
      { data: [], next_cursor: null },
      {
        date: new Date(Date.now() + 3_600_000).toUTCString(),
        deprecation: '@1767225600',
        'x-api-version': '2026-01',
      },
    ),
  )
  const { exit, states, seen, stderr } = await examined(keyed(url))
  expect(exit).toBe(0)
  expect(states).toMatchObject({ clock: 'warn', version: 'warn' })
  expect(seen('clock')).toMatch(/^3\d{3}\.\d s ahead of this machine, ± /)
  expect(seen('version')).toBe('v1 in the path; x-api-version: 2026-01; deprecated as of 2026-01-01')
  expect(stderr).toContain('clock: is the clock of this machine right?')
})

test('the text of a server is made safe where a person reads it', async () => {
  const { url } = await startServer((response) => sendJson(response, 400, { message: '\u001b[2Jgone\u202e' }))
  const { stdout, stderr } = await crm(['doctor'], keyed(url))
  for (const unsafe of ['\u001b', '\u202e']) expect(stdout + stderr).not.toContain(unsafe)
  expect(stdout).toContain('\\x1b[2Jgone\\u202e')
})

describe.skipIf(!HAS_PRISM)('public CRMs by prism (skipped without npm ci in tools/judges)', () => {
  async function checkPrism(name: string) {
    const { url, document } = await startPrism(name)
    const gateway = await startGateway(url, undefined, { '/openapi.json': document })
    const result = await examined(keyed(gateway.url))
    const writes = gateway.seen.filter(({ method, body }) => method !== 'GET' && !body.includes('__schema'))
    expect(writes).toEqual([])
    return result
  }

  test('HubSpot: results, paging.next.after, and pages of 100', async () => {
    const { states, seen } = await checkPrism('hubspot')
    expect(seen('records')).toContain('contacts are in results')
    // Its mock gives the same example whatever it is asked, and that is what is found.
    expect(states).toMatchObject({ page_size: 'warn', paging: 'fail', largest_page: 'ok' })
    expect(seen('paging')).toContain('paging.next.after was sent as after')
    expect(seen('largest_page')).toContain('the OpenAPI document states 100; limit=1000 is refused')
    expect(seen('openapi')).toBe('/openapi.json: OpenAPI 3.0.3, Contacts in the manner of HubSpot v3 v3')
  })

  test('Pipedrive: data, additional_data.next_cursor, and pages of 500', async () => {
    const { exit, seen, settings } = await checkPrism('pipedrive')
    expect(exit).toBe(0)
    expect(seen('paging')).toContain('additional_data.next_cursor states that the list ends')
    expect(seen('largest_page')).toContain('the OpenAPI document states 500; limit=1000 is refused')
    expect(settings).toEqual(['wire.page_size=500'])
  })

  test('Close: has_more, and no size by the name of limit', async () => {
    const { exit, states, seen } = await checkPrism('close')
    expect({ exit, states }).toMatchObject({ exit: 0, states: { page_size: 'warn', paging: 'ok' } })
    expect(seen('paging')).toContain('has_more states that the list ends')
  })

  test('Stripe: has_more with the last id, and an idempotency header that the document names', async () => {
    const { states, seen } = await checkPrism('stripe')
    expect(seen('paging')).toContain('has_more was sent as starting_after')
    expect(states).toMatchObject({ idempotency: 'ok' })
    expect(seen('idempotency')).toContain('Idempotency-Key, by /openapi.json; retention not stated')
  })
})
