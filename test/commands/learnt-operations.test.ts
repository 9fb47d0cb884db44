import { expect, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { countRequests } from '../harness/request-counter.ts'
import { serveForTest } from '../service/serve-for-test.ts'

const DOCUMENTS = /openapi|swagger/

/** A service, through a server that counts requests, and answers those for the OpenAPI document with `status` if it is given. */
async function counted(status?: number) {
  const service = await serveForTest()
  const hidden = status === undefined ? undefined : { paths: DOCUMENTS, status }
  const { url, requests } = await countRequests(service.url, undefined, hidden)
  const home = emptyHome()
  const env = { ...home, CRM_BASE_URL: url, CRM_API_KEY: service.key.text }
  const logIn = (...more: string[]) =>
    crm(['auth', 'login', '--base-url', url, '--storage', 'file', '--key-stdin', ...more], home, service.key.text)
  const operations = async () => {
    const { stdout } = await crm(['config', 'list', '-o', 'json'], home)
    return JSON.parse(stdout).find(({ key }: { key: string }) => key === 'operations').value
  }
  return { service, url, requests, home, env, logIn, operations }
}

test('a login keeps what the OpenAPI document of the server names beyond the contract', async () => {
  const { logIn, operations, requests } = await counted()
  expect((await logIn()).exit).toBe(0)
  const kept = await operations()
  expect(kept.split(',')).toEqual(
    expect.arrayContaining(['contacts.get', 'deals.delete', 'notes.list', 'pipelines.list', 'webhooks.test']),
  )
  expect(requests.filter((line) => !line.includes('contacts'))).toEqual(['GET /v1/openapi.json'])
})

test.each([404, 500, 401])(
  'a login to a server that answers %i for the document succeeds and keeps nothing',
  async (status) => {
    const { logIn, operations } = await counted(status)
    expect((await logIn()).exit).toBe(0)
    expect(await operations()).toBeNull()
  },
)

test('a list sends one request, with and without a profile', async () => {
  const { home, env, logIn, requests } = await counted()
  expect((await crm(['contacts', 'list', '-o', 'id'], env)).exit).toBe(0)
  await logIn()
  expect((await crm(['contacts', 'list', '-o', 'id'], home)).exit).toBe(0)
  const lists = requests.filter((line) => line.includes('limit=100'))
  expect(lists).toHaveLength(2)
  expect(requests.filter((line) => DOCUMENTS.test(line))).toHaveLength(1)
})

test('crm doctor shows what the document names, and --fix writes it to the profile', async () => {
  const { home, logIn, operations } = await counted()
  await logIn('--no-verify')
  expect(await operations()).toBeNull()
  const asked = await crm(['doctor'], home)
  expect(asked.stdout).toMatch(/openapi +ok +.*beyond the contract: contacts\.get, .*deals\.delete/)
  expect(asked.stderr).toContain('operations = "contacts.get,')
  expect((await crm(['doctor', '--fix'], home)).exit).toBe(0)
  expect(await operations()).toContain('deals.delete')
  expect((await crm(['doctor'], home)).stderr).not.toContain('operations')
})

test('crm doctor --fix takes back what a server without a document once named', async () => {
  const { home, logIn, operations } = await counted(404)
  await logIn()
  await crm(['config', 'set', 'operations', 'deals.delete'], home)
  expect((await crm(['doctor', '--fix'], home)).exit).toBe(0)
  expect(await operations()).toBeNull()
})

test.each([
  ['contacts.get, deals.delete', 'contacts.get,deals.delete'],
  ['none', 'none'],
  ['', null],
])('config set operations %j keeps %j', async (typed, kept) => {
  const { home, logIn, operations } = await counted()
  await logIn()
  expect((await crm(['config', 'set', 'operations', typed], home)).exit).toBe(0)
  expect(await operations()).toBe(kept)
})

test('config set operations refuses other texts', async () => {
  const { home, logIn } = await counted()
  await logIn()
  const { exit, stderr } = await crm(['config', 'set', 'operations', 'delete deals'], home)
  expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining('expected names such as') })
})

test('a command uses the requests that the profile names, without reading the document again', async () => {
  const { service, home, logIn, requests } = await counted()
  await logIn()
  const { json } = await service.send('POST', '/v1/contacts', { name: 'Ada' })
  requests.length = 0
  expect(JSON.parse((await crm(['contacts', 'get', String(json.id), '-o', 'json'], home)).stdout)).toMatchObject(json)
  expect(requests).toEqual([`GET /v1/contacts/${json.id}`])
})
