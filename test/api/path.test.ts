import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pathOfRecord } from '../../src/api/transport/call.ts'
import { CrmError } from '../../src/core/errors.ts'
import { startServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient } from './client-fixture.ts'

test.each([
  ['a/../../deals', '/v1/contacts/a%2F..%2F..%2Fdeals'],
  ['../deals', '/v1/contacts/..%2Fdeals'],
  ['x?limit=1#top', '/v1/contacts/x%3Flimit%3D1%23top'],
  ['%2e%2e', '/v1/contacts/%252e%252e'],
  ['a\r\nHost: evil', '/v1/contacts/a%0D%0AHost%3A%20evil'],
  ['ключ', '/v1/contacts/%D0%BA%D0%BB%D1%8E%D1%87'],
  ['a\\b;c', '/v1/contacts/a%5Cb%3Bc'],
  ['...', '/v1/contacts/...'],
])('the id %j stays one segment', async (id, path) => {
  const { url, seen } = await startServer((response) => response.writeHead(204).end())
  await openClient(url).api.contacts.delete(id, { ifMatch: undefined })
  expect(seen[0]?.path).toBe(path)
})

test.each(['', '.', '..', '\ud800'])('the id %j is refused before anything is sent', async (id) => {
  const { url, seen } = await startServer((response) => response.writeHead(204).end())
  const { api } = openClient(url)
  for (const refused of [
    api.contacts.delete(id, { ifMatch: undefined }),
    api.contacts.update(id, {}, { ...NO_KEY, ifMatch: undefined }),
    api.notes(id).create({}, NO_KEY),
  ]) {
    expect((await failureOf(refused)).code).toBe('invalid_input')
  }
  expect(() => api.stages(id).list()).toThrow(CrmError)
  expect(seen).toHaveLength(0)
})

test('every id that is let through comes back out of its path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
      fc.pre(id !== '.' && id !== '..')
      const path = pathOfRecord('contact', id)
      const { pathname } = new URL(`http://host${path}/notes`)
      expect(pathname).toBe(`${path}/notes`)
      expect(decodeURIComponent(path.slice('/v1/contacts/'.length))).toBe(id)
    }),
  )
})
