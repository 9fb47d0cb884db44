import { expect, onTestFinished, test, vi } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import type { ClientOptions } from '../../src/library/client-types.ts'
import { createClient } from '../../src/library/create-client.ts'
import { sendJson, startServer } from '../api/answering-server.ts'

// The build sets it.
vi.stubGlobal('CRM_VERSION', '0.0.0')

function clientAt(url: URL, options: Partial<ClientOptions> = {}) {
  const client = createClient({ baseUrl: String(url), apiKey: 'crm_key_0123456789abcdef', maxWaitMs: 0, ...options })
  onTestFinished(() => client.close())
  return client
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof CrmError) return `${error.code}: ${error.message}; ${error.details.hint}`
  throw new Error('it did not fail with a CrmError', { cause: error })
}

/** A server with these objects, whose records have the path as their name. */
async function startObjects(objects: readonly { readonly name: string; readonly one: string; readonly to?: string }[]) {
  const data = () =>
    objects.map(({ name, one, to }) => ({
      ...{ name, one, own: true, about: '' },
      fields: to === undefined ? [] : [{ name: `${to}_id`, type: 'id', to, many: false }],
    }))
  const { url, seen } = await startServer((response, { path }) => {
    const [only = ''] = path.split('?')
    if (only === '/v1/objects') return sendJson(response, 200, { data: data() })
    const record = { id: '1', name: path }
    sendJson(response, 200, only.split('/').length > 3 ? record : { data: [record], next_cursor: null })
  })
  return { url, asked: () => seen.filter(({ path }) => path === '/v1/objects').length }
}

test('two servers of one process have objects of one noun with other names and filters', async () => {
  const one = await startObjects([{ name: 'machines', one: 'machine', to: 'contacts' }])
  const other = await startObjects([{ name: 'machines', one: 'apparatus', to: 'deals' }])
  const [first, second] = [clientAt(one.url), clientAt(other.url)]
  const firstOf = async (client: typeof first, filters: Record<string, string>) => {
    for await (const { name } of client.records('machines').list({ filters, limit: 1 })) return name
    return undefined
  }
  expect(await firstOf(first, { contacts_id: '5' })).toContain('/v1/machines?contacts_id=5')
  expect(await firstOf(second, { deals_id: '5' })).toContain('/v1/machines?deals_id=5')
  expect(await firstOf(first, { contacts_id: '6' })).toContain('/v1/machines?contacts_id=6')
  expect(await codeOf(firstOf(second, { contacts_id: '5' }))).toContain('not_supported')
  expect(await first.records('machines').get('1')).toEqual({ id: '1', name: '/v1/machines/1' })
  // Nothing of it is in a client that is made later.
  expect(Object.keys(clientAt(one.url))).not.toContain('machines')
})

test('the objects are asked for once, and again for a noun that is not known', async () => {
  const objects = [{ name: 'parts', one: 'part' }]
  const { url, asked } = await startObjects(objects)
  const client = clientAt(url)
  await Promise.all(['1', '1', '1'].map((id) => client.records('parts').get(id)))
  await client.records('contacts').get('1')
  expect(asked()).toBe(1)
  expect(await codeOf(client.records('prts').get('1'))).toBe(
    'not_found: the server has no object "prts"; did you mean parts?',
  )
  objects.push({ name: 'prts', one: 'prt' })
  expect(await client.records('prts').get('1')).toEqual({ id: '1', name: '/v1/prts/1' })
  expect(asked()).toBe(3)
})

test('an answer that fails is not kept', async () => {
  const { url } = await startServer((response, { path }, nth) => {
    if (nth === 1) return sendJson(response, 401, {})
    sendJson(response, 200, path === '/v1/objects' ? { data: [{ name: 'cars', one: 'car', own: true }] } : { id: '1' })
  })
  const client = clientAt(url)
  expect(await codeOf(client.records('cars').get('1'))).toContain('unauthorized')
  expect(await client.records('cars').get('1')).toEqual({ id: '1' })
})

test('no object of a server displaces one of crm', async () => {
  const { url } = await startObjects([
    { name: 'companies', one: 'firm' },
    { name: 'side_deals', one: 'deal' },
  ])
  const client = clientAt(url)
  expect(await client.records('side_deals').get('1')).toEqual({ id: '1', name: '/v1/side_deals/1' })
  expect(await client.deals.get('1')).toEqual({ id: '1', name: '/v1/deals/1' })
  expect(await client.records('companies').get('1')).toEqual({ id: '1', name: '/v1/companies/1' })
  expect(() => client.records('notes')).toThrow('notes are records of a deal')
})

test('objects that an account of a vendor made for itself have their noun, too', async () => {
  const { url } = await startServer((response, { path }) =>
    path.includes('/schemas')
      ? sendJson(response, 200, { results: [{ objectTypeId: '2-7', labels: { singular: 'Car', plural: 'Cars' } }] })
      : sendJson(response, 200, { id: '5', properties: { path } }),
  )
  const client = clientAt(url, { connector: 'hubspot' })
  expect(await client.records('cars').get('5')).toMatchObject({
    id: '5',
    path: expect.stringContaining('/objects/2-7/5'),
  })
})
