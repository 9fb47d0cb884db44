import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { eventKinds } from '../../../src/core/webhook-events.ts'
import { openapiDocument } from '../../../src/service/openapi/document.ts'
import { eventJsonSchema, eventTypescript } from '../../../src/service/openapi/event-types.ts'

// biome-ignore lint/suspicious/noExplicitAny: read like a client without our types
const { webhooks } = JSON.parse(JSON.stringify(openapiDocument('1.2.3'))) as any

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
