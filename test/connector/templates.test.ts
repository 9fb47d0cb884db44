import { performance } from 'node:perf_hooks'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConnectorMistake, checkPattern, patternTest } from '../../src/connector/paths.ts'
import { compileTemplate, fill, fillHost, fillPath, placeholdersOf } from '../../src/connector/templates.ts'
import { CrmError } from '../../src/core/errors.ts'

const filled = (source: Parameters<typeof compileTemplate>[0], values: Parameters<typeof fill>[1]) =>
  fill(compileTemplate(source), values)

it('keeps the type of a value that stands alone, and inserts others as text', () => {
  expect(filled({ id: '{id}', text: 'no. {id}', list: ['{record}'] }, { id: 7, record: { a: 1 } })).toEqual({
    id: 7,
    text: 'no. 7',
    list: [{ a: 1 }],
  })
})

it('leaves out members and elements whose value is absent, and keeps null', () => {
  expect(filled({ a: '{a}', b: ['{a}', 1], c: 'x {a}', d: '{n}' }, { n: null })).toEqual({ b: [1], d: null })
  expect(filled('{a}', {})).toBeUndefined()
  expect(filled({ a: '{constructor}' }, {})).toEqual({})
})

it('writes a brace for two', () => {
  expect(filled('{{id} is {id}', { id: 1 })).toBe('{id} is 1')
  expect(filled('{{', {})).toBe('{')
  expect(filled('}', {})).toBe('}')
})

it('writes texts as literals of which no quotation mark is the end, alone and in lists', () => {
  const value = ["o'brien", String.raw`\\`, 7]
  expect(filled('in ({value|sql})', { value })).toBe(String.raw`in ('o''brien','\\',7)`)
  expect(filled({ a: '{value|soql}' }, { value })).toEqual({ a: [String.raw`'o\'brien'`, String.raw`'\\\\'`, 7] })
  expect(filled({ a: '{gone|sql}' }, {})).toEqual({})
})

it('keeps __proto__ as a member', () => {
  expect(Object.keys(filled(JSON.parse('{"__proto__":"{a}"}'), { a: 1 }) as object)).toEqual(['__proto__'])
})

it('lists the placeholders once each', () => {
  const template = compileTemplate({ a: '{id} {parent.contact_id}', b: ['{id}', 1, null] })
  expect(placeholdersOf(template)).toEqual(['id', 'parent.contact_id'])
})

it.each([
  ['a {id', 2],
  ['{}', 0],
  ['x{ id}', 1],
  ['{a.}', 0],
])('refuses "%s" at its character %i', (text, at) => {
  expect(() => compileTemplate(text)).toThrow(ConnectorMistake)
  try {
    compileTemplate({ inner: [text] })
  } catch (error) {
    expect((error as ConnectorMistake).at).toBe(at)
  }
})

it('encodes each value of a path as one segment', () => {
  expect(fillPath(compileTemplate('/a/{id}/b'), { id: 'x/../?y#%2e' })).toBe('/a/x%2F..%2F%3Fy%23%252e/b')
})

it.each(['', '.', '..', undefined, null, '\ud800'])('refuses %j as a segment of a path', (id) => {
  expect(() => fillPath(compileTemplate('/a/{id}'), { id })).toThrow(CrmError)
})

it('keeps every filled path below its beginning', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (id) => {
      fc.pre(id !== '.' && id !== '..' && id.isWellFormed())
      const path = fillPath(compileTemplate('/v2/{id}/end'), { id })
      const url = new URL(`https://x.example${path}`)
      expect(url.pathname.split('/')).toHaveLength(4)
      expect(decodeURIComponent(url.pathname.split('/')[2] ?? '')).toBe(id)
    }),
  )
})

it('fills a host with letters, digits and hyphens alone', () => {
  const origin = compileTemplate('https://{company}.pipedrive.example')
  expect(fillHost(origin, { company: 'Acme-1' })).toBe('https://Acme-1.pipedrive.example')
  for (const company of ['evil.example/', 'a.b', '', 'a@b', 'a'.repeat(64), 7, undefined]) {
    expect(() => fillHost(origin, { company })).toThrow(CrmError)
  }
})

it.each(['[a-z]+', '[A-Za-z0-9-]{1,63}', 'eu|us', '(eu|us)-[0-9]', 'a\\.b\\*+', '[)+*]+x'])('takes %s', (pattern) => {
  expect(() => checkPattern(pattern)).not.toThrow()
})

it.each([
  '(a+)+',
  '(a|a)*',
  '(?:a)',
  '(?=a)',
  '(a)\\1',
  'a*a*a*a*b',
  'a+?',
  'a{2,}{3}',
  '(',
  '[',
  '\\p{L}',
  'x'.repeat(101),
])('refuses %s', (pattern) => {
  expect(() => checkPattern(pattern)).toThrow(ConnectorMistake)
})

it('tests whole texts of at most 63 characters, quickly even at the limit', () => {
  expect(patternTest('[a-z]+')('acme')).toBe(true)
  expect(patternTest('a|b')('ab')).toBe(false)
  expect(patternTest('a+')('a'.repeat(64))).toBe(false)
  const startedMs = performance.now()
  for (let at = 0; at < 20; at++) patternTest('.*.*.*b')('a'.repeat(63))
  expect(performance.now() - startedMs).toBeLessThan(1000)
})
