import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { parseSort } from '../../src/sorting/record-order.ts'
import { sortRecords } from '../../src/sorting/sort-records.ts'
import { emptyHome } from '../harness/home.ts'

interface Asked {
  readonly limit?: number
  readonly mostHeld?: number
}

async function sorted(records: readonly CrmRecord[], sort: string, { limit, mostHeld }: Asked = {}) {
  const folder = emptyHome().HOME
  async function* pages() {
    for (let at = 0; at < records.length; at += 50) yield records.slice(at, at + 50)
  }
  const options = { members: parseSort(sort, 'deal'), limit, folder, ...(mostHeld && { mostHeld }) }
  const { pages: inOrder, count, runs } = await sortRecords(pages(), options)
  // The file of the runs has no name from its first moment.
  const names = readdirSync(folder)
  const all: CrmRecord[] = []
  for await (const page of inOrder) all.push(...page)
  return { all, count, runs, names }
}

const idsOf = (records: readonly CrmRecord[]) => records.map(({ id }) => id)

/** Numbers in no order, the same in every run. */
function scattered(count: number): CrmRecord[] {
  return [...Array(count).keys()].map((n) => ({ id: `d${n}`, amount: (n * 7919) % 100, name: `Größe ${n}` }))
}

test('records merged from runs on disk are in the same order as in memory, equal ones as they were read', async () => {
  const records = scattered(500)
  const inMemory = await sorted(records, '-amount')
  const onDisk = await sorted(records, '-amount', { mostHeld: 2000 })
  expect([inMemory.runs, onDisk.names]).toEqual([0, []])
  expect(onDisk.runs).toBeGreaterThan(5)
  expect(onDisk.all).toEqual(inMemory.all)
  const expected = records.toSorted((one, other) => Number(other.amount) - Number(one.amount))
  expect(idsOf(inMemory.all)).toEqual(idsOf(expected))
})

test('the first ones of a long list need no run on disk, and are those of the whole order', async () => {
  const records = scattered(1500)
  const whole = await sorted(records, 'amount,-name')
  const first = await sorted(records, 'amount,-name', { limit: 7, mostHeld: 20_000 })
  expect(first).toMatchObject({ count: 1500, runs: 0 })
  expect(first.all).toEqual(whole.all.slice(0, 7))
  const more = await sorted(records, 'amount,-name', { limit: 700, mostHeld: 20_000 })
  expect(more.runs).toBeGreaterThan(1)
  expect(more.all).toEqual(whole.all.slice(0, 700))
})

test('numbers, also as texts and beyond doubles, are compared by value, and no value is last in both directions', async () => {
  const records: CrmRecord[] = [
    { id: 'none' },
    { id: 'ten', amount: 10 },
    { id: 'text', amount: '9.50' },
    { id: 'null', amount: null },
    { id: 'big', amount: JSON.parse('"9007199254740993"') },
    { id: 'bigger', amount: '9007199254740993.5' },
  ]
  expect(idsOf((await sorted(records, 'amount')).all)).toEqual(['text', 'ten', 'big', 'bigger', 'none', 'null'])
  expect(idsOf((await sorted(records, '-amount')).all)).toEqual(['bigger', 'big', 'ten', 'text', 'none', 'null'])
})

test('times are compared as times whatever their offset, to the microsecond, and texts as people sort names', async () => {
  const at = (id: string, updated_at: string) => ({ id, updated_at })
  const times = [
    at('noon', '2026-01-01T12:00:00Z'),
    at('earlier', '2026-01-01T12:30:00+02:00'),
    at('second', '2026-01-01T12:00:00.000002Z'),
    at('first', '2026-01-01T12:00:00.000001Z'),
  ]
  expect(idsOf((await sorted(times, 'updated_at')).all)).toEqual(['earlier', 'noon', 'first', 'second'])
  const names = ['Zoe', 'ärger', 'Anna', 'anna', 'Bo', '10', '9'].map((name) => ({ id: name, name }))
  expect(idsOf((await sorted(names, 'name')).all)).toEqual(['10', '9', 'anna', 'Anna', 'ärger', 'Bo', 'Zoe'])
})

test('members that the resource does not name are compared by what they hold, also inside others', async () => {
  const values = [{ a: 'x' }, { a: 2 }, { a: '2026-02-01' }, { a: 10 }, { a: null }, { a: '2026-01-31T00:00:00Z' }]
  const records = values.map((owner, at) => ({ id: `${at}`, owner }))
  expect(idsOf((await sorted(records, 'owner.a')).all)).toEqual(['1', '3', '5', '2', '0', '4'])
})

test.each(['', 'name,', 'name,-name', 'a..b'])('--sort %j is refused', (text) => {
  expect(() => parseSort(text, 'deal')).toThrow(/expected members, each once/)
})
