import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor, redactShapes } from '../../src/core/redact.ts'
import { runs } from '../harness/sample.ts'
import { MARK, NOTATIONS, partsIn } from '../marked-secret.ts'

const { foreign, data, own } = createRedactor([MARK])

test.each(Object.entries(NOTATIONS))('a secret %s is redacted in an error', (_, notation) => {
  expect(foreign(`before ${notation} behind`)).toMatch(
    /^before [^ A-Za-z]*(?:Basic )?\[redacted\](?:[^ A-Za-z]|\\u00ad|<wbr>)* behind$/,
  )
  expect(own(`before ${notation} behind`)).toBe(foreign(`before ${notation} behind`))
})

test('wherever a text is cut, it never shows eight characters of a secret', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(NOTATIONS)),
      fc.string({ maxLength: 40 }),
      fc.nat(),
      fc.nat(),
      (notation, around, from, length) => {
        const text = around + notation + around
        const start = from % text.length
        const cut = text.slice(start, start + 1 + (length % text.length))
        expect(partsIn(foreign(cut))).toEqual([])
        expect(partsIn(foreign(text).slice(start))).toEqual([])
      },
    ),
  )
})

test('the end of a secret is redacted where it makes a tag with the text behind it', () => {
  expect(partsIn(foreign(`${MARK.slice(-8)}A >`))).toEqual([])
})

test('redacted JSON is valid, and the rest is unchanged', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(foreign(json)).toBe(json)
      expect(data(json)).toBe(json)
    }),
  )
  const body = { [MARK]: [MARK, { message: `Bearer ${MARK}` }], 'caf\u00e9': 'a\nb' }
  expect(JSON.parse(foreign(JSON.stringify(body)))).toEqual({
    '[redacted]': ['[redacted]', { message: 'Bearer [redacted]' }],
    'caf\u00e9': 'a\nb',
  })
})

test('records are unchanged except for the secret itself', () => {
  const record = JSON.stringify({ part: MARK.slice(0, 20), signing: 'whsec_MfKQ9r8GKYqrTwjU', says: 'Bearer abcdefgh' })
  expect(data(record)).toBe(record)
  for (const notation of ['in JSON', 'in JSON of PHP', 'in JSON of .NET', 'in JSON, escaped throughout'])
    expect(JSON.parse(data(`{"note":"so: ${NOTATIONS[notation]}."}`))).toEqual({ note: 'so: [redacted].' })
  for (const notation of ['with hidden characters', 'with hidden characters in JSON'])
    expect(data(`so: ${NOTATIONS[notation]}.`)).toMatch(/^so: \[redacted\]\S{0,6}\.$/)
})

test.each([
  ['crm_key_Abc-def_123', '[redacted]'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw==', '[redacted]'],
  ['Bearer some.token.of-others', 'Bearer [redacted]'],
  ['Authorization:\\tbearer\\u0020abc', 'Authorization:\\tbearer\\u0020[redacted]'],
  ['crm_\u200bkey_Abc\u2060def12', '[redacted]'],
  ['crm_key_Ab\\u0063def123', '[redacted]'],
])('%j looks like a secret, and is redacted although it is not a known one', (text, shown) => {
  expect(redactShapes(`"${text}"`)).toBe(`"${shown}"`)
})

test('words about bearer tokens are kept, and what follows one of them within a secret is not', () => {
  const text = 'bearer is assumed: a bearer token, or "Bearer authentication". A bearer token: bearer  keys'
  expect(redactShapes(text)).toBe(text)
  for (const secret of ['token.abc', 'isabc', 'is-1', 'keys/abc', 'tok', 'scheme:abc', 'auth='])
    expect(redactShapes(`Bearer ${secret}, so`)).toBe('Bearer [redacted], so')
})

test('the prefix of a key alone is not redacted', () => {
  const ofService = createRedactor(['crm_key_0123456789abcdef'])
  const text = 'expected a key such as crm_key_..., got sk_live_'
  expect(ofService.foreign(text)).toBe(text)
  expect(ofService.foreign('it begins with crm_key_0123, and ends in cdef')).toBe(
    'it begins with [redacted], and ends in cdef',
  )
})

test('secrets of three characters are not redacted inside words', () => {
  expect(createRedactor(['the']).foreign('the key')).toBe('the key')
})

test('a text of megabytes is searched to its end, also for a secret across its parts', () => {
  const text = 'x'.repeat(64 * 1024 - 20) + MARK + ' '.repeat(3_000_000) + MARK
  expect(foreign(text).replaceAll(/x+| +/g, '')).toBe('[redacted][redacted]')
})

test.each([
  ['backslashes', '\\\\'],
  ['beginnings of tags', '<a '],
  ['the secret', MARK],
  ['the secret, escaped throughout', NOTATIONS['in JSON, escaped throughout'] ?? ''],
  ['the secret in base64', Buffer.from(`${MARK}xx`).toString('base64').replaceAll('=', '')],
  ['the beginning of a shape', 'crm_key_'],
  ['bearers', 'bearer  '],
  ['brackets of HTML entities', '&#'],
])('a megabyte of %s is searched within seconds', (_, text) => {
  const startedMs = performance.now()
  expect(partsIn(foreign(text.repeat(runs(1_000_000, 200_000) / text.length)))).toEqual([])
  expect(performance.now() - startedMs).toBeLessThan(8000)
})
