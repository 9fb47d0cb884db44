import { expect, test } from 'vitest'
import { serveForTest } from '../serve-for-test.ts'

const NOBODY = 'con_0abcdefghjk'

async function made() {
  const service = await serveForTest()
  const make = async (path: string, body: object) => (await service.send('POST', path, body)).json
  return { ...service, make }
}

test('a reference to a record that does not exist is a 422 that names the member and the id', async () => {
  const { send, make } = await made()
  const company = await make('/v1/companies', { name: 'Engines' })
  expect(await make('/v1/contacts', { name: 'Ada', company_id: company.id })).toMatchObject({ company_id: company.id })
  const ada = await make('/v1/contacts', { name: 'Ada' })
  const refused = await send('POST', '/v1/tasks', { title: 'a', contact_id: NOBODY, company_id: company.id })
  expect(refused).toMatchObject({ status: 422, json: { code: 'invalid_values' } })
  expect(refused.json.errors).toEqual([
    { pointer: '#/contact_id', code: 'not_found', detail: `there is no contact "${NOBODY}"` },
  ])
  const list = { name: 'a', stage: 'Lead', contact_ids: [ada.id, NOBODY] }
  expect((await send('POST', '/v1/deals', list)).json.detail).toBe(`contact_ids: there is no contact "${NOBODY}"`)
  const deal = await make('/v1/deals', { ...list, contact_ids: [ada.id] })
  expect(deal.contact_ids).toEqual([ada.id])
  expect(await send('PATCH', `/v1/deals/${deal.id}`, { contact_ids: [NOBODY] })).toMatchObject({ status: 422 })
  expect(await send('PATCH', `/v1/contacts/${ada.id}`, { company_id: 'comp_0abcdefghjk' })).toMatchObject({
    status: 422,
  })
})

test.each([
  ['/v1/tasks', { title: 'a', contact_id: 'u_ines' }, 'contact_id: expected the id of a contact or null, got "u_ines"'],
  ['/v1/deals', { name: 'a', stage: 'Lead', contact_ids: 'con_1' }, 'contact_ids: expected a list of ids of contacts'],
  ['/v1/deals', { name: 'a', stage: 'Lead', contact_ids: ['x'] }, 'contact_ids: expected a list of ids of contacts'],
  ['/v1/tasks', { title: 'a', status: 'late' }, 'status: expected one of "open", "done" or null'],
  ['/v1/tasks', { title: 'a', due_on: '2026-02-30' }, 'due_on: expected a day'],
  ['/v1/tasks', { status: 'open' }, 'title: required'],
  ['/v1/companies', { domain: 'a.test' }, 'name: required'],
])('POST %s %j is a 422', async (path, body, detail) => {
  const { send } = await serveForTest()
  expect(await send('POST', path, body)).toMatchObject({
    status: 422,
    json: { detail: expect.stringContaining(detail) },
  })
})

test('a record keeps the id of one that was deleted, and can be changed and sent back whole', async () => {
  const { send, make } = await made()
  const { id } = await make('/v1/contacts', { name: 'Ada' })
  const deal = await make('/v1/deals', { name: 'a', stage: 'Lead', contact_ids: [id] })
  const task = await make('/v1/tasks', { title: 'a', contact_id: id })
  expect(await send('DELETE', `/v1/contacts/${id}`)).toMatchObject({ status: 204 })
  for (const [path, record, change] of [
    [`/v1/deals/${deal.id}`, deal, { amount: 5 }],
    [`/v1/tasks/${task.id}`, task, { status: 'done' }],
  ] as const)
    expect(await send('PATCH', path, { ...record, ...change })).toMatchObject({ status: 200, json: change })
  expect((await send('GET', `/v1/tasks?contact_id=${id}`)).json.data).toMatchObject([{ id: task.id, contact_id: id }])
  expect(await send('POST', '/v1/tasks', { title: 'b', contact_id: id })).toMatchObject({ status: 422 })
})

test('writes that come together see one another: a company that is deleted before a contact names it is gone', async () => {
  const { send, make } = await made()
  const { id } = await make('/v1/companies', { name: 'Engines' })
  const named = Array.from({ length: 20 }, (_, at) => send('POST', '/v1/contacts', { name: `c${at}`, company_id: id }))
  const deleted = send('DELETE', `/v1/companies/${id}`)
  const late = await Promise.all(named)
  expect(await deleted).toMatchObject({ status: 204 })
  expect(late.filter(({ status }) => status !== 201 && status !== 422)).toEqual([])
  expect(await send('POST', '/v1/contacts', { name: 'z', company_id: id })).toMatchObject({ status: 422 })
})

test('lists are filtered by references, and GraphQL has companies and tasks with them', async () => {
  const { send, make } = await made()
  const company = await make('/v1/companies', { name: 'Engines', domain: 'Engines.test' })
  const ada = await make('/v1/contacts', { name: 'Ada', company_id: company.id })
  const deal = await make('/v1/deals', { name: 'a', stage: 'Lead', contact_ids: [ada.id] })
  await make('/v1/contacts', { name: 'Bea' })
  const task = await make('/v1/tasks', { title: 'a', status: 'open', deal_id: deal.id, company_id: company.id })
  await make('/v1/tasks', { title: 'b', status: 'done' })
  const listed = async (path: string) => (await send('GET', path)).json.data as readonly { readonly id: string }[]
  expect(await listed(`/v1/contacts?company_id=${company.id}`)).toMatchObject([{ id: ada.id }])
  expect(await listed(`/v1/tasks?deal_id=${deal.id}`)).toMatchObject([{ id: task.id }])
  expect(await listed(`/v1/tasks?company_id=${company.id}&status=open`)).toMatchObject([{ id: task.id }])
  expect(await listed('/v1/companies?domain=engines.TEST')).toMatchObject([{ id: company.id }])
  const query = `{ tasks(filter: { dealId: "${deal.id}" }) { nodes { title status companyId dueOn } }
    deal(id: "${deal.id}") { contactIds } company(id: "${company.id}") { name domain } }`
  const { json } = await send('POST', '/v1/graphql', { query })
  expect(json.data).toEqual({
    tasks: { nodes: [{ title: 'a', status: 'open', companyId: company.id, dueOn: null }] },
    deal: { contactIds: [ada.id] },
    company: { name: 'Engines', domain: 'Engines.test' },
  })
  const create = `mutation { createTask(input: { title: "c", contactId: "${NOBODY}" }) { task { id } } }`
  const { json: refused } = await send('POST', '/v1/graphql', { query: create })
  expect(JSON.stringify(refused.errors)).toContain('there is no contact')
})
