import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonTextError, nodeText, parseJsonText, parseSentJson } from '../../src/service/json-text.ts'
import { mergePatch } from '../../src/service/resources/records.ts'
import { sample } from '../harness/sample.ts'
import { NAUGHTY } from '../output/naughty-strings.ts'
import { serveForTest } from './serve-for-test.ts'

const compact = (text: string): string => nodeText(parseJsonText(text))

function faultOf(text: string): JsonTextError | undefined {
  try {
    parseJsonText(text)
    return undefined
  } catch (error) {
    if (error instanceof JsonTextError) return error
    throw error
  }
}

test('white space is removed; digits, escapes and the order of members are kept', () => {
  const text = '{ "b" : [ 1.50 , -0, 12345678901234567890 ],\n"2":"\\u0041\\/\\ud800", "1" : {"__proto__":{"x":1e2}} }'
  expect(compact(text)).toBe('{"b":[1.50,-0,12345678901234567890],"2":"A/\\ud800","1":{"__proto__":{"x":1e2}}}')
})

test.each([
  ['{"a":1,"b":2,"\\u0061":3}', 13, '"a"'],
  ['[{"a":{"":1,"":1}}]', 12, '""'],
  ['{"__proto__":1,"__proto__":1}', 15, '"__proto__"'],
])('a duplicate member name is rejected, however written: %s', (text, position, name) => {
  expect(faultOf(text)).toMatchObject({
    fault: 'duplicate_name',
    position,
    message: `duplicate member ${name}`,
  })
})

test('the same name in two objects is not a duplicate', () => {
  expect(compact('{"a":{"a":[{"a":1},{"a":1}]}}')).toBe('{"a":{"a":[{"a":1},{"a":1}]}}')
})

test.each(['"\\ud800"', '{"a":["x\\uDC00y"]}', '{"\\ud83d\\u0041":1}', '"\\ude00\\ud83d"'])(
  'a lone surrogate is rejected in a request and accepted in a stored record: %s',
  (text) => {
    expect(() => parseSentJson(text)).toThrow(expect.objectContaining({ fault: 'lone_surrogate' }))
    expect(faultOf(text)).toBeUndefined()
  },
)

test('a whole surrogate pair, and an escape of a backslash before a u, are text like any other', () => {
  expect(nodeText(parseSentJson('["\\ud83d\\ude00","\\\\ud800"]'))).toBe('["\ud83d\ude00","\\\\ud800"]')
})

test('it accepts what JSON.parse accepts, with the same value', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
      const value: unknown = JSON.parse(text)
      expect(JSON.parse(compact(JSON.stringify(value, undefined, space)))).toEqual(value)
    }),
  )
})

test('it rejects what JSON.parse rejects, and numbers beyond every double', () => {
  const pieces = fc.constantFrom(...'{}[]:,"\\ \n\t-+.eE019u', '"a"', '"\\u00', 'true', 'nul', 'null', '1e5', '\u0000')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const text = parts.join('')
      const isJson = (() => {
        try {
          // A number beyond the range of a double is rejected as well.
          JSON.parse(text, (_, value) => {
            if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new RangeError(text)
            return value
          })
          return true
        } catch {
          return false
        }
      })()
      expect(faultOf(text) === undefined).toBe(isJson)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['', 0, 'expected a value'],
  ['{"a":x}', 5, 'expected a value'],
  ['{"a" 1}', 5, 'expected a colon'],
  ['{"a":1 "b"', 7, 'expected a comma or the end of the object'],
  ['[1 2]', 3, 'expected a comma or the end of the array'],
  ['{a:1}', 1, 'expected a member name in double quotes'],
  ['"a\nb"', 2, 'expected the end of the string'],
  ['"\\x"', 1, 'unknown escape'],
  ['1 2', 2, 'expected the end'],
  ['\ufeff{}', 0, 'expected a value'],
])('%j is malformed at %i: %s', (text, position, message) => {
  expect(faultOf(text)).toMatchObject({ fault: 'malformed', position, message })
})

test('a number beyond the range of a double is rejected, also when nested', () => {
  expect(faultOf('{"a":[{"b":1e400}]}')).toMatchObject({ fault: 'out_of_range', position: 11 })
  expect(faultOf('1e308')).toBeUndefined()
})

test('a hundred levels are accepted, and more are rejected at once', () => {
  expect(faultOf(`${'['.repeat(100)}1${']'.repeat(100)}`)).toBeUndefined()
  expect(faultOf('['.repeat(100_000))).toMatchObject({ fault: 'too_deep' })
  expect(faultOf('{"a":'.repeat(100_000))).toMatchObject({ fault: 'too_deep' })
})

test('every naughty string, patched into a contact, is read back unchanged, as a value and as a name', async () => {
  const { send } = await serveForTest()
  const expected = new Map<unknown, string>()
  const texts = sample(NAUGHTY, 10)
  for (const [at, text] of texts.entries()) {
    const made = await send('POST', '/v1/contacts', { name: 'before', at })
    expect(made.status).toBe(201)
    const patch = { name: text, [`x${text}`]: text }
    const patched = await send('PATCH', `/v1/contacts/${made.json.id}`, patch)
    expect(patched.status).toBe(200)
    expect(patched.json).toMatchObject({ ...patch, at, version: 2 })
    expected.set(made.json.id, text)
  }
  expect(expected.size).toBe(texts.length)
  let path: string | undefined = '/v1/contacts?limit=500'
  while (path !== undefined) {
    const { json } = await send('GET', path)
    for (const { id, name, ...rest } of json.data as Record<string, unknown>[]) {
      const text = expected.get(id)
      expect(name).toBe(text)
      expect(rest).toHaveProperty([`x${text}`], text)
      expected.delete(id)
    }
    path = json.next_cursor === null ? undefined : `/v1/contacts?limit=500&cursor=${json.next_cursor}`
  }
  expect(expected.size).toBe(0)
})

test('a naughty string removed by a patch is gone, and the rest is unchanged', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', Object.fromEntries(NAUGHTY.map((text) => [`x${text}`, 1])))
  const half = NAUGHTY.filter((_, at) => at % 2 === 0).map((text) => `x${text}`)
  const patch = Object.fromEntries(half.map((name) => [name, null]))
  const patched = await send('PATCH', `/v1/contacts/${json.id}`, patch)
  const kept = NAUGHTY.map((text) => `x${text}`).filter((name) => !half.includes(name))
  const ours = Object.keys(patched.json).filter((name) => name.startsWith('x'))
  expect(ours.toSorted()).toEqual([...new Set(kept)].toSorted())
})

const merge = (target: string, patch: string): string =>
  nodeText(mergePatch(parseJsonText(target), parseJsonText(patch)))

test.each([
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
])('RFC 7396 appendix A: %s with %s is %s', (target, patch, result) => {
  expect(merge(target, patch)).toBe(result)
})

test('members named like those of prototypes are data', () => {
  expect(merge('{"a":1}', '{"__proto__":{"b":2},"constructor":{"prototype":{"c":3}}}')).toBe(
    '{"a":1,"__proto__":{"b":2},"constructor":{"prototype":{"c":3}}}',
  )
  expect(merge('{"__proto__":{"b":2}}', '{"__proto__":{"b":null}}')).toBe('{"__proto__":{}}')
  expect(Object.prototype).not.toHaveProperty('b')
})

test('kept members keep their position, and new ones are appended', () => {
  expect(merge('{"z":1,"a":2,"m":3}', '{"m":4,"b":5,"z":6}')).toBe('{"z":6,"a":2,"m":4,"b":5}')
})
