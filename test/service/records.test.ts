import { expect, test } from 'vitest'
import { type Members, parseJsonText } from '../../src/service/json-text.ts'
import { creationChange, deletionChange, patchChange } from '../../src/service/resources/records.ts'
import type { RecordChange, StoredRecord, WriteState } from '../../src/service/store/store.ts'

const TIME = '2026-01-31T09:30:00.000Z'

const members = (text: string): Members => parseJsonText(text) as Members

const state: WriteState = { id: 'con_1', nowMs: Date.parse(TIME), current: undefined, isParentThere: true }

const current: StoredRecord = {
  id: 'con_1',
  version: 3,
  text: '{"id":"con_1","name":"Ada","address":{"city":"London"},"created_at":"a","updated_at":"b","version":3}',
}

const patch = (text: string): RecordChange => patchChange(state, current, members(text), 'contact.updated')

test('the event of a new record contains the whole record', () => {
  const change = creationChange(state, {
    resource: 'contact',
    fields: members('{"name":"Ada"}'),
    event: 'contact.created',
  })
  const record = `{"id":"con_1","name":"Ada","created_at":"${TIME}","updated_at":"${TIME}","version":1}`
  expect(change.next).toEqual({ text: record, version: 1 })
  expect(change.event).toEqual({
    kind: 'contact.created',
    text: `{"type":"contact.created","timestamp":"${TIME}","data":${record}}`,
  })
})

test('the event of a change has the old values of changed members, null for new ones', () => {
  const change = patch('{"address":{"zip":"W1"},"tag":"x","name":"Ada"}')
  const record = `{"id":"con_1","name":"Ada","address":{"city":"London","zip":"W1"},"tag":"x","created_at":"a","updated_at":"${TIME}","version":4}`
  expect(change.next).toEqual({ text: record, version: 4 })
  expect(change.event?.text).toBe(
    `{"type":"contact.updated","timestamp":"${TIME}","data":${record},"previous":{"address":{"city":"London"},"tag":null}}`,
  )
})

test('members removed by a patch are in the event', () => {
  expect(JSON.parse(patch('{"name":null}').event?.text ?? '')).toMatchObject({ previous: { name: 'Ada' } })
})

test('a patch without changes makes no event', () => {
  expect(patch('{"address":{"city":"London"},"gone":null,"version":3}')).toEqual({
    next: current,
    answer: { status: 200, body: current.text, location: undefined, etag: '"3"' },
  })
})

test('the event of a deletion contains the last record', () => {
  const change = deletionChange(state, current, 'contact.deleted')
  expect(change.next).toBeUndefined()
  expect(change.event?.text).toBe(`{"type":"contact.deleted","timestamp":"${TIME}","data":${current.text}}`)
})
