import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryId, entryText, parseEntry } from '../../../src/webhooks/log/entry.ts'
import { anyText } from '../../output/naughty-strings.ts'
import { sampleEvent } from '../sample-event.ts'

test('an event is read back unchanged, whatever its bytes', () => {
  const bytes = fc.oneof(
    fc.uint8Array().map((array) => Buffer.from(array)),
    anyText().map((text) => Buffer.from(text)),
    fc.json().map((text) => Buffer.from(`\ufeff ${text}\r\n`)),
  )
  fc.assert(
    fc.property(bytes, fc.string(), (body, id) => {
      const event = sampleEvent(id, { bytes: body })
      const text = entryText(event)
      expect(text).not.toContain('\n')
      expect(parseEntry(text)).toEqual(event)
      expect(entryId(Buffer.from(text))).toBe(id)
    }),
  )
})

test('what the sender does not state is null, and is read back as undefined', () => {
  const event = { ...sampleEvent('x'), id: undefined, name: undefined, scheme: undefined, subscriptionId: undefined }
  const text = entryText(event)
  expect(JSON.parse(text)).toMatchObject({ v: 1, id: null, event: null, scheme: null, subscription_id: null })
  expect(parseEntry(text)).toEqual(event)
  expect(entryId(Buffer.from(text))).toBeUndefined()
})

test('credentials of the sender are not kept', () => {
  const { delivery } = sampleEvent('x')
  const headers = [
    ['Authorization', 'Basic hush'],
    ['Cookie', 'hush'],
    ['X-A', '1'],
  ] as const
  const text = entryText({ ...sampleEvent('x'), delivery: { ...delivery, headers } })
  expect(JSON.parse(text).headers).toEqual([['X-A', '1']])
})

test.each([
  '',
  'x',
  '{"v":1',
  '{"v":2,"id":"a"}',
  '[]',
  '{"v":1,"id":"a"}',
  '{"v":1,"url":"x","headers":[],"body_text":""}',
])('%j is no event', (line) => {
  expect(parseEntry(line)).toBeUndefined()
})
