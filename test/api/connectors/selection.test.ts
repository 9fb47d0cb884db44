import { expect, test } from 'vitest'
import { createSelection } from '../../../src/api/connectors/requests.ts'
import { described, field, mapOf } from '../../connector/described-resource.ts'
import { sendJson } from '../answering-server.ts'
import { failureOf } from '../client-fixture.ts'
import { connectedTo } from './connected.ts'

const SELECTING = described({
  select: { param: 'properties', as: 'comma' },
  fields: { name: field('title') },
})

function selectionOf(document = SELECTING) {
  return createSelection(document, mapOf(document))
}

test('members are asked for by the names of the server, and fields of crm by nothing else', () => {
  const selection = selectionOf()
  selection.ask(['name', 'created_at', 'name_', 'jobtitle'])
  expect(selection.asked).toEqual(['name', 'jobtitle'])
  expect(selection.added({}).select).toEqual(['title', 'id', 'name', 'jobtitle'])
})

test('no more names are asked for than an address has room for, and the others are returned', () => {
  const selection = selectionOf()
  const names = Array.from({ length: 400 }, (_, n) => `a_custom_property_${n}`)
  const others = selection.askWithin(names)
  expect(others.length).toBeGreaterThan(50)
  expect([...(selection.asked ?? []), ...others]).toEqual(names)
  const { href } = new URL(`http://host?properties=${encodeURIComponent(selection.added({}).select?.join(',') ?? '')}`)
  expect(href.length).toBeLessThan(6100)
})

test('nor more than the server takes', () => {
  const selection = selectionOf({ ...SELECTING, select: { param: 'properties', as: 'comma', most: 4 } })
  expect(selection.askWithin(['a', 'b', 'c'])).toEqual(['c'])
  expect(selection.added({}).select).toEqual(['title', 'id', 'a', 'b'])
})

test('a server that shows every member is asked for none', () => {
  const selection = selectionOf({ ...SELECTING, select: undefined })
  selection.ask(['jobtitle'])
  expect([selection.asked, selection.added({})]).toEqual([undefined, {}])
})

const LINES = `
objects:
  contacts:
    path: /people
    verbs: { list: { items: 'rows[]', paging: none } }
    select: { param: with, names: { path: /names, query: { of: people }, items: 'all[]', at: key, read_only: meta.fixed } }
    fields: { name: title }
`

test('the names of members are read from their own address, once', async () => {
  const all = [{ key: 'age' }, { key: 'seen', meta: { fixed: true } }, { key: 'size', meta: { fixed: false } }]
  const { api, seen } = await connectedTo(LINES, (response) => sendJson(response, 200, { all }))
  const names = await api.listedNames('contact')
  expect(names).toMatchObject([
    { name: 'age', isReadOnly: false },
    { name: 'seen', isReadOnly: true },
    { name: 'size', isReadOnly: false },
  ])
  expect(await api.listedNames('contact')).toBe(names)
  expect(seen.map(({ path }) => path)).toEqual(['/names?of=people'])
})

test('a key that may not read the names gets none, and an answer of another form is an error', async () => {
  const forbidden = await connectedTo(LINES, (response) => sendJson(response, 403, { message: 'no scope' }))
  expect(await forbidden.api.listedNames('contact')).toBeUndefined()
  const other = await connectedTo(LINES, (response) => sendJson(response, 200, { rows: [] }))
  expect(await failureOf(other.api.listedNames('contact'))).toMatchObject({
    code: 'bad_answer',
    message: expect.stringContaining('all[]'),
  })
})
