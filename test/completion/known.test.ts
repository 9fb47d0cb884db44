import { expect, test } from 'vitest'
import { knownIn, MOST_IDS, NOTHING_KNOWN, withoutKnownId, withSeen } from '../../src/completion/known.ts'

const contacts = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `con_${from + at}`, name: `Contact ${from + at}` }))

test('the newest come first, each once, under its latest name', () => {
  const before = withSeen(NOTHING_KNOWN, 'contact', contacts(1, 3))
  const known = withSeen(before, 'contact', [
    { id: 'con_2', name: 'Ada' },
    { id: 'con_9', email: 'g@example.test' },
  ])
  expect(known.ids.contact).toEqual([
    ['con_2', 'Ada'],
    ['con_9', 'g@example.test'],
    ['con_1', 'Contact 1'],
    ['con_3', 'Contact 3'],
  ])
  expect(known.members.contact).toEqual(['id', 'name', 'email'])
})

test('its size is limited: a maximum of ids, no long texts, no ids that no command takes', () => {
  const known = withSeen(withSeen(NOTHING_KNOWN, 'contact', contacts(1, 500)), 'contact', contacts(1000, 500))
  expect(known.ids.contact).toHaveLength(MOST_IDS)
  expect(known.ids.contact?.[0]?.[0]).toBe('con_1000')
  const long = withSeen(NOTHING_KNOWN, 'deal', [
    { id: 'x'.repeat(5000), name: 'y'.repeat(5000), stage: 'z'.repeat(5000) },
  ])
  expect(JSON.stringify(long).length).toBeLessThan(300)
  expect(withSeen(NOTHING_KNOWN, 'note', [{ id: 'note_1' }]).ids).toEqual({})
})

test('names of stages are taken from deals, pipelines and stages', () => {
  const listed = withSeen(NOTHING_KNOWN, 'stage', [{ id: 's1', name: 'Lead' }])
  const withDeal = withSeen(listed, 'deal', [{ id: 'deal_1', stage: 'Won' }])
  const known = withSeen(withDeal, 'pipeline', [{ id: 'sales', stages: [{ name: 'Lost' }, { name: 'Lead' }] }])
  expect(known.stages).toEqual(['Lost', 'Lead', 'Won'])
})

test('a deleted record is removed', () => {
  const known = withSeen(NOTHING_KNOWN, 'contact', contacts(1, 2))
  expect(withoutKnownId(known, 'contact', 'con_1').ids.contact).toEqual([['con_2', 'Contact 2']])
})

test('the readable part of a file changed by hand is used', () => {
  expect(knownIn({})).toEqual(NOTHING_KNOWN)
  expect(knownIn({ ids: { deal: [['deal_1', 'D'], 7, ['deal_2']] }, members: 3, stages: ['Won', null] })).toEqual({
    ids: { deal: [['deal_1', 'D']] },
    members: {},
    stages: ['Won'],
  })
})
