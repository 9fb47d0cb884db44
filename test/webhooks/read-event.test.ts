import { expect, test } from 'vitest'
import { matchesAnyGlob } from '../../src/webhooks/event-filter.ts'
import { readEvent } from '../../src/webhooks/read-event.ts'
import { createSeenIds } from '../../src/webhooks/receive.ts'

const factsOf = (text: string) => readEvent(Buffer.from(text)).facts
const bodyOf = (bytes: Buffer) => readEvent(bytes).body

test('the name and the record of an event are read from its body', () => {
  const body = '{"type":"deal.updated","timestamp":"2026-01-01T00:00:00Z","data":{"id":"deal_1"},"previous":{}}'
  expect(factsOf(body)).toEqual({ id: undefined, name: 'deal.updated', recordId: 'deal_1' })
})

test('an event of Stripe has its own id, and its record one level deeper', () => {
  const body = '{"id":"evt_1","type":"charge.succeeded","data":{"object":{"id":"ch_1"}}}'
  expect(factsOf(body)).toEqual({ id: 'evt_1', name: 'charge.succeeded', recordId: 'ch_1' })
})

test('an id that is a number is read with all its digits', () => {
  const body = '{"id":7,"type":"deal.updated","data":{"id":12345678901234567890}}'
  expect(factsOf(body)).toEqual({ id: '7', name: 'deal.updated', recordId: '12345678901234567890' })
})

test.each(['[{"type":"a"}]', '{"type":1,"data":"x","id":null}', '"text"', 'null', '{"data":{"id":""}}', 'not JSON'])(
  'no facts are invented for %s',
  (text) => {
    expect(factsOf(text)).toEqual({ id: undefined, name: undefined, recordId: undefined })
  },
)

test('a body is JSON, else text, else bytes', () => {
  expect(bodyOf(Buffer.from('{"a":1e400}'))).toMatchObject({ type: 'json', text: '{"a":1e400}' })
  expect(bodyOf(Buffer.from('a=1'))).toEqual({ type: 'text', text: 'a=1' })
  expect(bodyOf(Buffer.from(''))).toEqual({ type: 'text', text: '' })
  const bytes = Buffer.from([0x7b, 0xff, 0x7d])
  expect(bodyOf(bytes)).toEqual({ type: 'bytes', bytes })
})

test.each([
  ['a list', '[', ']'],
  ['an object', '{"a":', '}'],
])('JSON nested deeper than 100 levels in %s is text, with its facts', (_, open, close) => {
  const nested = (levels: number) => `{"type":"a","data":${open.repeat(levels)}1${close.repeat(levels)}}`
  expect(bodyOf(Buffer.from(nested(99)))).toMatchObject({ type: 'json' })
  for (const levels of [100, 5000, 100_000]) {
    expect(bodyOf(Buffer.from(nested(levels)))).toEqual({ type: 'text', text: nested(levels) })
    expect(factsOf(nested(levels)).name).toBe('a')
  }
})

test('an id counts as seen from its second occurrence on, until too many others follow', () => {
  const seen = createSeenIds([], 2)
  expect(['a', 'a', 'b', 'a', 'c', 'a'].map((id) => seen.add(id))).toEqual([false, true, false, true, false, false])
})

test.each([
  [['deal.*'], 'deal.created', true],
  [['deal.*'], 'deals.created', false],
  [['*.created'], 'contact.created', true],
  [['*.created'], 'contact.created.x', false],
  [['*'], 'anything', true],
  [['contact.created'], 'contact.created', true],
  [['contact.created'], 'contact.create', false],
  [['a*b*c'], 'a-b-c', true],
  [['a*b*c'], 'a-c-b', false],
  [['ab*ba'], 'aba', false],
  [['a**b'], 'ab', true],
  [['deal.*', 'note.created'], 'note.created', true],
  [[], 'anything', true],
  [[], undefined, true],
  [['*'], undefined, false],
])('%j, %s: %s', (globs, name, isMatch) => {
  expect(matchesAnyGlob(globs, name)).toBe(isMatch)
})

test('a glob with many stars takes linear time', () => {
  const startMs = performance.now()
  expect(matchesAnyGlob([`${'*a'.repeat(5000)}b`], 'a'.repeat(100_000))).toBe(false)
  expect(performance.now() - startMs).toBeLessThan(5000)
})
