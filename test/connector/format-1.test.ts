import { expect, test } from 'vitest'
import { isFormat1, rewriteFormat1 } from '../../src/connector/format-1.ts'
import { loadConnector } from '../../src/connector/load-connector.ts'
import { shippedText } from '../../src/connector/shipped.ts'

function rewritten(text: string): string {
  return rewriteFormat1(text, shippedText)
}

function loaded(text: string) {
  return loadConnector(text, { fileName: 'mine.yaml', baseOf: shippedText })
}

test('a file of format 1 is rewritten with its comments, and says the same', () => {
  const text = rewritten(`# Ours.
connector: 1
name: mine
clear: ''
success: { at: success, not: false }
paging: { by: page, param: page }
idempotency: { header: X-Once, keeps: 1h }
resources:
  contacts:
    path: /people
    # The number.
    id: { at: no, type: integer }
    inside: data
    list: { items: 'rows[]' }
    get: { path: '/{id}' }
    create: { record: data, returns: id } # gives the number
    update: { query: { id: '{id}' }, returns: nothing }
    delete: { path: '/{id}/now' }
    find: { email: { path: /by, query: { q: '{value}' } } }
    batch:
      size: 10
      body: '{items}'
      results: 'r[]'
      row: { result: m, error: e }
      create: { path: /many, item: { r: '{record}', m: '{row}' } }
      delete: { path: /gone, item: '{id}', row: none, accounts: all }
    fields: { email: mail }
`)
  expect(text).toBe(`# Ours.
connector: 2
name: mine
record:
  clear: ''
paging: { by: page, param: page }
idempotency: { header: X-Once, window: 1h }
objects:
  contacts:
    path: /people
    record:
      # The number.
      id: { at: no, type: integer }
      inside: data
    verbs:
      list: { items: 'rows[]' }
      get: {}
      create: { gives: data.no } # gives the number
      update: { query: { id: '{id}' }, path: '{object}', gives: nothing }
      delete: { path: '{object}/{id}/now', ok: { at: success, is: true } }
      find: { email: { path: '{object}/by', query: { q: '{value}' } } }
    batch:
      size: 10
      body: '{items}'
      results: 'r[]'
      match: { by: mark, result: m, error: e }
      create: { path: '{object}/many', item: { r: '{record}', m: '{row}' } }
      delete: { path: '{object}/gone', item: '{id}', match: all }
    fields: { email: mail }
`)
  const { contact } = loaded(text).resources
  expect(contact).toMatchObject({
    id: { at: 'no', type: 'integer' },
    get: { path: '/people/{id}' },
    update: { path: '/people', gives: 'nothing' },
    delete: { path: '/people/{id}/now', ok: { at: 'success', is: true } },
    batch: {
      create: { path: '/people/many', match: { by: 'mark', result: 'm', error: 'e' } },
      delete: { match: 'all' },
    },
  })
})

test.each([
  ['connector: 1 # ours\n', true],
  ['{"connector": 1, "name": "mine"}', true],
  ['{\n  "connector": 1,\n  "name": "mine"\n}', true],
  ['connector: 2\nquery:\n  connector: 1\n', false],
  ['connector: 12\n', false],
])('%j is format 1: %j', (text, expected) => {
  expect(isFormat1(text)).toBe(expected)
})

test('what is inherited keeps its path, and what the shipped connector lacks has no other verbs', () => {
  const text = rewritten(`connector: 1
name: mine
extends: django-rest
resources:
  contacts: { path: /people, get: { path: '/{id}' }, update: { method: PUT } }
  stages: { path: /stages, list: { items: 'results[]' }, fields: { name: name } }
  webhooks: { like: contacts, path: /hooks }
`)
  const { contact, stage, webhook } = loaded(text).resources
  expect(contact).toMatchObject({
    list: { path: '/people' },
    get: { path: '/people/{id}' },
    update: { method: 'PUT', path: '/people{id}/' },
  })
  expect(stage).toMatchObject({ list: { path: '/stages' } })
  expect([stage?.get, stage?.create]).toEqual([undefined, undefined])
  expect(webhook).toMatchObject({ list: { path: '/hooks' }, get: { path: '/hooks/{id}' } })
})

test('what format 2 cannot say is left for its reading to name', () => {
  const text = rewritten(`connector: 1
name: mine
paging: none
resources:
  contacts: { path: /people, list: {}, fields: { name: { at: n, jq: { read: '.a' } } } }
`)
  expect(() => loaded(text)).toThrow(/^mine.yaml:\d+:\d+: "jq" is not a member of "field"/)
})
