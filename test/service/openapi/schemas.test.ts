import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { eventKinds } from '../../../src/core/webhook-events.ts'
import { openapiDocument } from '../../../src/service/openapi/document.ts'
import { ALL_ROUTES } from '../all-routes.ts'
import { deliverForTest } from '../delivery/deliver-for-test.ts'
import { startReceiver } from '../delivery/receiver.ts'

// biome-ignore lint/suspicious/noExplicitAny: read like a client without our types
const document = JSON.parse(JSON.stringify(openapiDocument(ALL_ROUTES, '1.2.3'))) as any

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(document, 'openapi')

/** What a body breaks in a schema of the document. */
function faultsAt(path: string, body: unknown): unknown {
  const validate = ajv.getSchema(`openapi#/${path}`)
  return validate?.(body) ? [] : (validate?.errors ?? `no schema at ${path}`)
}

function faultsOf(event: { readonly type: string }): unknown {
  return faultsAt(`webhooks/${event.type}/post/requestBody/content/application~1json/schema`, event)
}

test('the document has every kind of event, with an example that is valid', () => {
  expect(Object.keys(document.webhooks)).toEqual(eventKinds())
  for (const [kind, { post }] of Object.entries<{ post: Record<string, never> }>(document.webhooks)) {
    const { requestBody } = post as { requestBody?: { content: Record<string, { example: { type: string } }> } }
    const { example } = requestBody?.content['application/json'] ?? {}
    expect([kind, example?.type, example && faultsOf(example)]).toEqual([kind, kind, []])
  }
})

test('each event that the service sends has the schema and the headers of the document', async () => {
  const receiver = await startReceiver()
  const service = await deliverForTest()
  const { id } = await service.subscribe(receiver.url)
  const contact = `/v1/contacts/${await service.make('Ada')}`
  const { json } = await service.send('POST', '/v1/deals', { name: 'a', stage: 'Lead', amount: 5 })
  const deal = `/v1/deals/${json.id}`
  await service.send('PATCH', contact, { name: 'Bea', vip: true })
  await service.send('PATCH', deal, { stage: 'Won', amount: null })
  await service.send('POST', `${deal}/notes`, { body: 'x' })
  const { json: company } = await service.send('POST', '/v1/companies', { name: 'Engines', domain: 'engines.test' })
  const { json: task } = await service.send('POST', '/v1/tasks', {
    title: 'Call',
    status: 'open',
    due_on: '2026-01-31',
  })
  const [companyPath, taskPath] = [`/v1/companies/${company.id}`, `/v1/tasks/${task.id}`]
  await service.send('PATCH', companyPath, { city: 'London' })
  await service.send('PATCH', taskPath, { status: 'done' })
  for (const path of [contact, deal, companyPath, taskPath]) await service.send('DELETE', path)
  await service.send('POST', `/v1/webhooks/${id}/test`)
  await expect.poll(() => receiver.received.length).toBe(eventKinds().length)
  const bodies = receiver.received.map(({ body }) => JSON.parse(body.toString()))
  expect(bodies.map(({ type }) => type).sort()).toEqual([...eventKinds()].sort())
  expect(bodies.flatMap(faultsOf)).toEqual([])
  for (const { headers } of receiver.received) {
    const { parameters } = document.webhooks['contact.created'].post
    for (const { name } of parameters) expect(headers).toHaveProperty(name)
  }
  expect(faultsOf({ ...bodies[0], type: 'contact.deleted', data: {} })).not.toEqual([])
})

test('answers of the endpoints beyond the contract have the schemas of the document', async () => {
  const { send, subscribe } = await deliverForTest()
  const { json: contact } = await send('POST', '/v1/contacts', { name: 'Ada', owner_id: null, tags: ['a'] })
  const { json: deal } = await send('POST', '/v1/deals', { name: 'a', stage: 'Lead' })
  await send('POST', `/v1/deals/${deal.id}/notes`, { content: 'x' })
  const { id } = await subscribe('http://127.0.0.1:9/')
  const requests = [
    ['GET', '/v1/contacts/{id}', contact.id, undefined],
    ['GET', '/v1/contacts', '', undefined],
    ['GET', '/v1/deals/{id}', deal.id, undefined],
    ['PATCH', '/v1/deals/{id}', deal.id, { amount: 5.5 }],
    ['GET', '/v1/deals/{id}/notes', deal.id, undefined],
    ['GET', '/v1/pipelines', '', undefined],
    ['GET', '/v1/webhooks', '', undefined],
    ['GET', '/v1/webhooks/{id}', id, undefined],
    ['POST', '/v1/webhooks/{id}/test', id, undefined],
    ['PATCH', '/v1/webhooks/{id}', id, { status: 'disabled' }],
  ] as const
  for (const [method, path, ofId, body] of requests) {
    const { status, json } = await send(method, path.replace('{id}', `${ofId}`), body)
    const place = `paths/${path.replaceAll('/', '~1').replace('{id}', '%7Bid%7D')}/${method.toLowerCase()}`
    const faults = faultsAt(`${place}/responses/${status}/content/application~1json/schema`, json)
    expect([method, path, status < 300, faults]).toEqual([method, path, true, []])
  }
})
