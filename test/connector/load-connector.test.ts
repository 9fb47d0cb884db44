import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ConnectorDocument } from '../../src/connector/document.ts'
import { loadConnector } from '../../src/connector/load-connector.ts'
import { createRecordMap } from '../../src/connector/record-map.ts'
import { readConnectorFile, shippedConnector, shippedNames, shippedText } from '../../src/connector/shipped.ts'
import { CrmError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { RESOURCES, type Resource } from '../../src/core/resources/registry.ts'

const BASES: Readonly<Record<string, string>> = {
  base: [
    'connector: 2',
    'name: base',
    'headers: { x-one: a, x-two: b }',
    'paging: { by: page, param: page, size: { param: n, max: 50 } }',
    'objects:',
    '  contacts: { path: /people, verbs: { list: { items: "data[]", query: { a: 1 } }, delete: {} }, fields: { name: n, email: e } }',
  ].join('\n'),
  wrong: 'connector: 2\nname: wrong\nobjects: { contacts: { lst: {} } }',
  found:
    'connector: 2\nname: found\nobjects: { contacts: { path: /c, verbs: { find: { email: { query: { e: "{value}" }, paging: none } } }, fields: { email: e } } }',
  circle: 'connector: 2\nname: circle\nextends: circle\nobjects: {}\n',
}

function load(text: string): ConnectorDocument {
  return loadConnector(text, { fileName: 'acme.yaml', baseOf: (name) => BASES[name] })
}

function problemsOf(text: string): readonly string[] {
  try {
    load(text)
  } catch (error) {
    if (error instanceof CrmError && error.code === 'invalid_input') return error.details.lines ?? []
    throw error
  }
  return []
}

/** A connector with one resource and this in it. */
function contacts(lines: string, more = ''): string {
  return `connector: 2\nname: acme\n${more}objects:\n  contacts:\n    path: /c\n${lines.replace(/^/gm, '    ')}\n`
}

it('fills in what a connector leaves out', () => {
  const document = load(
    contacts(
      'verbs: { list: { items: "data[]", paging: none }, update: { path: "{object}/{id}" } }\nfields: { email: mail }',
    ),
  )
  expect(document).toMatchObject({
    variables: {},
    base: '',
    auth: { in: 'bearer' },
    idempotency: 'unknown',
    limits: [],
  })
  expect(document.resources.contact).toMatchObject({
    id: { at: 'id', type: 'string' },
    inside: '.',
    others: [{ at: '.' }],
    clear: null,
    list: { method: 'GET', path: '/c', items: 'data[]', paging: { by: 'none' }, body: undefined },
    update: { method: 'PATCH', path: '/c/{id}', body: '{record}', gives: 'record', ok: {}, sends: 'changes' },
    fields: { email: { read: ['mail'], write: ['mail'], type: 'string', when: 'always' } },
  })
  expect([document.origin, document.resources.contact?.get]).toEqual([undefined, undefined])
})

it('passes headers, query, base and paging on to operations, each overriding what is around it', () => {
  const { resources } = load(
    contacts(
      [
        'base: /v1',
        'verbs:',
        '  list: { headers: { x-two: c }, paging: { size: { param: per, max: 20 } } }',
        '  find: { email: { query: { q: "{value}" }, paging: { by: offset, param: from }, lag: 5s } }',
        'fields: { email: email }',
      ].join('\n'),
      'base: /v2\nheaders: { x-one: a, x-two: b }\nquery: { team: true }\npaging: { by: page, param: p, start: 0, size: { param: n, max: 50 } }\n',
    ),
  )
  expect(resources.contact?.list).toMatchObject({
    base: '/v1',
    headers: { 'x-one': 'a', 'x-two': 'c' },
    query: { team: true },
    paging: { by: 'page', param: 'p', start: 0, in: 'query', size: { param: 'per', max: 20 } },
  })
  expect(resources.contact?.find.email).toMatchObject({
    lag: '5s',
    gives: 'record',
    query: { team: true, q: '{value}' },
  })
  expect(resources.contact?.find.email?.paging).toEqual({ by: 'offset', param: 'from', in: 'query', start: 0 })
})

it('merges what it extends: maps by member, lists, bodies and fields whole, and null removes', () => {
  const { name, resources } = load(
    'connector: 2\nname: acme\nextends: base\nheaders: { x-two: null, x-three: c }\nobjects: { contacts: { verbs: { delete: null, list: { query: { b: 2 } } }, fields: { name: full } } }',
  )
  expect(name).toBe('acme')
  expect(resources.contact?.list).toMatchObject({
    headers: { 'x-one': 'a', 'x-three': 'c' },
    query: { a: 1, b: 2 },
    items: 'data[]',
  })
  expect(Object.keys(resources.contact?.list?.headers ?? {})).toEqual(['x-one', 'x-three'])
  expect(resources.contact?.delete).toBeUndefined()
  expect(Object.keys(resources.contact?.fields ?? {})).toEqual(['name'])
})

it('begins an object as the copy of another', () => {
  const { resources } = load(
    contacts('verbs: { list: { items: "data[]", paging: none } }\nfields: { name: n }') +
      '  deals:\n    like: contacts\n    path: /d\n    fields: { amount: { at: a, as: string } }\n',
  )
  expect(resources.deal).toMatchObject({
    list: { path: '/d', items: 'data[]' },
    fields: { amount: { type: 'number', as: 'string' } },
  })
})

it('gives each object the verbs, the record and the batches of the connector, with its own path', () => {
  const { resources } = load(
    [
      'connector: 2',
      'name: acme',
      'paging: none',
      'record: { id: key, inside: values, clear: "" }',
      'verbs:',
      '  list: { items: "data[]" }',
      '  get: {}',
      '  create: { body: { type: "{object}", data: "{record}" } }',
      '  update: { path: "/change/{object}/{id}" }',
      'batch: { size: 9, match: id, body: "{items}", results: "r[]", create: { path: "/many{object}", item: "{record}" } }',
      'objects:',
      '  contacts: { path: /people, verbs: { update: null } }',
      '  deals: { only: [list], record: { inside: null } }',
      '  people2: { is: note, parent: deals, path: notes, batch: null }',
    ].join('\n'),
  )
  const { contact, deal, note } = resources
  expect(contact).toMatchObject({
    id: { at: 'key' },
    inside: 'values',
    clear: '',
    list: { path: '/people' },
    get: { path: '/people/{id}' },
    create: { path: '/people', body: { type: '/people', data: '{record}' } },
    batch: { create: { path: '/many/people' } },
  })
  expect(deal).toMatchObject({ inside: '.', list: { path: '/deals' }, batch: {} })
  expect([contact?.update, deal?.get, deal?.create]).toEqual([undefined, undefined, undefined])
  expect(note).toMatchObject({
    create: { path: '/notes', body: { type: 'notes' } },
    update: { path: '/change/notes/{id}' },
  })
})

it('shares keys between batches', () => {
  const { resources } = load(
    contacts(
      'batch:\n  size: 100\n  body: { inputs: "{items}" }\n  match: { by: mark, result: a, error: b }\n  create: { path: "{object}/batch/create", results: "r[]", item: { properties: "{record}", row: "{row}" } }\n  read: { match: id, size: 50, results: "r[]", item: "{id}" }',
    ),
  )
  expect(resources.contact?.batch).toMatchObject({
    create: {
      method: 'POST',
      path: '/c/batch/create',
      size: 100,
      match: { by: 'mark', result: 'a', error: 'b' },
      by: {},
    },
    read: { size: 50, match: 'id', body: { inputs: '{items}' } },
  })
})

it('wraps the record at inside where no body is given', () => {
  const { resources } = load(
    contacts('record: { inside: data.attributes }\nverbs: { create: {}, get: { path: "{object}/{id}" } }'),
  )
  expect(resources.contact?.create?.body).toEqual({ data: { attributes: '{record}' } })
  expect(resources.contact?.get?.body).toBeUndefined()
})

it.each<[string, string, string]>([
  [
    'an unknown member',
    contacts('lst: {}'),
    'acme.yaml:6:5: "lst" is not a member of "object", expected one of one, is, like, base,',
  ],
  ['a word that is nearly right', contacts('fields: { name: { at: n, tpye: string } }'), '; did you mean type?'],
  [
    'an unknown resource',
    'connector: 2\nname: a\nobjects: { contact: {} }',
    '3:12: no command knows "contact"; did you mean contacts?',
  ],
  ['a wrong type', contacts('read_only: yes'), 'acme.yaml:6:16: "yes", expected a list of at most 1000'],
  [
    'jq, which no field takes',
    contacts('fields: { name: { at: n, jq: { read: "length" } } }'),
    '"jq" is not a member of "field"',
  ],
  ['a wrong choice', contacts('fields: { name: { at: n, type: txt } }'), '"txt", expected one of string, number,'],
  ['another version', 'connector: 3\nname: a\nobjects: {}', 'acme.yaml:1:12: 3, expected 2'],
  ['a missing name', 'connector: 2\nobjects: {}', 'acme.yaml:1:1: name is missing, expected a name of small letters'],
  [
    'a bad path, at its character',
    contacts('record: { id: "data[x].id" }'),
    'acme.yaml:6:24: in "data[x].id", [x] is no index, expected [0], [name=value] or []',
  ],
  [
    'a bad template',
    contacts('verbs: { create: { body: { a: "{ id}" } } }'),
    '{ begins no placeholder, expected a name',
  ],
  [
    'an unknown placeholder',
    contacts('verbs: { get: { path: "{object}/{di}" } }'),
    '{di} is unknown here, expected one of {id}, {select}; did you mean {id}?',
  ],
  [
    'drop without a whole record',
    contacts('verbs: { update: { path: "{object}/{id}", drop: [source] } }'),
    'drop leaves members out of a whole record, expected sends: whole beside it',
  ],
  [
    'a part of a record that is sent whole',
    contacts('select: { param: fields }\nverbs: { update: { path: "{object}/{id}", sends: whole } }'),
    'select shows a part of the record, and the update sends it whole',
  ],
  ['a list by DELETE', contacts('verbs: { list: { method: DELETE, paging: none } }'), '"DELETE"'],
  ['a list by PUT', contacts('verbs: { list: { method: PUT, paging: none } }'), '"PUT"'],
  ['a list by PATCH', contacts('verbs: { list: { method: PATCH, paging: none } }'), '"PATCH"'],
  ['a get by DELETE', contacts('verbs: { get: { method: DELETE, path: "{object}/{id}" } }'), '"DELETE"'],
  ['a get by PUT', contacts('verbs: { get: { method: PUT, path: "{object}/{id}" } }'), '"PUT"'],
  ['a get by PATCH', contacts('verbs: { get: { method: PATCH, path: "{object}/{id}" } }'), '"PATCH"'],
  ['a search by DELETE', contacts('verbs: { find: { email: { method: DELETE, items: "d[]" } } }'), '"DELETE"'],
  [
    'X-HTTP-Method-Override',
    contacts('verbs: { list: { paging: none } }', 'headers: { X-HTTP-Method-Override: DELETE }\n'),
    'X-HTTP-Method-Override replaces the method',
  ],
  [
    'X-HTTP-Method-Override of a read',
    contacts('verbs: { get: { path: "{object}/{id}", headers: { X-HTTP-Method-Override: DELETE } } }'),
    'X-HTTP-Method-Override replaces the method',
  ],
  [
    'x-http-method',
    contacts('verbs: { list: { paging: none } }', 'headers: { x-http-method: DELETE }\n'),
    'x-http-method replaces the method',
  ],
  [
    'x-http-method of a read',
    contacts('verbs: { get: { path: "{object}/{id}", headers: { x-http-method: DELETE } } }'),
    'x-http-method replaces the method',
  ],
  [
    'X-Method-Override',
    contacts('verbs: { list: { paging: none } }', 'headers: { X-Method-Override: DELETE }\n'),
    'X-Method-Override replaces the method',
  ],
  [
    'X-Method-Override of a read',
    contacts('verbs: { get: { path: "{object}/{id}", headers: { X-Method-Override: DELETE } } }'),
    'X-Method-Override replaces the method',
  ],
  [
    '_method in a query',
    contacts('verbs: { list: { paging: none, query: { _method: DELETE } } }'),
    '_method replaces the method',
  ],
  [
    '_method in a body',
    contacts('verbs: { list: { method: POST, paging: none, body: { _method: delete } } }'),
    '_method replaces the method',
  ],
  [
    '_method in all requests',
    contacts('verbs: { list: { paging: none } }', 'query: { _method: DELETE }\n'),
    '_method replaces the method',
  ],
  ['a request without its id', contacts('verbs: { delete: { path: /all } }'), 'delete never uses {id}'],
  [
    '{key} outside of auth',
    contacts('verbs: { list: { paging: none, query: { k: "{key}" } } }'),
    '{key} is unknown here',
  ],
  [
    '{parent} without a parent',
    contacts('verbs: { list: { paging: none, query: { k: "{parent}" } } }'),
    '{parent} is unknown here',
  ],
  [
    'an unknown placeholder beside a field',
    contacts('fields: { name: { at: n, set: { "m.n": "{vale}" } } }'),
    '{vale} is unknown here, expected one of {value}; did you mean {value}?',
  ],
  ['a placeholder named as a variable', contacts('', 'variables: { id: { ask: x } }\n'), 'id is a placeholder already'],
  ['a list without paging', contacts('verbs: { list: {} }'), 'paging is missing for this list'],
  [
    'paging without its parameter',
    contacts('verbs: { list: { paging: { by: page } } }'),
    'param is missing in "paging" by page',
  ],
  [
    'an unknown like',
    `${contacts('')}  deals: { like: contact }\n`,
    '"contact" is not an object of this connector, expected another object; did you mean contacts?',
  ],
  ['a resource like itself', contacts('like: contacts'), '"contacts" is like itself, expected another object'],
  [
    'resources that are like each other',
    `${contacts('like: deals')}  deals: { like: notes }\n  notes: { like: contacts }\n`,
    '"contacts" is like itself (contacts -> deals -> notes -> contacts), expected another object',
  ],
  [
    'an unknown ref',
    contacts('fields: { name: { at: n, ref: stages } }'),
    '"stages" is not an object of this connector',
  ],
  ['an unknown parent', contacts('parent: deals'), '"deals" is not an object of this connector'],
  [
    'an unknown key of a batch',
    contacts(
      'batch: { size: 1, match: id, item: "{id}", body: "{items}", results: "r[]", read: { by: { mail: x } } }\nfields: { email: e }',
    ),
    '"mail" is not a field of this object, expected one of id, email; did you mean email?',
  ],
  [
    'a batch that never sends its rows',
    contacts('batch: { size: 1, read: { item: "{id}", body: {}, results: "r[]" } }'),
    'the batch read sends {items} neither in its body nor in its query',
  ],
  [
    'a batch whose outcomes are nowhere',
    contacts('batch: { size: 1, body: "{items}", delete: { item: "{id}" } }'),
    'results is missing for the batch delete',
  ],
  [
    'a correlation that no row is sent with',
    contacts(
      'batch: { size: 1, body: "{items}", results: "r[]", match: { by: mark, result: a, error: b }, update: { item: "{id}" } }',
    ),
    'in the batch update, match is by mark, and item never uses {row}',
  ],
  [
    'an upsert of many by no field',
    contacts('batch: { size: 1, body: "{items}", results: "r[]", upsert: { item: { i: "{value}" } } }'),
    'by is missing for the batch upsert',
  ],
  [
    'a find by no field',
    contacts('verbs: { find: { mail: { paging: none, query: { q: "{value}" } } } }'),
    '"mail" is not a field',
  ],
  [
    'a field written twice',
    contacts('fields: { name: n, email: { read: e, write: n } }'),
    'acme.yaml:6:49: "n" is written by name already',
  ],
  [
    'a constant that a field writes',
    contacts('verbs: { create: { set: { n: 1 } } }\nfields: { name: n }'),
    'n is written by the field name',
  ],
  ['the id as a field', contacts('fields: { id: i }'), 'id is no field to map'],
  [
    'a form that the type lacks',
    contacts('fields: { email: { at: e, as: unix } }'),
    'unix is no form of the type string, expected no as',
  ],
  ['ok with is and absent', contacts('verbs: { create: { ok: { at: ok, is: true, absent: true } } }'), 'expected'],
  [
    'a batch that names no way from an outcome to its row',
    contacts('batch: { size: 1, body: "{items}", results: "r[]", delete: { item: "{id}" } }'),
    'match is missing for this batch, and in "batch"',
  ],
  ['two objects of one kind', contacts('').concat('  people: { is: contact }\n'), 'people is contacts, as contacts is'],
  ['a verb that there is not', contacts('only: [list, remove]'), '"remove", expected one of list, get,'],
  ['auth without the key', contacts('', 'auth: { in: header, name: x, value: abc }\n'), 'expected {key} in it'],
  ['auth without a name', contacts('', 'auth: { in: header }\n'), 'name is missing, expected the name of a header'],
  ['an origin with a path', contacts('', 'origin: https://x.example/v1\n'), 'expected scheme and host'],
  [
    'a path that leaves its base',
    contacts('verbs: { get: { path: "/../{id}" } }'),
    'expected a path without //, ?, # and ..',
  ],
  [
    'a path with a host',
    contacts('verbs: { list: { path: "http://x.test/all", paging: none } }'),
    'acme.yaml:6:29: "http://x.test/all", expected a path without //,',
  ],
  ['a base with a host', contacts('', 'base: //x.test\n'), 'acme.yaml:3:7: "//x.test", expected a path without //,'],
  [
    'a path that begins without a slash',
    'connector: 2\nname: a\nobjects: { contacts: { path: c, verbs: { list: { path: c, paging: none } } } }',
    'expected / at its beginning',
  ],
  [
    'a pattern that could hang',
    contacts('', 'variables: { v: { ask: x, pattern: "(a+)+b" } }\n'),
    '")+" could take long',
  ],
  ['an unknown base', 'connector: 2\nname: a\nextends: nothing\nobjects: {}', 'the connector "nothing" is not there'],
  [
    'a base that extends itself',
    'connector: 2\nname: a\nextends: circle\nobjects: {}',
    'the connector "circle" extends itself',
  ],
  ['an anchor', 'connector: 2\nname: &n a\nobjects: {}', 'acme.yaml:2:10: &n is an anchor'],
  ['an alias', 'connector: 2\nname: a\ntitle: *n\nobjects: {}', '*n is an alias'],
  ['a merge key', 'connector: 2\nname: a\n<<: { title: x }\nobjects: {}', '<< is a merge key'],
  ['a tag', 'connector: 2\nname: !!str a\nobjects: {}', 'is a tag, expected the value alone'],
  ['an unknown tag', 'connector: 2\nname: !js a\nobjects: {}', '!js is a tag'],
  ['a name twice', 'connector: 2\nname: a\nname: b\nobjects: {}', 'acme.yaml:3:1: the name is there already'],
  ['two documents', 'connector: 2\nname: a\nobjects: {}\n---\na: 1', 'a second document begins'],
  ['no YAML', 'connector: 2\nname: [a', 'not YAML:'],
  ['an empty file', '', 'the file is empty, expected connector: 2'],
  ['a list', '- 1', 'a list of 1, expected a map with connector, name'],
  ['a number beyond JSON', 'connector: 2\nname: a\nquery: { a: .inf }\nobjects: {}', 'Infinity is no number of JSON'],
  [
    'deep nesting',
    `connector: 2\nname: a\nquery: { a: ${'['.repeat(30)}${']'.repeat(30)} }\nobjects: {}`,
    'nested too deeply',
  ],
  [
    'very deep nesting',
    `connector: 2\nname: a\nquery: { a: ${'['.repeat(5000)}${']'.repeat(5000)} }\nobjects: {}`,
    'nested too deeply',
  ],
  ['a large file', `connector: 2\n#${'x'.repeat(262_144)}`, 'expected at most 262144'],
])('refuses %s', (_, text, problem) => {
  const problems = problemsOf(text)
  expect(problems.join('\n')).toContain(problem)
  for (const each of problems) expect(each).toMatch(/^[a-z]+\.yaml:\d+:\d+: /)
})

it('reports all mistakes of a file in their order, at most 20', () => {
  const three = problemsOf(contacts('lst: {}\nread_only: 1\nverbs: { get: { path: "{object}/{x}" } }'))
  expect(three.map((text) => text.split(':').slice(1, 3).join(':'))).toEqual(['6:5', '7:16', '8:19', '8:31'])
  expect(problemsOf(contacts(Array.from({ length: 50 }, (__, at) => `x${at}: 1`).join('\n')))).toHaveLength(20)
})

it('blames a change for what it breaks in the base', () => {
  const text = 'connector: 2\nname: a\nextends: found\nobjects: { contacts: { fields: { name: full } } }'
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(
      /^acme\.yaml:3:10: as changed here, found\.yaml:3:\d+: "email" is not a field of this object/,
    ),
  ])
})

it('reports a mistake of the base at its place there', () => {
  expect(problemsOf('connector: 2\nname: a\nextends: wrong\nobjects: {}')).toEqual([
    expect.stringContaining('wrong.yaml:3:24: "lst" is not a member'),
  ])
})

const FOLDER = new URL('../../connectors/', import.meta.url).pathname

it('ships every connector of the folder', () => {
  expect(shippedNames()).toEqual(
    readdirSync(FOLDER)
      .map((file) => file.replace('.yaml', ''))
      .toSorted(),
  )
})

it.each([...shippedNames()])('loads %s, and maps the records of its resources', async (name) => {
  const document = await shippedConnector(name)
  expect(document.name).toBe(name)
  expect(await readConnectorFile(`${FOLDER}${name}.yaml`)).toEqual(document)
  expect(readFileSync(`${FOLDER}${name}.yaml`, 'utf8')).not.toMatch(/\t/)
  for (const [resource, described] of Object.entries(document.resources)) {
    const map = createRecordMap(described, { connector: name, resource: resource as Resource })
    const known = Object.keys(RESOURCES[resource as Resource].fields)
    expect(map.names.filter((field) => known.includes(field))).not.toHaveLength(0)
  }
})

it('takes no path for the name of a shipped connector', async () => {
  await expect(shippedConnector('../connectors/pipedrive')).rejects.toThrow(CrmError)
  expect(shippedText('../connectors/pipedrive')).toBeUndefined()
  await expect(shippedConnector('pipedriv')).rejects.toThrow(/expected one of attio, .*pipedrive, .*or a file/)
})

it('refuses a folder, a missing file and one that is no text', async () => {
  await expect(readConnectorFile(FOLDER)).rejects.toThrow(/not a file/)
  await expect(readConnectorFile(`${FOLDER}none.yaml`)).rejects.toThrow(
    expect.objectContaining({
      message: expect.stringContaining('there is no such file'),
      details: expect.objectContaining({ hint: expect.stringContaining('none.yaml does not exist') }),
    }),
  )
})

const TEXTS = shippedNames().map((name) => readFileSync(`${FOLDER}${name}.yaml`, 'utf8'))
const JSON_VALUE = fc.jsonValue({ maxDepth: 3 })

it('loads or refuses every change of a connector, and never fails otherwise', () => {
  const change = fc.record({
    text: fc.constantFrom(...TEXTS),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(40),
    put: fc.oneof(
      fc.constantFrom('', '{', '[]', 'null', ': x', "'", '\n', '- ', '&a ', '*a', '{id}', '.'),
      fc.string(),
    ),
  })
  fc.assert(
    fc.property(change, ({ text, at, cut, put }) => {
      const start = Math.floor(at * text.length)
      expectHandled(text.slice(0, start) + put + text.slice(start + cut))
    }),
    { numRuns: 100 },
  )
})

it('loads or refuses any JSON in the place of any part', () => {
  const [text = ''] = TEXTS
  const whole = parse(text) as JsonObject
  fc.assert(
    fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), JSON_VALUE, (steps, value) => {
      const document = structuredClone(whole)
      let holder: JsonObject = document
      for (const step of steps.slice(0, -1)) {
        const inner = Object.values(holder)[step % Math.max(1, Object.keys(holder).length)]
        if (typeof inner === 'object' && inner !== null) holder = inner as JsonObject
      }
      const names = Object.keys(holder)
      const name = names[(steps.at(-1) ?? 0) % Math.max(1, names.length)] ?? 'x'
      holder[name] = value as JsonObject
      expectHandled(JSON.stringify(document))
    }),
    { numRuns: 150 },
  )
})

function expectHandled(text: string): void {
  try {
    const document = load(text)
    for (const [resource, described] of Object.entries(document.resources)) {
      createRecordMap(described, { connector: 'acme', resource: resource as Resource }).read({ id: 1 })
    }
  } catch (error) {
    expect(error).toBeInstanceOf(CrmError)
  }
}

it.each([
  ['verbs: { list: { paging: none } }\nonly: [list, purge]', 'expected'],
  ['only: [delete]\nverbs: { list: { paging: none } }', 'no delete is described, here or for all objects'],
  ['parent: contacts', 'contacts cannot belong to itself, expected another object'],
  [
    'verbs: { create: { method: GET } }',
    '6:32: "GET", expected one of POST, PUT, PATCH, DELETE: a GET changes nothing',
  ],
  [
    'verbs: { delete: { method: GET } }',
    '6:32: "GET", expected one of POST, PUT, PATCH, DELETE: a GET changes nothing',
  ],
  ['verbs: { update: { method: PUT } }', 'most servers replace the record by PUT, expected sends: whole'],
  [
    'filters: { email: { query: e, body: { e: 1 } } }',
    '6:35: "body" is not a member of "filter", expected one of query',
  ],
  [
    'verbs: { list: { paging: none, body: { a: 1 } } }',
    '6:36: the list is a GET, which has no body, expected query, or method: POST',
  ],
  ['verbs: { get: { body: [] } }', '6:21: the get is a GET, which has no body, expected query, or method: POST'],
  [
    'verbs: { find: { email: { paging: none, body: { q: "{value}" } } } }\nfields: { email: e }',
    '6:45: the find is a GET, which has no body, expected query, or method: POST',
  ],
  [
    'verbs: { update: { sends: whole }, list: { paging: none } }',
    '6:31: sends: whole needs the current record, and contacts lacks get, expected get: {} or its request',
  ],
  ['only: []', '6:11: an empty list, expected a list of 1 to 1000'],
  [
    'verbs: { list: { paging: none }, create: {} }\nonly: [list, create, list]',
    '7:26: "list" is there already, expected it once',
  ],
  [
    'verbs: { list: { paging: { by: page, param: n, size: { param: n, max: 5 } } } }',
    '6:67: n is the parameter of the page, too, expected another one',
  ],
])('members that mean nothing are mistakes: %j', (lines, problem) => {
  expect(problemsOf(contacts(lines)).join('\n')).toContain(problem)
})

it.each([
  ['2026-13-45', '3:10: "2026-13-45", expected a day, such as 2026-11-29'],
  ['2026-02-31', '3:10: "2026-02-31" is not in the calendar, expected a day that is'],
  ['2027-02-29', '3:10: "2027-02-29" is not in the calendar, expected a day that is'],
])('%s, which is no day, is a mistake', (day, problem) => {
  expect(problemsOf(`connector: 2\nname: a\ndrafted: ${day}\nobjects: {}`)).toEqual([`acme.yaml:${problem}`])
})

it('a page and its size have one parameter neither where they are stated together nor where they meet', () => {
  const text = contacts(
    'verbs: { list: { paging: { size: { param: p, max: 5 } } } }',
    'paging: { by: page, param: p }\n',
  )
  expect(problemsOf(text)).toEqual(['acme.yaml:7:47: p is the parameter of the page, too, expected another one'])
})

it('objects that belong to each other in a circle of any length are mistakes, each at its parent', () => {
  const objects = (parents: readonly string[]) =>
    parents.map((parent, at) => `  thing${at}: { path: /t${at}, parent: ${parent} }\n`).join('')
  const problemsWith = (...parents: readonly string[]) =>
    problemsOf(`connector: 2\nname: a\nobjects:\n${objects(parents)}`)
  const wrong = (at: number, ...others: readonly number[]) => {
    const circle = [at, ...others, at].map((each) => `thing${each}`).join(' -> ')
    return `acme.yaml:${4 + at}:32: thing${at} cannot belong to itself (${circle}), expected another object`
  }
  expect(problemsWith('thing1', 'thing0')).toEqual([wrong(0, 1), wrong(1, 0)])
  expect(problemsWith('thing1', 'thing2', 'thing0')).toEqual([wrong(0, 1, 2), wrong(1, 2, 0), wrong(2, 0, 1)])
  expect(problemsWith('thing1', 'thing2', 'thing3', 'thing1')).toEqual([wrong(1, 2, 3), wrong(2, 3, 1), wrong(3, 1, 2)])
})
