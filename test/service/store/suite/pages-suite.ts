import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Store } from '../../../../src/service/store/store.ts'
import { creation, idOf, removal } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

async function make(store: Store, count: number): Promise<readonly string[]> {
  const results = await Promise.all(Array.from({ length: count }, () => store.write(creation('contact'))))
  return results.map(idOf)
}

export function pagesSuite({ open }: Fixture): void {
  test('pages go from newest to oldest, with the start of the next one', async () => {
    const store = await open()
    const [a, b, c, d, e] = await make(store, 5)
    const idsBelow = async (olderThanId: string | undefined) => {
      const { texts, nextOlderThanId } = await store.page('contact', { limit: 2, olderThanId })
      return { ids: texts.map((text) => JSON.parse(text).id), nextOlderThanId }
    }
    expect(await idsBelow(undefined)).toEqual({ ids: [e, d], nextOlderThanId: d })
    expect(await idsBelow(d)).toEqual({ ids: [c, b], nextOlderThanId: b })
    expect(await idsBelow(b)).toEqual({ ids: [a], nextOlderThanId: undefined })
    expect(await idsBelow(a)).toEqual({ ids: [], nextOlderThanId: undefined })
  })

  test('a joined page has the same records, order and next page', async () => {
    const store = await open()
    const none = await store.joinedPage('contact', { limit: 3, olderThanId: undefined })
    expect(none).toEqual({ text: '', nextOlderThanId: undefined })
    const ids = await make(store, 7)
    for (const limit of [1, 3, 7, 8]) {
      for (const olderThanId of [undefined, ids[6], ids[3], ids[0]]) {
        const { texts, nextOlderThanId } = await store.page('contact', { limit, olderThanId })
        const joined = await store.joinedPage('contact', { limit, olderThanId })
        expect(joined).toEqual({ text: texts.join(','), nextOlderThanId })
      }
    }
  })

  test('a page with the last record is the last page, also when it is full', async () => {
    const store = await open()
    await make(store, 2)
    expect(await store.page('contact', { limit: 2, olderThanId: undefined })).toMatchObject({
      nextOlderThanId: undefined,
    })
  })

  test('a store without records has one empty page', async () => {
    const store = await open()
    const none = { texts: [], nextOlderThanId: undefined }
    expect(await store.page('contact', { limit: 50, olderThanId: undefined })).toEqual(none)
    expect(await store.page('deal', { limit: 50, olderThanId: undefined })).toEqual(none)
  })

  test('a page starts after a deleted record', async () => {
    const store = await open()
    const [a, b] = await make(store, 2)
    await store.write(removal('contact', b ?? ''))
    const { texts } = await store.page('contact', { limit: 2, olderThanId: b })
    expect(texts.map((text) => JSON.parse(text).id)).toEqual([a])
  })

  test('a start that is not an id of the listed kind is rejected', async () => {
    const store = await open()
    for (const olderThanId of ['', 'deal_00000000000', 'con_x']) {
      await expect(store.page('contact', { limit: 2, olderThanId })).rejects.toThrow(JSON.stringify(olderThanId))
    }
    await expect(store.page('deal', { limit: 2, olderThanId: 'con_00000000000' })).rejects.toThrow('deal')
  })

  test('a record that remains is listed exactly once, whatever is created and removed meanwhile', async () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('make' as const), count: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ type: fc.constant('remove' as const), count: fc.nat() }),
      fc.record({ type: fc.constant('page' as const), count: fc.integer({ min: 1, max: 5 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const store = await open()
        const before = await make(store, 8)
        const removed = new Set<string>()
        const listing = listContacts(store)
        for (const { type, count } of steps) {
          if (type === 'make') await make(store, count)
          else if (type === 'page') await listing.turn(count)
          else await removeOnce(store, before[count % before.length] ?? '', removed)
        }
        while (!listing.isOver()) await listing.turn(3)
        const listed = listing.ids()
        expect(listed.toSorted().reverse()).toEqual(listed)
        expect(new Set(listed).size).toBe(listed.length)
        expect(before.filter((id) => !removed.has(id) && !listed.includes(id))).toEqual([])
      }),
      { numRuns: 25 },
    )
  })
}

async function removeOnce(store: Store, id: string, removed: Set<string>): Promise<void> {
  if (!removed.has(id)) await store.write(removal('contact', id))
  removed.add(id)
}

function listContacts(store: Store) {
  const listed: string[] = []
  let place: string | undefined
  let isOver = false
  return {
    ids: () => listed,
    isOver: () => isOver,
    turn: async (limit: number): Promise<void> => {
      if (isOver) return
      const { texts, nextOlderThanId } = await store.page('contact', { limit, olderThanId: place })
      listed.push(...texts.map((text) => JSON.parse(text).id))
      place = nextOlderThanId
      isOver = place === undefined
    },
  }
}
