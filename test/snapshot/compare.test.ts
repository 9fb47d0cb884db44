import { expect, test } from 'vitest'
import { parseExactJson } from '../../src/core/json.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { type Difference, differences } from '../../src/snapshot/compare.ts'
import type { SnapshotEntry } from '../../src/snapshot/snapshot.ts'

function contacts(...records: readonly string[]) {
  async function* batches(): AsyncGenerator<SnapshotEntry[]> {
    for (const text of records) yield [{ type: 'contact', record: parseExactJson(text) as CrmRecord }]
  }
  return { entries: batches() }
}

async function compare(before: readonly string[], after: readonly string[], ignored: readonly string[] = []) {
  const found: Difference[] = []
  const ignoring = { key: [], members: new Set(ignored), types: ['contact'] }
  for await (const some of differences(contacts(...before), contacts(...after), ignoring)) {
    found.push(...some.map(({ difference }) => difference))
  }
  return found
}

test('added, changed and removed records are reported with their earlier values', async () => {
  const before = ['{"id":"con_1","name":"Ada","phone":"1"}', '{"id":"con_2","name":"Bob"}']
  const after = ['{"id":"con_3","email":"c@example.test"}', '{"id":"con_1","name":"Ada","company":"X"}']
  expect(await compare(before, after)).toEqual([
    {
      change: 'added',
      type: 'contact',
      id: 'con_3',
      name: 'c@example.test',
      record: { id: 'con_3', email: 'c@example.test' },
    },
    {
      change: 'changed',
      type: 'contact',
      id: 'con_1',
      name: 'Ada',
      fields: { phone: { from: '1', to: null }, company: { from: null, to: 'X' } },
    },
    { change: 'removed', type: 'contact', id: 'con_2', name: 'Bob', record: { id: 'con_2', name: 'Bob' } },
  ])
})

test('the order of records and of members makes no difference', async () => {
  const before = ['{"id":"con_1","name":"Ada","address":{"city":"London","zip":1}}', '{"id":"con_2"}']
  const after = ['{"id":"con_2"}', '{"address":{"zip":1,"city":"London"},"name":"Ada","id":"con_1"}']
  expect(await compare(before, after)).toEqual([])
})

test('ignored members make no difference and are not shown', async () => {
  const before = ['{"id":"con_1","name":"Ada","version":1}', '{"id":"con_2","version":1}']
  const after = ['{"id":"con_1","name":"Eva","version":2}', '{"id":"con_2","version":2}']
  expect(await compare(before, after, ['version'])).toMatchObject([
    { id: 'con_1', fields: { name: { from: 'Ada', to: 'Eva' } } },
  ])
})

test('digits beyond the precision of a double are compared', async () => {
  const [before, after] = ['{"id":"con_1","n":12345678901234567890}', '{"id":"con_1","n":12345678901234567891}']
  expect(await compare([before], [before])).toEqual([])
  expect(JSON.stringify(await compare([before], [after]))).toContain(
    '"n":{"from":12345678901234567890,"to":12345678901234567891}',
  )
})
