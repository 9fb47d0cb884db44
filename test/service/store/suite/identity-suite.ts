import { expect, test } from 'vitest'
import { allContacts, creation, idOf, removal, rewriting } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)

export function identitySuite({ open, makePlace }: Fixture): void {
  test('records of one millisecond have ids in order of creation', async () => {
    const store = await open(() => NOON_MS)
    const results = await Promise.all(Array.from({ length: 5000 }, () => store.write(creation('contact'))))
    const ids = results.map(idOf)
    expect(new Set(ids).size).toBe(5000)
    expect(ids.toSorted()).toEqual(ids)
  })

  test('a write gets the time of the clock, and a created record the time in its id', async () => {
    const clock = { ms: NOON_MS + 0.75 }
    const store = await open(() => clock.ms)
    const times: number[] = []
    const noted = { ...creation('contact') }
    const result = await store.write({
      ...noted,
      decide: (state) => {
        times.push(state.nowMs)
        return noted.decide(state)
      },
    })
    clock.ms = NOON_MS + 5000
    const rewrite = rewriting('contact', idOf(result), '{}')
    await store.write({
      ...rewrite,
      decide: (state) => {
        times.push(state.nowMs)
        return rewrite.decide(state)
      },
    })
    expect(times).toEqual([NOON_MS, NOON_MS + 5000])
  })

  test('a clock that steps back across a restart does not change the order', async () => {
    const reopen = await makePlace()
    const store = await reopen(() => NOON_MS)
    const first = idOf(await store.write(creation('contact')))
    await store.close()
    const later = await reopen(() => NOON_MS - 3_600_000)
    const seen: number[] = []
    const write = creation('contact')
    const second = await later.write({
      ...write,
      decide: (state) => {
        seen.push(state.nowMs)
        return write.decide(state)
      },
    })
    expect(idOf(second) > first).toBe(true)
    expect(seen).toEqual([NOON_MS])
  })

  test('a record is never changed before its creation time, whatever the clock', async () => {
    const clock = { ms: NOON_MS }
    const store = await open(() => clock.ms)
    const rewrite = rewriting('contact', idOf(await store.write(creation('contact'))), '{}')
    clock.ms -= 3_600_000
    const times: number[] = []
    await store.write({
      ...rewrite,
      decide: (state) => {
        times.push(state.nowMs)
        return rewrite.decide(state)
      },
    })
    expect(times).toEqual([NOON_MS])
  })

  test('the id of a removed record is never reused, whatever the clock', async () => {
    const reopen = await makePlace()
    const store = await reopen(() => NOON_MS)
    const removed = idOf(await store.write(creation('contact')))
    await store.write(removal('contact', removed))
    await store.close()
    const later = await reopen(() => NOON_MS)
    expect(idOf(await later.write(creation('contact'))) > removed).toBe(true)
  })

  test('a clock before 2020 still gives ids in order', async () => {
    const store = await open(() => 0)
    const results = await Promise.all(Array.from({ length: 3 }, () => store.write(creation('contact'))))
    expect(results.map(idOf).toSorted()).toEqual(results.map(idOf))
    expect(JSON.parse((await allContacts(store))[0] ?? '').created_at).toBe('2020-01-01T00:00:00.000Z')
  })

  test('a clock beyond the last id is rejected, without harm after a correction', async () => {
    const clock = { ms: Date.UTC(2090, 0, 1) }
    const store = await open(() => clock.ms)
    await expect(store.write(creation('contact'))).rejects.toThrow('the clock of this machine is at 2090')
    clock.ms = NOON_MS
    await store.write(creation('contact'))
    expect(await allContacts(store)).toHaveLength(1)
  })
}
