import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import type { References } from '../../src/connector/field-map.ts'
import { loadConnector } from '../../src/connector/load-connector.ts'
import { createRecordMap } from '../../src/connector/record-map.ts'
import { CrmError } from '../../src/core/errors.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { described, field, mapOf } from './described-resource.ts'
import { shippedDocument } from './shipped-documents.ts'

const HEX = '0123456789abcdef0123456789abcdef01234567'

const PERSONS = mapOf({
  id: { at: 'id', type: 'integer' },
  created_at: { at: 'add_time', as: 'YYYY-MM-DD hh:mm:ss' },
  updated_at: { at: 'update_time', as: 'rfc3339' },
  deleted: 'is_deleted',
  others: [
    { at: '.', names: undefined },
    { at: 'custom_fields', names: '[0-9a-f]{40}' },
  ],
  read_only: ['picture_*'],
  fields: {
    name: field('name'),
    email: field('emails[primary=true].value'),
    owner_id: field('org_owner', { type: 'id', as: 'integer' }),
    company: field('company_name', { max: [5] }),
  },
})

const PERSON = {
  id: 7,
  name: 'Ada',
  emails: [
    { value: 'old@x.example', primary: false },
    { value: 'ada@x.example', primary: true, label: 'work' },
  ],
  org_owner: 40,
  add_time: '2026-01-02 03:04:05',
  update_time: '2026-01-02T03:04:05+02:00',
  is_deleted: false,
  picture_id: 1,
  email: 'another',
  custom_fields: { [HEX]: 'x' },
}

function refusalOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof CrmError) return error.message
    throw error
  }
  return 'no refusal'
}

it('reads the id as text, the mapped fields in their order, and then all other members', () => {
  const record = PERSONS.read(PERSON)
  expect(Object.entries(record)).toEqual([
    ['id', '7'],
    ['name', 'Ada'],
    ['email', 'ada@x.example'],
    ['owner_id', '40'],
    ['company', null],
    ['created_at', '2026-01-02T03:04:05Z'],
    ['updated_at', '2026-01-02T01:04:05Z'],
    ['emails', PERSON.emails],
    ['picture_id', 1],
    ['email_', 'another'],
    [HEX, 'x'],
  ])
  expect(PERSONS.isDeleted({ is_deleted: true })).toBe(true)
  expect(PERSONS.idOf({ id: 7 })).toBe('7')
})

it('writes fields by their paths and other members where the server has them', () => {
  const sent = PERSONS.write(
    { name: 'Ada L', email: 'new@x.example', owner_id: '41', email_: 'x', label: 1, [HEX]: null },
    { isCreate: false, current: PERSON },
  )
  expect(sent).toEqual({
    name: 'Ada L',
    emails: [PERSON.emails[0], { value: 'new@x.example', primary: true, label: 'work' }],
    org_owner: 41,
    email: 'x',
    label: 1,
    custom_fields: { [HEX]: null },
  })
})

it('writes a name of another place without a record that has it, as the connector declares', () => {
  expect(PERSONS.write({ name: 'A', [HEX]: 'y' }, { isCreate: true })).toEqual({
    name: 'A',
    custom_fields: { [HEX]: 'y' },
  })
  expect(PERSONS.needsCurrent({ [HEX]: 'y', name: 'A' })).toBe(false)
  expect(PERSONS.needsCurrent({ email: 'a@x.example' })).toBe(true)
})

it('finds the place of a name in the record where the connector does not declare it', () => {
  const map = mapOf({
    others: [
      { at: '.', names: undefined },
      { at: 'more', names: undefined },
    ],
  })
  const current = { id: '1', a: 1, more: { b: 2 } }
  expect(map.write({ a: 3, b: 4, c: 5 }, { isCreate: false, current })).toEqual({ a: 3, more: { b: 4 }, c: 5 })
  expect(map.needsCurrent({ b: 1 })).toBe(true)
})

it.each<[JsonObject, string]>([
  [{ id: '1' }, 'id of a contact is read-only (connector acme)'],
  [{ created_at: 'x' }, 'created_at of a contact is read-only (connector acme)'],
  [{ picture_id: 2 }, 'picture_id of a contact is read-only (connector acme)'],
  [{ org_owner: 2 }, 'org_owner of a contact is shown as owner_id (connector acme)'],
  [{ custom_fields: {} }, 'custom_fields of a contact cannot be written (connector acme)'],
  [{ owner_id: 'ines' }, 'owner_id is "ines", expected a whole number (connector acme)'],
  [{ company: 'Engines' }, 'company is "Engines", expected at most 5 characters, not 7 (connector acme)'],
  [
    { email: 'a@x.example', emails: [{ value: 'b@x.example', primary: true }] },
    'email is "a@x.example", expected "b@x.example", which the row says by emails (connector acme)',
  ],
])('refuses %j', (fields, message) => {
  expect(refusalOf(() => PERSONS.write(fields, { isCreate: false, current: PERSON }))).toBe(message)
})

it('takes a row that names a value both ways, as an exported one does', () => {
  const { id, created_at, updated_at, picture_id, ...row } = PERSONS.read(PERSON)
  expect(PERSONS.write(row, { isCreate: true })).toEqual({
    name: 'Ada',
    emails: PERSON.emails,
    org_owner: 40,
    email: 'another',
    custom_fields: { [HEX]: 'x' },
  })
})

it('clears with the value of the server, and leaves null out of a new record', () => {
  const map = mapOf({
    clear: '',
    fields: {
      phone: field('phone', { clear: '' }),
      tags: field('tags', { clear: [], type: 'any' }),
      fax: field('fax', { clear: 'omit' }),
    },
  })
  expect(map.write({ phone: null, tags: null, other: null }, { isCreate: false })).toEqual({
    phone: '',
    tags: [],
    other: '',
  })
  expect(map.write({ phone: null, tags: null, fax: null, other: null }, { isCreate: true })).toEqual({})
  expect(map.read({ id: '1', phone: '', tags: [], other: '' })).toEqual({
    id: '1',
    phone: null,
    tags: null,
    fax: null,
    other: null,
  })
  expect(refusalOf(() => map.write({ fax: null }, { isCreate: false }))).toContain('this server cannot clear it')
  const whole = { isCreate: false, isWhole: true, current: { id: '1', fax: '1', phone: '2' } }
  expect(map.write({ fax: null }, whole)).toEqual({ phone: '2' })
})

it('clears the object that a path ends in, where that is declared', () => {
  const map = mapOf({ fields: { company_id: field('Account.id', { clear: 'object' }), owner_id: field('Owner.id') } })
  const cleared = map.write(
    { company_id: null, owner_id: null },
    { isCreate: false, current: { id: '1', Account: { id: '7' } } },
  )
  expect(cleared).toEqual({ Account: null, Owner: { id: null } })
  expect(map.write({ company_id: '8' }, { isCreate: false })).toEqual({ Account: { id: '8' } })
})

it('refuses to clear an element when the server would show the next one', () => {
  const map = mapOf({ fields: { email: field('emails[0].value') } })
  const current = { emails: [{ value: 'a@x.example' }, { value: 'b@x.example' }] }
  expect(refusalOf(() => map.write({ email: null }, { isCreate: false, current }))).toBe(
    'email is null, expected a value that the server keeps unchanged; it would keep "b@x.example" (connector acme)',
  )
  expect(map.write({ email: null }, { isCreate: false, current: { emails: [{ value: 'a@x.example' }] } })).toEqual({
    emails: [],
  })
})

const JOINED = mapOf({ fields: { name: field(['first', 'last'], { join: ['first', 'last'], max: [25, 25] }) } })

it.each<[JsonObject, JsonObject]>([
  [{ name: 'Ada King Lovelace' }, { first: 'Ada', last: 'King Lovelace' }],
  [{ name: 'Ada', first: 'Ada' }, { first: 'Ada' }],
  [
    { name: 'Anna Maria Sand', first: 'Anna Maria' },
    { first: 'Anna Maria', last: 'Sand' },
  ],
  [
    { name: 'Anna Maria Sand', last: 'Sand' },
    { first: 'Anna Maria', last: 'Sand' },
  ],
  [
    { name: 'Anna Maria Sand', first: 'Anna Maria', last: 'Sand' },
    { first: 'Anna Maria', last: 'Sand' },
  ],
  [{ first: 'Ada' }, { first: 'Ada' }],
])('splits %j', (row, sent) => {
  expect(JOINED.write(row, { isCreate: true })).toEqual(sent)
})

it('clears the second part of a name that has become one word', () => {
  expect(JOINED.write({ name: 'Ada' }, { isCreate: false, current: { first: 'Ada', last: 'L' } })).toEqual({
    first: 'Ada',
    last: null,
  })
  expect(JOINED.read({ id: '1', first: 'Ada', last: null })).toMatchObject({ name: 'Ada' })
})

it('sends a lone word as the last part where the connector says so', () => {
  const map = mapOf({ fields: { name: field(['first', 'last'], { join: ['first', 'last'], lone: 'last' }) } })
  expect(map.write({ name: 'Ada' }, { isCreate: true })).toEqual({ last: 'Ada' })
  expect(map.write({ name: 'Ada King' }, { isCreate: true })).toEqual({ first: 'Ada', last: 'King' })
  const update = { isCreate: false, current: { first: 'Ada', last: 'King' } }
  expect(map.write({ name: 'Ada' }, update)).toEqual({ first: null, last: 'Ada' })
})

it('refuses a name whose parts the row gives differently, and one that would be joined differently', () => {
  expect(refusalOf(() => JOINED.write({ name: 'Ada L', first: 'Bo' }, { isCreate: true }))).toContain(
    'which the row says by first and last',
  )
  expect(refusalOf(() => JOINED.write({ name: ' Ada' }, { isCreate: true }))).toContain('it would keep "Ada"')
})

it('writes the whole current record without what drop names, and refuses to leave out anything else', () => {
  const map = mapOf({
    read_only: ['photo'],
    version: 'rev',
    fields: { name: field('name'), status: field('state', { write: [] }) },
  })
  const current = { id: '1', rev: 3, name: 'Ada', photo: 'x', state: 'open', tags: ['a'] }
  const whole = { isCreate: false, current, isWhole: true }
  expect(map.write({ name: 'Bo' }, { ...whole, drop: ['photo', 'state'] })).toEqual({ name: 'Bo', tags: ['a'] })
  // A server that replaces the record would delete them.
  for (const [drop, lost] of [
    [[], 'photo, state'],
    [['photo'], 'state'],
    [['state'], 'photo'],
  ] as const)
    expect(() => map.write({ name: 'Bo' }, { ...whole, drop })).toThrow(
      `would leave out ${lost}, which the record shows`,
    )
  const without = { ...whole, current: { ...current, photo: null, state: null } }
  expect(map.write({ name: 'Bo' }, without)).toEqual({ name: 'Bo', tags: ['a'] })
})

const STAGES: References = {
  nameOf: (_, id) => ({ '1': 'Lead', '2': 'Won' })[id],
  idOf: (_, name, within) => {
    expect(within).toEqual({ pipeline_id: '9' })
    return name === 'Lead' ? '1' : name
  },
}

it('shows names for ids of other records, and writes ids for names', () => {
  const map = mapOf({
    fields: {
      stage: field('stage_id', { ref: 'stage', as: 'integer', within: { pipeline_id: 'pipeline_id' } }),
      pipeline_id: field('pipeline', { type: 'id', as: 'integer' }),
    },
  })
  expect(map.read({ id: '1', stage_id: 1, pipeline: 9 }, STAGES)).toMatchObject({ stage: 'Lead', pipeline_id: '9' })
  expect(map.read({ id: '1', stage_id: 77, pipeline: 9 }, STAGES)).toMatchObject({ stage: '77' })
  const update = { isCreate: false, references: STAGES, current: { pipeline: 9, stage_id: 2 } }
  expect(map.write({ stage: 'Lead' }, update)).toEqual({ stage_id: 1 })
  expect(map.write({ stage: '2' }, update)).toEqual({ stage_id: 2 })
  expect(map.needsCurrent({ stage: 'Lead' })).toBe(true)
  expect(map.needsCurrent({ stage: 'Lead', pipeline_id: '9' })).toBe(false)
})

it('shows the name that an id has among the records that the other fields point at', () => {
  const map = mapOf({
    fields: {
      stage: field('stage_id', { ref: 'stage', within: { pipeline_id: 'pipeline_id', team: 'team' } }),
      pipeline_id: field('pipeline', { type: 'id' }),
    },
  })
  const asked: unknown[] = []
  const nameOf: References['nameOf'] = (_, __, within) => {
    asked.push(within?.())
    return 'Lead'
  }
  expect(map.read({ id: '1', stage_id: 1, pipeline: 9, team: 'a' }, { ...STAGES, nameOf })).toMatchObject({
    stage: 'Lead',
  })
  expect(asked).toEqual([{ pipeline_id: '9', team: 'a' }])
})

it('maps values both ways, of one member, of several, and of lists', () => {
  const map = mapOf({
    fields: {
      status: field('active', { map: { open: true, closed: false } }),
      events: field(['action', 'object'], {
        map: { 'contact.created': ['create', 'person'] },
        one: true,
        type: 'any',
      }),
      kinds: field('subs[].type', { map: { a: 'A', b: 'B' }, type: 'any', new: { filter: null } }),
    },
  })
  const row = { status: 'closed', events: ['contact.created'], kinds: ['a', 'b'] }
  const sent = map.write(row, { isCreate: true })
  expect(sent).toEqual({
    active: false,
    action: 'create',
    object: 'person',
    subs: [
      { filter: null, type: 'A' },
      { filter: null, type: 'B' },
    ],
  })
  expect(map.read({ id: '1', ...sent })).toMatchObject(row)
  expect(refusalOf(() => map.write({ status: 'lost' }, { isCreate: true }))).toContain('expected one of open, closed')
  expect(refusalOf(() => map.write({ events: ['contact.created', 'x'] }, { isCreate: true }))).toContain(
    'exactly one value',
  )
})

it('requires fields of a new record, and refuses those that only a new one has', () => {
  const map = mapOf({
    fields: { name: field('title', { required: true }), contact_id: field('contact_id', { when: 'create' }) },
  })
  expect(refusalOf(() => map.write({}, { isCreate: true }))).toContain('the server requires it')
  expect(refusalOf(() => map.write({ name: null }, { isCreate: false }))).toContain('the server requires it')
  expect(map.write({}, { isCreate: false })).toEqual({})
  expect(refusalOf(() => map.write({ contact_id: '1' }, { isCreate: false }))).toContain(
    'set only when the record is created',
  )
})

it('shows values in the shape that the connector declares, and writes lists in it', () => {
  const map = mapOf({
    inside: 'values',
    clear: [],
    value: { each: ['value', 'email_address'], drop: ['active_from'], rename: {}, lists: false },
    fields: { email: field('emails[0].email_address', { write: ['emails[0]'], clear: [] }) },
  })
  const server = {
    id: 'r1',
    values: {
      emails: [{ email_address: 'a@x.example' }, { email_address: 'b@x.example' }],
      title: [{ value: 'CTO', active_from: 'x' }],
      place: [{ city: 'Ulm', active_from: 'x' }],
      none: [],
    },
  }
  expect(map.read(server)).toEqual({
    id: 'r1',
    email: 'a@x.example',
    emails: ['a@x.example', 'b@x.example'],
    title: 'CTO',
    place: { city: 'Ulm' },
    none: null,
  })
  expect(map.write({ email: 'n@x.example' }, { isCreate: false, current: server })).toEqual({
    emails: ['n@x.example', 'b@x.example'],
  })
})

it('reads records whose members change from one to the next', () => {
  const map = mapOf({
    others: [
      { at: '.', names: undefined },
      { at: 'more', names: undefined },
    ],
    fields: { name: field('name') },
  })
  const servers: JsonObject[] = [
    { id: '1', name: 'Ada', a: 1, more: { b: 2 } },
    { id: '2', a: 1, name: 'Ada', more: { b: 2 } },
    { id: '3', name: 'Ada', a: 1, more: { b: 2, c: 3 } },
    { id: '4', name: 'Ada', a: 1, more: null },
    { id: '5', more: { a: 9, d: 4 } },
    { id: '6', a: 1, more: { a: 9 } },
    { id: '1', name: 'Ada', a: 1, more: { b: 2 } },
  ]
  // A member that a record does not have is none of its members, not one without a value.
  const text = (server: JsonObject) => JSON.stringify(map.read(server), (_, value) => value ?? null)
  expect(servers.map(text)).toEqual([
    '{"id":"1","name":"Ada","a":1,"b":2}',
    '{"id":"2","name":"Ada","a":1,"b":2}',
    '{"id":"3","name":"Ada","a":1,"b":2,"c":3}',
    '{"id":"4","name":"Ada","a":1}',
    '{"id":"5","name":null,"a":9,"d":4}',
    '{"id":"6","name":null,"a":1}',
    '{"id":"1","name":"Ada","a":1,"b":2}',
  ])
})

it('treats __proto__ and constructor as members', () => {
  const map = mapOf({ fields: { name: field('constructor') } })
  const record = map.read(JSON.parse('{"id":"1","__proto__":{"a":1}}'))
  expect(record.name).toBeNull()
  expect(Object.keys(record)).toContain('__proto__')
  expect(Object.keys(map.write(JSON.parse('{"__proto__":{"a":1}}'), { isCreate: true }))).toEqual(['__proto__'])
})

it('leaves the id of the parent to the path of the request', () => {
  const map = mapOf({ parent: 'deal', fields: { body: field('content'), deal_id: field('deal', { write: [] }) } })
  expect(map.write({ deal_id: '3', body: 'x' }, { isCreate: true })).toEqual({ content: 'x' })
})

const VALUE: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') }).map((date) => date.toISOString()),
) as fc.Arbitrary<JsonValue>

const NUMBERS = {
  amount: field('amount', { type: 'number', as: 'string' }),
  count: field('n.count', { type: 'integer' }),
}

it('reads back what it writes, or refuses to write it', () => {
  const map = mapOf({
    ...described(),
    fields: {
      ...NUMBERS,
      name: field(['first', 'last'], { join: ['first', 'last'] }),
      email: field('emails[primary=true].value', { new: { label: 'work' } }),
      due: field('due', { type: 'time', as: 'unix' }),
      seen: field('seen', { type: 'time', as: 'unix_ms' }),
      day: field('day', { type: 'date' }),
      owner_id: field('owner', { type: 'id', as: 'integer' }),
    },
  })
  const names = ['amount', 'count', 'name', 'email', 'due', 'seen', 'day', 'owner_id']
  let written = 0
  fc.assert(
    fc.property(fc.constantFrom(...names), VALUE, (name, value) => {
      const row = { [name]: value }
      let sent: JsonObject
      try {
        sent = map.write(row, { isCreate: true })
      } catch (error) {
        expect(error).toBeInstanceOf(CrmError)
        return
      }
      written++
      const kept = map.read({ id: '1', ...JSON.parse(JSON.stringify(sent)) })[name] ?? null
      expect(map.write({ [name]: kept }, { isCreate: true })).toEqual(sent)
    }),
    { numRuns: 1000 },
  )
  expect(written).toBeGreaterThan(100)
})

function overruled(connector: string, values: JsonObject): JsonObject {
  const described = shippedDocument(connector).resources.contact
  if (!described) throw new Error(`${connector} has no contacts`)
  const map = createRecordMap(described, { connector, resource: 'contact' })
  return Object.fromEntries(map.overruled(values))
}

const EMAILS = [{ value: 'a@x.test', primary: true }]

test.each<[string, JsonObject, JsonObject]>([
  ['pipedrive', { email: 'b@x.test', emails: EMAILS }, { emails: 'email' }],
  ['pipedrive', { email: null, emails: EMAILS }, { emails: 'email' }],
  ['attio', { name: 'Ada King', name_: 'Ada Lovelace' }, { name_: 'name' }],
  ['attio', { email: 'b@x.test', email_addresses: 'a@x.test' }, { email_addresses: 'email' }],
  ['hubspot', { name: 'Ada King', firstname: 'Ada', lastname: 'Lovelace' }, { firstname: 'name', lastname: 'name' }],
  ['hubspot', { name: 'Ada King', lastname: 'Lovelace' }, { lastname: 'name' }],
])('%s: %j has a member that contradicts a field', (connector, values, expected) => {
  expect(overruled(connector, values)).toEqual(expected)
})

test.each<[string, JsonObject]>([
  ['pipedrive', { email: 'a@x.test', emails: [...EMAILS, { value: 'c@x.test', primary: false }] }],
  ['pipedrive', { emails: EMAILS }],
  ['pipedrive', { name: 'Ada', phones: EMAILS, email: 'b@x.test' }],
  ['attio', { name: 'Ada King', name_: 'Ada King', email: 'a@x.test', email_addresses: ['a@x.test', 'b@x.test'] }],
  ['hubspot', { name: 'Ada King', firstname: 'Ada' }],
])('%s: %j has none', (connector, values) => {
  expect(overruled(connector, values)).toEqual({})
})

test('records that hold any value are handed through, and of a field at another name the value is converted', () => {
  const mapWith = (fields: string) => {
    const text = `{ connector: 2, name: acme, record: { open: true }, objects: { contacts: { fields: ${fields} } } }`
    const { resources } = loadConnector(text, { fileName: 'acme.yaml', baseOf: () => undefined })
    return createRecordMap(resources.contact ?? described(), { connector: 'acme', resource: 'contact' })
  }
  const record = { id: 'con_1', full_name: 5, phone: 7, tags: { vip: 1 } }
  const own = mapWith('{ phone: { at: phone, type: string }, company: company }')
  expect(own.read(record)).toBe(record)
  expect(own.write(record, { isCreate: false })).toBe(record)
  expect(own.needsCurrent(record)).toBe(false)
  const renamed = mapWith('{ name: full_name, phone: phone }')
  expect(renamed.read(record)).toEqual({ id: 'con_1', name: '5', phone: 7, tags: { vip: 1 } })
})
