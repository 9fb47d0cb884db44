import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DealColumns, RecordFilters, Store } from '../../../../src/service/store/store.ts'
import { dealCreation } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)

interface Deal extends DealColumns {
  readonly createdAtMs: number
}

async function namesOf(store: Store, filters: RecordFilters): Promise<readonly string[]> {
  const { texts } = await store.page('deal', { limit: 100, olderThanId: undefined }, filters)
  return texts.map((text) => JSON.parse(text).name)
}

function isMatch(deal: Deal, filters: RecordFilters): boolean {
  const { name = [], stage = [], owner_id = [], pipeline_id = [] } = filters.values ?? {}
  const isOneOf = (values: readonly string[], value: string | null) =>
    values.length === 0 || (value !== null && values.includes(value))
  return (
    isOneOf(name, deal.name) &&
    isOneOf(stage, deal.stage) &&
    isOneOf(owner_id, deal.ownerId) &&
    isOneOf(pipeline_id, deal.pipelineId) &&
    (filters.amountAtLeast === undefined || (deal.amount !== null && deal.amount >= filters.amountAtLeast)) &&
    (filters.amountAtMost === undefined || (deal.amount !== null && deal.amount <= filters.amountAtMost)) &&
    (filters.createdSinceMs === undefined || deal.createdAtMs >= filters.createdSinceMs) &&
    (filters.createdUntilMs === undefined || deal.createdAtMs <= filters.createdUntilMs)
  )
}

export function filtersSuite({ open }: Fixture): void {
  test('every combination of filters lists the matching deals, newest first, page by page', async () => {
    const clock = { ms: NOON_MS }
    const store = await open(() => clock.ms)
    const [names, stages, owners, pipelines] = [
      ['a', 'b', 'é'],
      ['Lead', 'Won', 'Lost'],
      ['u1', 'u2'],
      ['sales', 'p2'],
    ]
    const deals: Deal[] = []
    for (let number = 0; number < 240; number++) {
      clock.ms = NOON_MS + Math.floor(number / 3)
      const columns = {
        name: names[number % 3] ?? '',
        stage: stages[(number >> 1) % 3] ?? '',
        ownerId: number % 5 === 0 ? null : (owners[number % 2] ?? null),
        pipelineId: pipelines[(number >> 3) % 2] ?? '',
        amount: number % 7 === 0 ? null : number / 4 - 10,
      }
      deals.push({ ...columns, createdAtMs: clock.ms })
      await store.write(dealCreation({ ...columns }))
    }
    const some = (values: readonly string[]) => fc.array(fc.constantFrom(...values, 'none such'), { maxLength: 4 })
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
    const time = fc.integer({ min: NOON_MS - 5, max: NOON_MS + 85 })
    const filters = fc.record({
      values: fc.record({
        name: some(names),
        stage: some(stages),
        owner_id: some(owners),
        pipeline_id: some(pipelines),
      }),
      amountAtLeast: maybe(fc.integer({ min: -12, max: 50 })),
      amountAtMost: maybe(fc.integer({ min: -12, max: 50 })),
      createdSinceMs: maybe(time),
      createdUntilMs: maybe(time),
    })
    const summary = ({ name, stage, ownerId, pipelineId, amount }: DealColumns) =>
      JSON.stringify([name, stage, ownerId, pipelineId, amount])
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), async (filter, limit) => {
        const listed: string[] = []
        let olderThanId: string | undefined
        do {
          const page = await store.page('deal', { limit, olderThanId }, filter)
          listed.push(...page.texts.map((text) => summary(JSON.parse(text))))
          olderThanId = page.nextOlderThanId
        } while (olderThanId !== undefined)
        expect(listed).toEqual(
          deals
            .filter((deal) => isMatch(deal, filter))
            .reverse()
            .map(summary),
        )
      }),
      { numRuns: 300 },
    )
  })

  test('hundreds of alternatives are merged in order, and duplicates count once', async () => {
    const store = await open()
    const names = Array.from({ length: 700 }, (_, number) => `deal ${number}`)
    await Promise.all(names.map((name) => store.write(dealCreation({ name }))))
    expect(await namesOf(store, { values: { name: [...names, ...names] } })).toEqual(names.slice(-100).reverse())
    expect(await namesOf(store, { values: { stage: ['Lead'], owner_id: names } })).toEqual([])
  })

  test('times are inclusive bounds to the millisecond', async () => {
    const clock = { ms: NOON_MS }
    const store = await open(() => clock.ms)
    for (const name of ['a', 'b', 'c']) {
      await store.write(dealCreation({ name }))
      clock.ms += 1
    }
    expect(await namesOf(store, { createdSinceMs: NOON_MS + 1 })).toEqual(['c', 'b'])
    expect(await namesOf(store, { createdUntilMs: NOON_MS + 1 })).toEqual(['b', 'a'])
    expect(await namesOf(store, { createdSinceMs: NOON_MS + 0.5, createdUntilMs: NOON_MS + 1.5 })).toEqual(['b'])
    expect(await namesOf(store, { createdSinceMs: Date.UTC(1970, 0, 1) })).toEqual(['c', 'b', 'a'])
    expect(await namesOf(store, { createdUntilMs: Date.UTC(1970, 0, 1) })).toEqual([])
    expect(await namesOf(store, { createdSinceMs: 8.64e15 })).toEqual([])
    expect(await namesOf(store, { createdUntilMs: 8.64e15 })).toEqual(['c', 'b', 'a'])
  })

  test('values are compared exactly: quotes, wildcards and letter case have no meaning', async () => {
    const store = await open()
    for (const name of ["O'Neill", '%', 'ABC']) await store.write(dealCreation({ name }))
    for (const name of ["O'Neill", '%', 'ABC'])
      expect(await namesOf(store, { values: { name: [name] } })).toEqual([name])
    expect(await namesOf(store, { values: { name: ['abc', "' OR 1=1 --"] } })).toEqual([])
  })
}
