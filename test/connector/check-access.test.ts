import { expect, it } from 'vitest'
import { compileRequest } from '../../src/api/connectors/requests.ts'
import { compileCredentials } from '../../src/api/connectors/server-rules.ts'
import type { ConnectorDocument } from '../../src/connector/document.ts'
import { loadConnector } from '../../src/connector/load-connector.ts'
import { compileTemplate, fillHost } from '../../src/connector/templates.ts'
import { CrmError } from '../../src/core/errors.ts'

const BASE =
  'connector: 2\nname: base\nvariables: { team: { ask: Team } }\nauth: { in: header, name: X-Key, value: "{key}" }\nobjects: {}\n'

function load(text: string): ConnectorDocument {
  return loadConnector(text, { fileName: 'acme.yaml', baseOf: (name) => (name === 'base' ? BASE : undefined) })
}

function problemsOf(line: string): readonly string[] {
  try {
    load(`connector: 2\nname: acme\n${line}\n${line.includes('objects:') ? '' : 'objects: {}'}\n`)
  } catch (error) {
    if (error instanceof CrmError && error.code === 'invalid_input') return error.details.lines ?? []
    throw error
  }
  return []
}

const OWN = ['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'TE', 'Trailer', 'Upgrade']
const TRANSPORT = [...OWN, 'Expect', 'Proxy-Authorization', 'Proxy-Connection']

it.each(TRANSPORT.flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]))(
  'the header %s is neither a header of a connector nor that of the key',
  (name) => {
    expect(problemsOf(`headers: { ${name}: x }`)).toEqual([
      `acme.yaml:3:12: ${name} is set by crm itself, expected another header`,
    ])
    expect(problemsOf(`auth: { in: header, name: ${name} }`)).toEqual([
      `acme.yaml:3:27: ${name} is set by crm itself, expected another header for the key`,
    ])
    expect(problemsOf(`idempotency: { header: ${name} }`)).toEqual([
      `acme.yaml:3:24: ${name} has another meaning, expected a header for idempotency keys alone`,
    ])
  },
)

it.each(['Authorization', 'AUTHORIZATION', 'cookie', 'Cookie'])('the header %s belongs to auth', (name) => {
  expect(problemsOf(`headers: { ${name}: Bearer other }`)).toEqual([
    `acme.yaml:3:12: ${name} says who sends the request, expected it in "auth" alone`,
  ])
  expect(problemsOf(`auth: { in: header, name: ${name}, value: "a={key}" }`)).toEqual([])
})

it('the header of the key and that of idempotency keys have no constant', () => {
  const key = 'auth: { in: header, name: X-Key }\n'
  expect(problemsOf(`${key}headers: { x-KEY: other }`)).toEqual([
    expect.stringMatching(/^acme\.yaml:4:12: x-KEY says who/),
  ])
  const once = 'idempotency: { header: X-Once }\n'
  for (const name of ['x-once', 'idempotency-KEY'])
    expect(problemsOf(`${once}headers: { ${name}: same }`)).toEqual([
      `acme.yaml:4:12: ${name} is for idempotency keys, expected it in "idempotency" alone`,
    ])
  expect(problemsOf(`${key}idempotency: { header: x-key }`)).toHaveLength(1)
})

it.each(['list', 'get', 'create', 'update', 'delete', 'restore'])(
  'headers of %s are checked as those of all',
  (name) => {
    const paging = name === 'list' ? 'paging: none, ' : ''
    const operation = `${name}: { path: "/{id}", ${paging}headers: { Host: evil.example, X A: y } }`
    const texts = problemsOf(`objects: { contacts: { path: /c, verbs: { ${operation} } } }`).join('\n')
    expect(texts).toContain('Host is set by crm itself')
    expect(texts).toContain('"X A", expected the name of a header')
  },
)

it.each(['X A', '', 'X:', 'é', 'X\\r\\nA'])('"%s" is no name of a header', (name) => {
  for (const [line, column] of [
    [`headers: { "${name}": x }`, 12],
    [`auth: { in: header, name: "${name}" }`, 28],
    [`idempotency: { header: "${name}" }`, 25],
  ])
    expect(problemsOf(String(line))).toEqual([
      expect.stringMatching(new RegExp(`^acme\\.yaml:3:${column}: .*expected the name of a header`)),
    ])
})

it.each(['a\\r\\nX: y', 'a\\nb', 'a\\0b', 'a\\x7fb', 'a\\e[2J', 'Привет', 'é'])(
  '"%s" is no value of a header',
  (value) => {
    expect(problemsOf(`headers: { X-One: "${value}" }`)).toEqual([
      expect.stringMatching(/^acme\.yaml:3:20: .*expected ASCII characters/),
    ])
    expect(problemsOf(`auth: { in: header, name: X-Key, value: "${value}{key}" }`)).toEqual([
      expect.stringMatching(/^acme\.yaml:3:42: .*expected ASCII characters/),
    ])
  },
)

it('a header takes tabs, braces and placeholders', () => {
  expect(problemsOf('variables: { team: { ask: Team } }\nheaders: { X-One: "a\\t{{b} {team}~" }')).toEqual([])
})

it.each([
  [
    'auth: { in: bearer, value: "Token {key}" }',
    '3:21: "value" is not a member of "auth bearer", expected one of in, oauth',
  ],
  ['auth: { in: bearer, name: X }', '3:21: "name" is not a member of "auth bearer", expected one of in, oauth'],
  [
    'auth: { in: header, name: X, user: "{key}" }',
    '3:30: "user" is not a member of "auth header", expected one of in, name, value, oauth',
  ],
  [
    'auth: { in: basic, user: "{key}", value: x }',
    '3:35: "value" is not a member of "auth basic", expected one of in, user, password',
  ],
])('%s names a member that is never sent', (line, problem) => {
  expect(problemsOf(line)).toEqual([`acme.yaml:${problem}`])
})

it('another way to send the key replaces that of the base, and the same way changes it', () => {
  const changed = (auth: string) => load(`connector: 2\nname: acme\nextends: base\nauth: ${auth}\n`).auth
  expect(changed('{ in: bearer }')).toEqual({ in: 'bearer' })
  expect(changed('{ name: X-Other }')).toEqual({ in: 'header', name: 'X-Other', value: '{key}' })
})

it.each([
  '/contacts\\e[2J',
  '/con tacts',
  '/con\\ttacts',
  '/contäcts',
  '/a|b',
  '/a<b>',
  '/a"b'.replace('"', '\\"'),
  '/a%2',
  '/a{{b',
  '/%2e%2E/x',
  '/.%2e',
])('the path "%s" is refused at its place', (path) => {
  expect(problemsOf(`base: "${path}"`)).toEqual([expect.stringMatching(/^acme\.yaml:3:8: .*expected a path without/)])
  const [text] = problemsOf(`objects: { contacts: { path: "${path}" } }`)
  expect(text).toMatch(/^acme\.yaml:3:31: .*expected a path without/)
})

it.each(["/a-b_c.d~e!f$g&h'(i)*+,;=:@", '/a%20b/%C3%A9', '/crm/v3/objects', '/.well-known/x', '/a..b', '/...'])(
  'the path %s is taken',
  (path) => {
    expect(problemsOf(`base: "${path}"`)).toEqual([])
  },
)

it('names in a query have no blanks, and its values no control characters', () => {
  expect(problemsOf('query: { "a b": x }')).toEqual([expect.stringMatching(/^acme\.yaml:3:10: .*name of a parameter/)])
  expect(problemsOf('query: { "a\\e": x }')).toEqual([expect.stringMatching(/^acme\.yaml:3:10: .*name of a parameter/)])
  expect(problemsOf('query: { a: ["x", "y\\r\\n"] }')).toEqual([
    expect.stringMatching(/^acme\.yaml:3:20: .*without control characters/),
  ])
  expect(problemsOf('auth: { in: query, name: "a\\n" }')).toEqual([expect.stringMatching(/control characters/)])
  expect(problemsOf('query: { "filter[name]": "name eq \'é\'", $top: 1 }')).toEqual([])
})

it('a value of a variable that no header carries is refused, and not shown with the key', () => {
  const document = load('connector: 2\nname: acme\nextends: base\nauth: { value: "{team}:{key}" }\n')
  const send = (team: string) => compileCredentials(document, { team })('key_of_the_test')
  expect(send('a').headers).toEqual(['X-Key', 'a:key_of_the_test'])
  expect(() => send('a\r\nX: y')).toThrow(/^a value for the header X-Key of the connector has characters/)
  expect(() => send('é')).not.toThrow(/key_of/)
  expect(() => send('é')).toThrow(CrmError)
})

it('a value of a record that no header carries is refused', () => {
  const get = 'verbs: { get: { headers: { X-Id: "{id}" } } }'
  const described = load(`connector: 2\nname: acme\nobjects: { contacts: { ${get} } }\n`).resources.contact
  if (!described?.get) throw new Error('the connector has no get')
  const place = { baseUrl: new URL('https://crm.example'), variables: {} }
  const { request } = compileRequest(described.get, { described, place })
  expect(request({ id: 'a1' }).headers).toEqual(['X-Id', 'a1'])
  for (const id of ['é', 'a\r\nX: y']) expect(() => request({ id })).toThrow(/^a value for the header X-Id of/)
})

it('the hint for a variable names all that are needed, with the values that are right', () => {
  const template = compileTemplate('https://{company}.{region}.example')
  const hintOf = (values: Readonly<Record<string, string>>) => {
    try {
      fillHost(template, values)
    } catch (error) {
      if (error instanceof CrmError) return error.details.hint
      throw error
    }
    return undefined
  }
  expect(hintOf({})).toBe('set it: CRM_CONNECTOR_VARS=company=VALUE,region=VALUE')
  expect(hintOf({ region: 'eu' })).toBe('set it: CRM_CONNECTOR_VARS=region=eu,company=VALUE')
  expect(hintOf({ compny: 'a', region: 'eu' })).toBe('set it: CRM_CONNECTOR_VARS=region=eu,company=VALUE')
})
