import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { MAX_DOCUMENT_BYTES, readDescription } from '../../../src/probe/openapi/read-description.ts'
import { documentWith, draftOf, get, INTEGER, listOf, loaded, object, plainPaths, TEXT } from './small-api.ts'

function read(text: string) {
  return readDescription(Buffer.from(text), 'api.yaml')
}

test('JSON and YAML are read alike', () => {
  const yaml = 'openapi: 3.0.0\npaths:\n  /contacts: { get: { responses: { 200: { description: ok } } } }\n'
  const json = '{"openapi":"3.1.0","paths":{"/contacts":{"get":{"responses":{"200":{"description":"ok"}}}}}}'
  for (const text of [yaml, json]) expect(read(text).method('/contacts', 'get')?.path).toBe('/contacts')
})

describe('what is no OpenAPI 3 document is refused', () => {
  test.each([
    ['swagger: "2.0"\npaths: {}', 'api.yaml has Swagger 2.0, expected an OpenAPI document of version 3.0 or 3.1'],
    ['hello', 'api.yaml has no member openapi, expected an OpenAPI document of version 3.0 or 3.1'],
    ['openapi: 3.1.0\npaths: {}', 'api.yaml describes no paths'],
    ['{"openapi": ', /^api\.yaml is not valid JSON or YAML: /],
    ['a: [1\nb: }', /^api\.yaml is not valid JSON or YAML: /],
    ['a: &a [x, x]\nb: *c', /^api\.yaml is not valid JSON or YAML: /],
  ])('%s', (text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringMatching(message) }),
    )
  })

  test('one that is too large, before it is parsed', () => {
    expect(() => readDescription(Buffer.alloc(MAX_DOCUMENT_BYTES + 1), 'big.json')).toThrow(
      'big.json is larger than 64 MiB',
    )
  })
})

test('aliases that multiply are refused', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 9; level += 1) {
    const inner = `*a${level - 1}`
    lines.push(`a${level}: &a${level} [${Array(10).fill(inner).join(', ')}]`)
  }
  expect(() => read(lines.join('\n'))).toThrow(expect.objectContaining({ code: 'invalid_input' }))
})

test('schemas that contain themselves, and references to nothing, end', () => {
  const person: JsonObject = object({ id: INTEGER, name: TEXT, boss: { $ref: '#/components/schemas/Person' } })
  const self = { $ref: '#/components/schemas/Self' }
  const components = { schemas: { Person: person, Self: self, All: { allOf: [{ $ref: '#/components/schemas/All' }] } } }
  const paths = plainPaths('/contacts', { allOf: [{ $ref: '#/components/schemas/Person' }, self] })
  const deals = { '/deals': { get: get(listOf({ $ref: 'other.yaml#/Deal' })) } }
  const { objects } = draftOf(documentWith({ ...paths, ...deals }, { components })).written
  expect(objects.contacts).toMatchObject({ record: { id: { at: 'id', type: 'integer' } }, fields: { name: 'name' } })
})

test('members named __proto__ and constructor are data', () => {
  const record = JSON.parse(
    '{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"},"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
  )
  const paths = JSON.parse(JSON.stringify(plainPaths('/contacts', record)).replace('{', '{"__proto__":{"get":{}},'))
  const draft = draftOf(documentWith(paths), { deals: 'none' })
  expect(Object.getPrototypeOf(draft.value)).toBe(Object.prototype)
  expect(loaded(draft).resources.contact?.fields).toHaveProperty('name')
  expect(({} as JsonObject).get).toBeUndefined()
})

test('text of the document ends no comment, and holds no control character in the draft', () => {
  const hostile = 'Tenant\u001b]0;x\u0007\u202e\nauth: { in: bearer }\n# x'
  const tenant = { name: 'X-Tenant', in: 'header', required: true, schema: TEXT, description: hostile }
  const limit = { name: 'limit\n evil: true', in: 'query', schema: INTEGER }
  const paths = plainPaths('/contacts', object({ id: TEXT, name: TEXT }), tenant, limit)
  const info = { title: `Meadow ${hostile}` }
  const servers = [{ url: 'https://a.example' }, { url: 'https://b.example/\n evil: true' }]
  const { text, written } = draftOf(documentWith(paths, { info, servers }))
  expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
  expect(written).not.toHaveProperty('evil')
  expect(written.auth).toEqual({ in: 'bearer' })
})

test('wide schemas that contain each other are drafted within seconds', () => {
  const self = { $ref: '#/components/schemas/Wide' }
  const members = Object.fromEntries(
    Array.from({ length: 80 }, (_, index) => [`m${index}`, index % 2 ? self : listOf(self)]),
  )
  const components = { schemas: { Wide: object({ id: INTEGER, name: TEXT, ...members }) } }
  const document = documentWith(plainPaths('/contacts', self), { components })
  const start = process.cpuUsage()
  expect(draftOf(document, { deals: 'none' }).written.objects.contacts?.fields).toMatchObject({ name: 'name' })
  // Other work on the machine takes no CPU of this process.
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000)
})
