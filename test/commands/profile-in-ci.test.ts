import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'

test('a profile without a key describes the server of CRM_BASE_URL if CRM_PROFILE names it; config reports when it does not', async () => {
  const { url: address } = await startServer((response) => sendJson(response, 200, { people: [{ id: '1' }] }))
  const url = address.href
  const home = emptyHome()
  const env = { ...home, CRM_CONFIG_HOME: join(home.HOME, '.crm'), CRM_API_KEY: 'k' }
  await crmPrints(['config', 'set', 'base_url', url, '-p', 'ci'], env)
  const file = connectorFile("items: 'people[]', paging: none")
  await crmPrints(['config', 'set', 'connector', file, '-p', 'ci'], env)
  const there = { ...env, CRM_BASE_URL: url }
  const named = { ...there, CRM_PROFILE: 'ci' }
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], named)).toBe('1\n')
  expect((await crm(['config', 'list', '-o', 'json'], named)).stderr).toBe('')
  expect((await crm(['contacts', 'list', '-o', 'id'], there)).exit).toBe(7)
  const { exit, stderr } = await crm(['config', 'list', '-p', 'ci'], there)
  expect({ exit, stderr: stderr.trim() }).toEqual({
    exit: 0,
    stderr: `Requests go to ${new URL(url).origin} (CRM_BASE_URL), not to the server of profile ci; CRM_PROFILE=ci makes these settings apply there.`,
  })
  const elsewhere = { ...named, CRM_BASE_URL: 'https://other.example.com' }
  expect((await crm(['config', 'set', 'page_size', '5'], elsewhere)).stderr).toContain(
    'CRM_PROFILE can name a profile with base_url https://other.example.com',
  )
})

/** Of contacts that are listed so. */
function connectorFile(list: string): string {
  const file = join(tempFolder(), 'mine.yaml')
  writeFileSync(
    file,
    `connector: 2\nname: mine\nobjects: { contacts: { path: /v1/contacts, verbs: { list: { ${list} } } } }\n`,
  )
  return file
}

const ONE = "items: 'data[]', paging: none"

/** Two APIs of one host: all records in one answer, and in pages of two. */
async function twoPaths() {
  const records = [1, 2, 3, 4, 5].map((id) => ({ id: `${id}` }))
  const { url, seen } = await startServer((response, { path }) => {
    const { pathname, searchParams } = new URL(path, 'http://any')
    const isSingle = pathname.startsWith('/many/v1/contacts/')
    if (isSingle) return sendJson(response, 200, { id: pathname.split('/').at(-1) ?? '' })
    if (pathname === '/one/v1/contacts') return sendJson(response, 200, { data: records.slice(0, 2) })
    if (pathname !== '/many/v1/contacts') return sendJson(response, 404, {})
    const from = Number(searchParams.get('cursor') ?? 0)
    const next = from + 2 < records.length ? String(from + 2) : null
    sendJson(response, 200, { data: records.slice(from, from + 2), next_cursor: next })
  })
  return { url: url.origin, seen }
}

// One answer is the whole list of /one; taken for that of /many, it would be a list cut short with exit 0.
test.each(['/many', '/many/', '/many/../many'])(
  'settings of another path of the origin do not apply to %s',
  async (path) => {
    const { url } = await twoPaths()
    const env = { ...emptyHome(), CRM_API_KEY: 'k' }
    await crmPrints(['config', 'set', 'base_url', `${url}/one`, '-p', 'ci'], env)
    await crmPrints(['config', 'set', 'connector', connectorFile(ONE), '-p', 'ci'], env)
    for (const chosen of [{}, { CRM_PROFILE: 'ci' }]) {
      const there = { ...env, ...chosen, CRM_BASE_URL: url + path }
      expect(await crmPrints(['contacts', 'list', '-o', 'id'], there)).toBe('1\n2\n3\n4\n5\n')
    }
    const own = { ...env, CRM_PROFILE: 'ci', CRM_BASE_URL: `${url}/one/` }
    expect(await crmPrints(['contacts', 'list', '-o', 'id'], own)).toBe('1\n2\n')
  },
)

test('a login at another path of the origin keeps no setting of the first, and changes its profile only if that is named', async () => {
  const { url } = await twoPaths()
  const env = emptyHome()
  const login = (path: string, ...flags: string[]) =>
    crm(['auth', 'login', '--base-url', url + path, '--storage', 'file', '--key-stdin', ...flags], env, 'k')
  expect((await login('/one', '--connector', connectorFile(ONE))).exit).toBe(0)
  await crmPrints(['config', 'set', 'protected', 'true', '-p', 'default'], env)
  const refused = await login('/many')
  expect(refused).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`belongs to ${url}/one, not to ${url}/many`),
  })
  expect((await login('/many', '-p', 'default')).exit).toBe(0)
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], env)).toBe('1\n2\n3\n4\n5\n')
  expect(await crmPrints(['config', 'get', 'protected'], env)).toBe('true\n')
})

test.each([
  [401, 4, 'does not accept this key; nothing was stored'],
  [403, 5, 'this key is locked (403); nothing was stored'],
])(
  'a login whose key is answered with %i is not logged in, and says what the server said',
  async (status, exit, said) => {
    const { url } = await startServer((response) => sendJson(response, status, { detail: 'this key is locked' }))
    const env = emptyHome()
    const args = ['auth', 'login', '--base-url', url.href, '--storage', 'file', '--key-stdin']
    const refused = await crm(args, env, 'k')
    expect(refused).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(said) })
    expect(refused.stderr).not.toContain('Logged in')
    expect((await crm(['auth', 'status'], env)).exit).not.toBe(0)
    const unchecked = await crm([...args, '--no-verify'], env, 'k')
    expect(unchecked).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining(`Not checked with ${url.origin}: the key is in`),
    })
  },
)
