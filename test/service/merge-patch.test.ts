import { expect, test } from 'vitest'
import { nodeText, parseJsonText } from '../../src/service/json-text.ts'
import { mergePatch } from '../../src/service/resources/records.ts'

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
