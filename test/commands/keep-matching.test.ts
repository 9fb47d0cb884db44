import { expect, test } from 'vitest'
import { keepMatching, type ListPage } from '../../src/commands/keep-matching.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'

const even = async (records: readonly CrmRecord[]) => records.filter(({ id }) => Number(id) % 2 === 0)

async function* pages(...items: readonly (readonly number[])[]): AsyncGenerator<ListPage> {
  for (const [at, page] of items.entries()) {
    yield { items: page.map((id) => ({ id })), nextCursor: at + 1 < items.length ? `after_${at}` : undefined }
  }
}

async function kept(limit: number | undefined, ...items: readonly (readonly number[])[]) {
  const all: unknown[] = []
  for await (const { items: found, nextCursor, isCut } of keepMatching(pages(...items), even, limit)) {
    all.push([found.map(({ id }) => id), nextCursor, isCut])
  }
  return all
}

test('each page keeps what matches and its cursor', async () => {
  expect(await kept(undefined, [1, 2], [3], [4, 6])).toEqual([
    [[2], 'after_0', undefined],
    [[], 'after_1', undefined],
    [[4, 6], undefined, undefined],
  ])
})

test('a limit that ends with a page keeps its cursor; one that cuts a page has none, which would skip records', async () => {
  expect(await kept(1, [1, 2], [4])).toEqual([[[2], 'after_0', undefined]])
  expect(await kept(2, [2, 4, 6], [8])).toEqual([[[2, 4], undefined, true]])
})
