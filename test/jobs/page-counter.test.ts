import { expect, test } from 'vitest'
import { PageCounter } from '../../src/jobs/plan/existing.ts'

async function requestsFor(pageSize: number | undefined, sizes: readonly number[], added: number): Promise<number> {
  const counter = new PageCounter(pageSize)
  async function* pages() {
    for (const size of sizes) yield { items: Array.from({ length: size }, () => ({})) }
  }
  for await (const _ of counter.counted(pages()));
  return counter.requestsWith(added)
}

test('a recheck takes requests for the records read and those created, at the observed page size', async () => {
  expect(await requestsFor(500, [100, 100, 100], 250)).toBe(6)
})

test('after a single page the configured page size counts; without one, each record counts as a page', async () => {
  expect(await requestsFor(100, [3], 250)).toBe(3)
  expect(await requestsFor(undefined, [], 4)).toBe(4)
  expect(await requestsFor(100, [], 0)).toBe(1)
})
