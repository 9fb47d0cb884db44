import { expect, test } from 'vitest'
import { parseBasePath, parseTrustProxy } from '../../src/commands/serve/proxy-flags.ts'
import { serveForTest } from './serve-for-test.ts'

const TRUSTED = { trusts: parseTrustProxy('127.0.0.0/8'), basePath: '' }

/** The address of the client in the audit of the key, after a request with these headers. */
async function audited(headers: Record<string, string>, proxies = TRUSTED): Promise<string | undefined> {
  const { send, store, server } = await serveForTest({ proxies })
  expect((await send('GET', '/v1/contacts', undefined, headers)).status).toBe(200)
  // Written when the service stops.
  await server.close()
  const [use] = await store.keyUses({ sinceMs: 0, keyId: undefined })
  return use?.lastAddress
}

test('the audit has the client that a trusted proxy names', async () => {
  expect(await audited({ 'x-forwarded-for': '203.0.113.7' })).toBe('203.0.113.7')
  expect(await audited({ 'x-forwarded-for': '6.6.6.6, 203.0.113.7, 127.0.0.2' })).toBe('203.0.113.7')
  expect(await audited({ forwarded: 'for=6.6.6.6, for="[2001:db8::1]:4711";proto=https' })).toBe('2001:db8::1')
  expect(await audited({ forwarded: 'for=unknown, for=203.0.113.9:80' })).toBe('203.0.113.9')
})

test('headers of others are not believed', async () => {
  const proxies = { trusts: parseTrustProxy('10.0.0.0/8'), basePath: '' }
  expect(await audited({ 'x-forwarded-for': '203.0.113.7' }, proxies)).toBe('127.0.0.1')
  expect(await audited({ forwarded: 'for=203.0.113.7' }, proxies)).toBe('127.0.0.1')
  const { send } = await serveForTest({ proxies })
  const made = await send('POST', '/v1/contacts', { name: 'Ada' }, { 'x-forwarded-prefix': '/evil' })
  expect(made.headers.get('location')).toMatch(/^\/v1\/contacts\/con_/)
})

test('Location, Link, the OpenAPI document and problems follow the base path', async () => {
  const { url, send } = await serveForTest({ proxies: { ...TRUSTED, basePath: '/crm' } })
  expect(url).toMatch(/\/crm$/)
  const made = await send('POST', '/v1/contacts', { name: 'Ada' })
  expect(made.headers.get('location')).toMatch(/^\/crm\/v1\/contacts\/con_/)
  await send('POST', '/v1/contacts', { name: 'Grace' })
  const page = await send('GET', '/v1/contacts?limit=1')
  expect(page.headers.get('link')).toMatch(/^<\/crm\/v1\/contacts\?/)
  expect((await send('GET', '/v1/openapi.json')).json.servers).toMatchObject([{ url: '/crm/' }])
  expect((await send('GET', '/v1/nothing')).json).toMatchObject({ instance: '/crm/v1/nothing' })
  // Probes ask the process itself.
  expect((await fetch(`${new URL(url).origin}/readyz`)).status).toBe(200)
  expect((await fetch(`${new URL(url).origin}/crmx/readyz`)).status).toBe(404)
})

test('a trusted proxy that removes a path says which', async () => {
  const { send } = await serveForTest({ proxies: TRUSTED })
  const location = async (prefix: string) =>
    (await send('POST', '/v1/contacts', { name: 'Ada' }, { 'x-forwarded-prefix': prefix })).headers.get('location')
  expect(await location('/crm/')).toMatch(/^\/crm\/v1\/contacts\//)
  for (const hostile of ['//evil.test', '/a"b', '/../x', 'https://evil.test']) {
    expect(await location(hostile)).toMatch(/^\/v1\/contacts\//)
  }
})

test.each(['10.0.0.0/33', '10.0.0', '::1/129', '', '10.0.0.0/8/8', 'localhost'])(
  '--trust-proxy %j is refused',
  (text) => {
    expect(() => parseTrustProxy(text)).toThrow('Expected addresses or networks')
  },
)

test.each(['crm', '//crm', '/crm/..', '/a b', '/a?b'])('--base-path %j is refused', (text) => {
  expect(() => parseBasePath(text)).toThrow('Expected a path such as /crm')
})

test('the server of the OpenAPI document has the scheme that a trusted proxy states, with the host of the request', async () => {
  const { url, send } = await serveForTest({ proxies: { ...TRUSTED, basePath: '/crm' } })
  const { host } = new URL(url)
  const server = async (headers: Record<string, string>) =>
    ((await send('GET', '/v1/openapi.json', undefined, headers)).json.servers as { url: string }[])[0]?.url
  expect(await server({ 'x-forwarded-proto': 'https' })).toBe(`https://${host}/crm/`)
  expect(await server({ forwarded: 'for=1.2.3.4;proto=https' })).toBe(`https://${host}/crm/`)
  expect(await server({ 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/other' })).toBe(`https://${host}/other/`)
  for (const scheme of ['javascript', 'https://evil.test/"', '']) {
    expect(await server({ 'x-forwarded-proto': scheme })).toBe('/crm/')
  }
  const { send: sendOther } = await serveForTest({ proxies: { trusts: () => false, basePath: '' } })
  const { json } = await sendOther('GET', '/v1/openapi.json', undefined, { 'x-forwarded-proto': 'https' })
  expect(json.servers).toMatchObject([{ url: '/' }])
})
