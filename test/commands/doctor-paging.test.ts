import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

interface Kind {
  /** Of one page. */
  readonly most: number
  /** Of a size beyond it the server says no. */
  readonly isStrict?: boolean
  readonly more?: object
  readonly isCut?: boolean
  readonly profile?: string
}

/** 45 records that are counted in `offset`, without a word of how the list goes on. */
async function startCounting({ most, isStrict, more, isCut, profile }: Kind) {
  const all = Array.from({ length: 45 }, (_, n) => ({ id: `con_${n + 1}` }))
  const { url } = await startServer((response, { path }) => {
    const { pathname, searchParams } = new URL(path, 'http://counting')
    if (!/^\/v1\/(?:contacts|deals)$/.test(pathname)) return sendJson(response, 404, { message: 'no' })
    const limit = Number(searchParams.get('limit') ?? 20)
    if (isStrict && limit > most) return sendJson(response, 400, { message: `limit must be <= ${most}` })
    const start = isCut ? 0 : Number(searchParams.get('offset') ?? 0)
    sendJson(response, 200, { data: all.slice(start, start + Math.min(limit, most)), ...more })
  })
  if (profile === undefined) {
    const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k_0123456789' })
    return (...argv: string[]) => crm(argv, env)
  }
  const env = emptyHome({ CRM_API_KEY: 'k_0123456789', CRM_PROFILE: profile })
  await crm(['config', 'set', 'base_url', url.origin], env)
  return (...argv: string[]) => crm(argv, env)
}

async function examined(kind: Kind) {
  const crm = await startCounting(kind)
  const { exit, stdout } = await crm('doctor', '-o', 'json')
  const { checks, settings } = JSON.parse(stdout)
  const of = (name: string) => checks.find(({ check }: { check: string }) => check === name)
  return { exit, paging: of('paging'), largest: of('largest_page'), settings }
}

test('doctor of a server that counts records names no next page, and no page size from a short list', async () => {
  const { exit, paging, largest, settings } = await examined({ most: 50 })
  expect({ exit, settings }).toEqual({ exit: 0, settings: [] })
  expect(paging).toMatchObject({
    state: 'ok',
    hint: null,
    seen: 'no answer states the next page; further requests read 45 records',
  })
  expect(paging.seen).not.toContain('cannot list')
  expect(largest).toMatchObject({ state: 'ok', hint: null, seen: '45: limit=1000 gives 45, the whole list' })
})

test.each(['startIndex', 'firstResult'])('doctor states that a list is counted by %s, and how far', async (name) => {
  const all = Array.from({ length: 45 }, (_, n) => ({ id: `con_${n + 1}` }))
  const { url } = await startServer((response, { path }) => {
    const start = Number(new URL(path, 'http://counting').searchParams.get(name) ?? 0)
    sendJson(response, 200, { items: all.slice(start, start + 20) })
  })
  const { stdout } = await crm(['doctor', '-o', 'json'], emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k_01' }))
  const paging = JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === 'paging')
  expect(paging.seen).toBe(`no answer states the next page; counted by ${name} to 45 records`)
})

test('doctor finds the largest page of such a server by reading its whole list', async () => {
  const { exit, largest, settings } = await examined({ most: 30 })
  expect(exit).toBe(0)
  expect(largest).toMatchObject({ state: 'ok', seen: '30: limit=1000 gives 30, the maximum of a page' })
  expect(settings).toMatchObject([{ setting: 'wire.page_size', value: '30' }])
})

test('doctor fails for a page size that such a server refuses, not for its paging', async () => {
  const { exit, paging, largest, settings } = await examined({ most: 50, isStrict: true })
  expect(exit).toBe(7)
  expect(paging).toMatchObject({ state: 'ok' })
  expect(largest).toMatchObject({ state: 'fail', seen: expect.stringContaining('wire.page_size is 100') })
  expect(settings).toMatchObject([{ setting: 'wire.page_size', value: '50' }])
})

test('a refusal of the page size names doctor, and the size in the answer', async () => {
  const crm = await startCounting({ most: 50, isStrict: true })
  expect(await crm('contacts', 'list')).toMatchObject({
    exit: 7,
    stderr: `crm: cannot list contacts: limit must be <= 50 (400)
  crm doctor finds the largest size, or: crm config set wire.page_size 50 -p NAME
`,
  })
})

test.each([
  [{}, 'if one answer is the whole list: crm config set wire.paging none -p NAME; if pages or records are counted'],
  [{ remaining: 25 }, 'if one answer is the whole list: crm config set wire.paging none -p NAME'],
  [{ meta: { next_one: 'x' } }, 'if meta.next_one is the cursor: crm config set wire.next_path meta.next_one -p NAME'],
])('without a next page the hint names a member only when the answer has one: %j', async (more, hint) => {
  const { paging, largest } = await examined({ most: 20, isCut: true, more })
  expect(paging).toMatchObject({ state: 'fail', hint: expect.stringContaining(hint) })
  expect(largest).toMatchObject({ state: 'warn', hint: expect.stringContaining(hint) })
})

test('hints name the profile in use', async () => {
  const crm = await startCounting({ most: 20, isCut: true, isStrict: true, profile: 'prod.eu' })
  expect((await crm('contacts', 'list')).stderr).toContain('crm config set wire.page_size 20 -p prod.eu\n')
  await crm('config', 'set', 'wire.page_size', '20')
  expect((await crm('contacts', 'list')).stderr).toContain('crm config set wire.paging none -p prod.eu\n')
  await crm('config', 'set', 'wire.items_path', 'people')
  expect((await crm('contacts', 'list')).stderr).toContain('crm config set wire.items_path data.items -p prod.eu\n')
  const { stdout } = await crm('doctor', '-o', 'json')
  expect(stdout).toContain('crm config set wire.idempotency kept -p prod.eu')
  expect(stdout).not.toMatch(/-p [A-Z]/)
})

/** 45 records by the offset and the size in these parameters, at most 20 of them. */
async function startNamed(offset: string, size: string, documented: readonly string[] = []) {
  const all = Array.from({ length: 45 }, (_, n) => ({ id: `con_${n + 1}` }))
  const parameters = documented.map((name) => ({ name, in: 'query', schema: { type: 'integer' } }))
  const openapi = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/contacts': { get: { parameters } } },
  }
  const { url } = await startServer((response, { path }) => {
    const { pathname, searchParams } = new URL(path, 'http://named')
    if (pathname === '/openapi.json') return sendJson(response, 200, openapi)
    if (!/^\/v1\/(?:contacts|deals)$/.test(pathname)) return sendJson(response, 404, { message: 'no' })
    const start = Number(searchParams.get(offset) ?? 0)
    sendJson(response, 200, all.slice(start, start + Math.min(20, Number(searchParams.get(size) ?? 20))))
  })
  const home = emptyHome()
  await crm(['config', 'set', 'base_url', url.origin, '-p', 'other'], home)
  const env = { ...home, CRM_PROFILE: 'other', CRM_API_KEY: 'k_0123456789' }
  return (...argv: string[]) => crm(argv, env)
}

test.each([
  ['first and max (Keycloak)', 'first', 'max', []],
  ['parameters that the OpenAPI document names', 'abOffset', 'abSize', ['abOffset', 'abSize']],
])('doctor --fix makes a list whole that is paged by %s', async (_, offset, size, documented) => {
  const crm = await startNamed(offset, size, documented)
  expect(await crm('contacts', 'list')).toMatchObject({ exit: 7, stderr: expect.stringContaining('crm doctor --fix') })
  const { stdout } = await crm('doctor', '--fix', '-o', 'json')
  const { settings, checks } = JSON.parse(stdout)
  const written = settings.map(({ setting, value }: Record<string, string>) => `${setting}=${value}`)
  const named = [`wire.limit_param=${size}`, 'wire.paging=offset', `wire.cursor_param=${offset}`]
  expect(written).toEqual(expect.arrayContaining(named))
  expect(checks.find(({ check }: { check: string }) => check === 'largest_page')?.seen).toMatch(/gives 20, the maximum/)
  const listed = await crm('contacts', 'list', '-o', 'id')
  expect(listed).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^(?:con_\d+\n){45}$/) })
})

test('doctor does not call a cut list of a server that ignores the size the whole list', async () => {
  const all = Array.from({ length: 20 }, (_, n) => ({ id: `con_${n + 1}` }))
  const { url } = await startServer((response, { path }) =>
    /^\/v1\/(?:contacts|deals)(?:$|\?)/.test(path) ? sendJson(response, 200, all) : sendJson(response, 404, {}),
  )
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k_0123456789' })
  const { exit, stdout } = await crm(['doctor', '-o', 'json'], env)
  const largest = JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === 'largest_page')
  expect({ exit, seen: largest.seen }).toEqual({
    exit: 7,
    seen: 'unknown: limit=1000 gives 20, which is either the whole list or the maximum of a page',
  })
})
