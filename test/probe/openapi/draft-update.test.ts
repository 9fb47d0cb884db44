import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { answer, body, documentWith, draftOf, GONE, get, listOf, loaded, object, post, TEXT } from './small-api.ts'

const FIELDS = { name: TEXT, email: TEXT }
const RECORD = object({ id: TEXT, ...FIELDS, source: TEXT, score: TEXT })

interface Bodies {
  readonly created?: JsonObject
  readonly updated: JsonObject
  readonly method?: 'put' | 'patch'
  readonly shown?: JsonObject
  readonly isShown?: boolean
}

/** Contacts whose create and update take these. */
function drafted({ created = object(FIELDS), updated, method = 'put', shown = RECORD, isShown = true }: Bodies) {
  const one = { ...(isShown && { get: get(shown) }), [method]: { ...body(updated), ...answer(shown) }, delete: GONE }
  const paths = { '/people': { get: get(listOf(shown)), post: post(created, shown) }, '/people/{id}': one }
  const draft = draftOf(documentWith(paths), { deals: 'none' })
  expect(loaded(draft).name).toBe('meadow')
  const { contacts } = draft.written.objects
  return { ...draft, contacts: { ...contacts, ...contacts?.verbs } as JsonObject }
}

test('what a create takes and the whole record of an update does not is left out of it', () => {
  const { contacts } = drafted({ created: object({ ...FIELDS, source: TEXT }), updated: object(FIELDS) })
  expect(contacts).toMatchObject({ read_only: ['score'], update: { sends: 'whole', drop: ['source'] } })
})

test('what an update takes and a create does not is sent with the whole record', () => {
  const { contacts } = drafted({ updated: object({ ...FIELDS, source: TEXT }) })
  expect(contacts).toMatchObject({ read_only: ['score'], update: { sends: 'whole' } })
  expect(contacts.update).not.toHaveProperty('drop')
})

test('a field that an update does not take is set by a create alone', () => {
  const { contacts } = drafted({ updated: object({ name: TEXT }), method: 'patch' })
  expect(contacts.fields).toEqual({ name: 'name', email: { at: 'email', fold: 'case', when: 'create' } })
})

test('an update whose body may have more members takes all of them', () => {
  const { contacts } = drafted({ updated: object({ name: TEXT }, { additionalProperties: true }) })
  expect(contacts.update).toMatchObject({ sends: 'whole' })
  expect(contacts.update).not.toHaveProperty('drop')
})

test.each(['changes', 'whole'])('members that each change needs are a decision, answered by %s', (answered) => {
  const updated = object(FIELDS, { required: ['name'] })
  const open = drafted({ updated, method: 'patch' })
  expect(open.points).toEqual(['the body of each update needs name; assumed: sends: changes'])
  const paths = { '/people/{id}': { get: get(RECORD), patch: { ...body(updated), ...answer(RECORD) } } }
  const list = { '/people': { get: get(listOf(RECORD)), post: post(object(FIELDS), RECORD) } }
  const answers = { deals: 'none', 'contacts.update': answered }
  const { points, written } = draftOf(documentWith({ ...list, ...paths }), answers)
  expect(points).toEqual([])
  expect(JSON.stringify(written.objects.contacts?.verbs.update)).toBe(
    JSON.stringify({ ...(answered === 'whole' && { sends: 'whole' }) }),
  )
})

test('members that the whole record does not show, but each update needs, are a decision', () => {
  const { points } = drafted({ updated: object({ ...FIELDS, reason: TEXT }, { required: ['name', 'reason'] }) })
  expect(points).toContain('each update needs reason, which a record does not show: constants (set: { reason: ... })')
})

test('a member with one value, and the id, are set in each update', () => {
  const updated = object({ id: TEXT, ...FIELDS, kind: { const: 'person' } }, { required: ['id', 'kind'] })
  const { contacts, points } = drafted({ updated, method: 'patch' })
  expect(contacts.update).toEqual({ set: { id: '{id}', kind: 'person' } })
  expect(points).toEqual([])
})

const LISTED = object({ id: TEXT, name: TEXT, emails: listOf(object({ value: TEXT })) })

test.each([
  ['a field in a list', { updated: LISTED, method: 'patch', shown: LISTED, created: LISTED }, 'an update of email'],
  ['a whole record', { updated: object(FIELDS) }, 'an update'],
] as const)('%s that changes needs a request that shows the record', (_, bodies, what) => {
  const reads = `${what} reads the record first, and no request that shows one was found`
  expect(drafted({ ...bodies, isShown: false }).points.join('\n')).toContain(reads)
  expect(drafted(bodies).points.join('\n')).not.toContain('reads the record first')
})
