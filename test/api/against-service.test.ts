import { expect, test } from 'vitest'
import type { ApiOptions } from '../../src/api/options.ts'
import { SYSTEM_TIMING } from '../../src/api/transport/timing.ts'
import type { ServerOptions } from '../../src/service/server.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { ALL, allPages, failureOf, NO_KEY, openClient } from './client-fixture.ts'

const ANY_VERSION = { ifMatch: undefined }

/** The real service, a client of it, and what both have in common. */
async function openBoth(server: Partial<ServerOptions> = {}, client: Partial<ApiOptions> = {}) {
  const service = await serveForTest(server)
  const url = new URL(service.url)
  return { service, url, ...openClient(url, { key: service.key.text, ...client }) }
}

test('contacts are created, listed newest first over several pages, changed and deleted', async () => {
  const { api } = await openBoth()
  const ids: unknown[] = []
  for (const name of ['Ada', 'Bo', 'Cy', 'Di', 'Ed']) ids.unshift((await api.contacts.create({ name }, NO_KEY)).id)
  const pages = await allPages(api.contacts.list(ALL))
  expect(pages.map((page) => page.items.length)).toEqual([2, 2, 1])
  expect(pages.flatMap((page) => page.items.map((contact) => contact.id))).toEqual(ids)

  const [id] = ids as [string]
  const changed = await api.contacts.update(id, { phone: '1', name: null }, { ...NO_KEY, ifMatch: '1' })
  expect(changed).toMatchObject({ id, phone: '1', version: 2 })
  expect(changed.name ?? null).toBeNull()

  await api.contacts.delete(id, { ifMatch: '2' })
  const error = await failureOf(api.contacts.delete(id, ANY_VERSION))
  expect(error.code).toBe('not_found')
  expect(error.details.requestId).toEqual(expect.any(String))
})

test('a list that was cut goes on at the cursor that it gave', async () => {
  const { api } = await openBoth()
  for (const name of ['Ada', 'Bo', 'Cy']) await api.contacts.create({ name }, NO_KEY)
  const [first, second] = await allPages(api.contacts.list({ ...ALL, limit: 2 }))
  expect(second).toBeUndefined()
  const rest = await allPages(api.contacts.list({ ...ALL, cursor: first?.nextCursor }))
  expect(rest.flatMap((page) => page.items.map((contact) => contact.name))).toEqual(['Ada'])
})

test('a change of a version that is no longer there is refused', async () => {
  const { api } = await openBoth()
  const { id } = await api.contacts.create({ name: 'Ada' }, NO_KEY)
  const error = await failureOf(api.contacts.update(String(id), { name: 'Bo' }, { ...NO_KEY, ifMatch: '7' }))
  expect(error.code).toBe('precondition_failed')
  expect(error.message).toContain('the record is at version 1, expected 7 (412)')
  expect(error.details.hint).toBe(`crm contacts get ${id}`)
})

test('deals are created and filtered, and a wrong stage is explained', async () => {
  const { api } = await openBoth()
  await api.deals.create({ name: 'Small', amount: 10, stage: 'Lead' }, NO_KEY)
  await api.deals.create({ name: 'Large', amount: 9000, stage: 'Won' }, NO_KEY)
  const won = await allPages(api.deals.list({ ...ALL, filters: { stage: 'Won,Lost', 'amount[gte]': '100' } }))
  expect(won.flatMap((page) => page.items.map((deal) => deal.name))).toEqual(['Large'])

  const error = await failureOf(api.deals.create({ name: 'X', stage: 'Nowhere' }, NO_KEY))
  expect(error.code).toBe('invalid_values')
  expect(error.message).toMatch(/^cannot create the deal: .*stage.*Lead.*\(422\)$/)
})

test('an unknown filter is refused by name', async () => {
  const { api } = await openBoth()
  const error = await failureOf(allPages(api.deals.list({ ...ALL, filters: { colour: 'red' } })))
  expect(error.code).toBe('not_supported')
  expect(error.message).toContain('colour')
})

test('a note is added to a deal, and to none that is not there', async () => {
  const { api } = await openBoth()
  const { id } = await api.deals.create({ name: 'Small', stage: 'Lead' }, NO_KEY)
  await expect(api.notes(String(id)).create({ body: 'hello' }, NO_KEY)).resolves.toMatchObject({ deal_id: id })
  const error = await failureOf(api.notes('deal_nowhere').create({ body: 'hello' }, NO_KEY))
  expect(error.code).toBe('not_found')
  expect(error.details.hint).toBe('crm deals list')
})

test('the stages of a pipeline are listed in order', async () => {
  const { api } = await openBoth()
  const stages = (await allPages(api.stages('sales').list())).flatMap((page) => page.items)
  expect(stages.map((stage) => stage.name)).toEqual(['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost'])
  expect((await failureOf(allPages(api.stages('none').list()))).code).toBe('not_found')
})

test('a webhook is created with the secret that is shown only then', async () => {
  const { api } = await openBoth()
  const webhook = await api.webhooks.create({ url: 'http://127.0.0.1:9/hook', events: ['contact.*'] }, NO_KEY)
  expect(webhook.secret).toMatch(/^whsec_/)
})

test('the same idempotency key from 50 calls at once makes one record and 50 equal answers', async () => {
  const { api } = await openBoth()
  const create = () => api.contacts.create({ name: 'Ada' }, { idempotencyKey: 'once' })
  const answers = await Promise.all(Array.from({ length: 50 }, create))
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  const all = await allPages(api.contacts.list(ALL))
  expect(all.flatMap((page) => page.items)).toHaveLength(1)
})

test('an idempotency key that was used for something else is refused', async () => {
  const { api } = await openBoth()
  await api.contacts.create({ name: 'Ada' }, { idempotencyKey: 'once' })
  const error = await failureOf(api.contacts.create({ name: 'Bo' }, { idempotencyKey: 'once' }))
  expect(error.code).toBe('invalid_values')
})

test('a wrong key and a key without the scope are distinguished', async () => {
  const { api, service, url } = await openBoth({}, { key: 'crm_key_wrong_wrong_wrong' })
  expect((await failureOf(allPages(api.contacts.list(ALL)))).code).toBe('unauthorized')
  const reader = openClient(url, { key: (await service.addKey(['read'])).text })
  expect(await allPages(reader.api.contacts.list(ALL))).toEqual([{ items: [], nextCursor: undefined }])
  expect((await failureOf(reader.api.contacts.create({ name: 'Ada' }, NO_KEY))).code).toBe('forbidden')
})

test('a rate limit of the service is waited for as long as it says', async () => {
  const notices: string[] = []
  const service = await serveForTest({ rateLimit: { requests: 2, windowMs: 1000 } })
  const onWait = (waitMs: number, reason: string) => notices.push(`${waitMs} ${reason}`)
  const { api } = openClient(new URL(service.url), { key: service.key.text, onWait }, SYSTEM_TIMING)
  for (let i = 0; i < 3; i += 1) await api.contacts.create({ name: 'Ada' }, NO_KEY)
  for (const notice of notices) expect(notice).toMatch(/^1\d\d\d the rate limit of http.* is used up$/)
})

test('ids that look like paths find nothing and reach nothing else', async () => {
  const { api } = await openBoth()
  for (const id of ['../deals', 'a/b', 'x?limit=1', '%2e%2e', 'ключ']) {
    expect((await failureOf(api.contacts.delete(id, ANY_VERSION))).code).toBe('not_found')
  }
})
