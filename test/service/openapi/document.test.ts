import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { eventKinds, isEventPattern } from '../../../src/core/webhook-events.ts'
import { openapiDocument } from '../../../src/service/openapi/document.ts'
import { eventJsonSchema, eventTypescript } from '../../../src/service/openapi/events.ts'
import { exampleOf } from '../../../src/service/openapi/schemas.ts'
import { ALL_ROUTES } from '../all-routes.ts'
import { serveForTest } from '../serve-for-test.ts'

interface Parameter {
  readonly in: string
  readonly name: string
}

interface Operation {
  readonly parameters?: readonly ({ readonly $ref: string } | Parameter)[]
  readonly security?: readonly unknown[]
}

// biome-ignore lint/suspicious/noExplicitAny: read like a client without our types
const document = openapiDocument(ALL_ROUTES, '1.2.3') as any

function queryParameters({ parameters = [] }: Operation): readonly string[] {
  return parameters
    .map((each) => ('$ref' in each ? document.components.parameters[each.$ref.split('/').at(-1) ?? ''] : each))
    .filter((each: Parameter) => each.in === 'query')
    .map((each: Parameter) => each.name)
}

test('the document has exactly the routes, with their parameters and security', () => {
  const documented = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, item]) =>
      Object.entries(item)
        .filter(([name]) => name !== 'parameters')
        .map(([method, operation]) => [
          `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
          [...queryParameters(operation)].sort(),
          operation.security === undefined,
        ]),
  )
  const served = ALL_ROUTES.map(({ method, path, parameters, scope }) => [
    `${method} ${path}`,
    [...parameters].sort(),
    scope !== undefined,
  ])
  expect(documented.sort()).toEqual(served.sort())
})

test('the document is public', async () => {
  const { send } = await serveForTest()
  const { status, json, headers } = await send('GET', '/v1/openapi.json', undefined, { authorization: '' })
  expect({ status, json }).toEqual({ status: 200, json: JSON.parse(JSON.stringify(document)) })
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
})

test('example requests are accepted, and the answers have the members of the example responses', async () => {
  const { send } = await serveForTest()
  const contact = await send('POST', '/v1/contacts', exampleOf('NewContact'))
  expect(Object.keys(contact.json)).toEqual(Object.keys(exampleOf('Contact')))
  expect((await send('PATCH', `/v1/contacts/${contact.json.id}`, exampleOf('ContactPatch'))).status).toBe(200)
  const deal = await send('POST', '/v1/deals', exampleOf('NewDeal'))
  expect(Object.keys(deal.json)).toEqual(Object.keys(exampleOf('Deal')))
  const note = await send('POST', `/v1/deals/${deal.json.id}/notes`, exampleOf('NewNote'))
  expect(Object.keys(note.json)).toEqual(Object.keys(exampleOf('Note')))
  const webhook = await send('POST', '/v1/webhooks', exampleOf('NewWebhook'))
  expect(Object.keys(webhook.json).sort()).toEqual(Object.keys(exampleOf('CreatedWebhook')).sort())
  const shown = await send('GET', `/v1/webhooks/${webhook.json.id}`)
  expect(Object.keys(shown.json).sort()).toEqual(Object.keys(exampleOf('Webhook')).sort())
  await send('POST', `/v1/webhooks/${webhook.json.id}/test`)
  const [delivery] = (await send('GET', `/v1/webhooks/${webhook.json.id}/deliveries`)).json.data as [object]
  expect(Object.keys(delivery)).toEqual(Object.keys(exampleOf('Delivery')))
  expect((await send('GET', '/v1/pipelines')).json.data).toEqual([exampleOf('Pipeline')])
  const stages = await send('GET', '/v1/pipelines/sales/stages?limit=1')
  expect(stages.json.data).toEqual([exampleOf('Stage')])
  const problem = await send('POST', '/v1/contacts', { email: 5 })
  expect(problem.json).toEqual({ ...exampleOf('Problem'), request_id: expect.any(String) })
  const variables = { id: deal.json.id }
  expect((await send('POST', '/v1/graphql', { ...exampleOf('GraphqlRequest'), variables })).json).toEqual(
    exampleOf('GraphqlAnswer'),
  )
})

test('the event patterns of the document are the accepted ones', () => {
  const { items } = document.components.schemas.NewWebhook.properties.events
  expect(items.enum).toEqual(expect.arrayContaining(['*', 'contact.*', 'note.created']))
  for (const pattern of items.enum) expect(isEventPattern(pattern)).toBe(true)
})

// biome-ignore lint/suspicious/noExplicitAny: read like a client without our types
const { webhooks } = JSON.parse(JSON.stringify(openapiDocument(ALL_ROUTES, '1.2.3'))) as any

const examples = eventKinds().map((kind) => webhooks[kind].post.requestBody.content['application/json'].example)

test('the JSON Schema accepts the example of each event in the OpenAPI document, and no other type', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(eventJsonSchema())
  expect(examples.filter((example) => !validate(example))).toEqual([])
  expect(validate({ ...examples[0], type: 'contact.merged' })).toBe(false)
  expect(validate({ ...examples[0], data: {} })).toBe(false)
})

test('the TypeScript has a type for each event, by which its record is known', () => {
  const text = eventTypescript()
  expect(text.match(/^ {2}\| \w+$/gm)).toHaveLength(eventKinds().length)
  expect(text).toContain(
    'export type DealUpdated = {\n  "type": "deal.updated"\n  "timestamp": string\n  "data": Deal\n  "previous": Record<string, unknown>\n}',
  )
  expect(text).toMatch(/export type Deal = \{\n {2}"id": string\n {2}"name": string\n {2}"amount"\?: number \| null\n/)
})
