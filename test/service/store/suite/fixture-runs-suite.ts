import { expect, test } from 'vitest'
import { ENDED_RUN_KEPT_MS, type LockRequest } from '../../../../src/service/store/fixture-runs.ts'
import type { Fixture } from '../store-suite.ts'

const STATE = '{"records":[{"name":"contacts.ada","id":"con_1"}]}'

function request(token: string, more: Partial<LockRequest> = {}): LockRequest {
  return { id: 'run-1', name: 'fixtures/demo.yaml/pr-17', owner: `owner of ${token}`, token, ttlMs: 30_000, ...more }
}

export function fixtureRunsSuite({ open, makePlace }: Fixture): void {
  test('of clients that ask for a lock at once, one gets it', async () => {
    const openOne = await makePlace()
    const stores = await Promise.all([openOne(), openOne()])
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, at) => stores[at % 2]?.fixtureRuns.lock(request(`t${at}`))),
    )
    expect(results.filter((result) => result?.type === 'locked')).toHaveLength(1)
    const winner = results.findIndex((result) => result?.type === 'locked')
    for (const result of results) {
      if (result?.type === 'held') expect(result.lock.owner).toBe(`owner of t${winner}`)
    }
  })

  test('the state is written by the holder alone, and read by all', async () => {
    const { fixtureRuns } = await open()
    await fixtureRuns.lock(request('t1'))
    const kept = { id: 'run-1', state: STATE, isEnded: false }
    expect(await fixtureRuns.keep({ ...kept, token: 't2', state: '{}' })).toBe(false)
    expect(await fixtureRuns.keep({ ...kept, token: 't1' })).toBe(true)
    expect(await fixtureRuns.find('run-1')).toMatchObject({ state: STATE, isEnded: false })
    expect(await fixtureRuns.keep({ ...kept, id: 'run-2', token: 't1' })).toBe(false)
    expect(await fixtureRuns.find('run-2')).toBeUndefined()
  })

  test('a lock that expired is taken over, and what its old holder writes, renews or gives up is refused', async () => {
    let nowMs = Date.now()
    const { fixtureRuns } = await open(() => nowMs)
    await fixtureRuns.lock(request('old'))
    nowMs += 29_999
    expect(await fixtureRuns.lock(request('new'))).toMatchObject({ type: 'held', lock: { owner: 'owner of old' } })
    nowMs += 1
    expect(await fixtureRuns.lock(request('new'))).toMatchObject({ type: 'locked' })
    const old = { id: 'run-1', token: 'old' }
    expect(await fixtureRuns.keep({ ...old, state: '{}', isEnded: true })).toBe(false)
    expect(await fixtureRuns.renew({ ...old, ttlMs: 30_000 })).toBeUndefined()
    expect(await fixtureRuns.unlock(old)).toBe(false)
    expect(await fixtureRuns.unlock({ id: 'run-1', token: 'new' })).toBe(true)
    // Also when the lock is free again.
    expect(await fixtureRuns.keep({ ...old, state: '{}', isEnded: true })).toBe(false)
    expect(await fixtureRuns.renew({ ...old, ttlMs: 30_000 })).toBeUndefined()
    expect(await fixtureRuns.find('run-1')).toMatchObject({ state: null, lock: null })
  })

  test('a renewed lock is held on, and asking for it again with its token is a repetition', async () => {
    let nowMs = Date.now()
    const { fixtureRuns } = await open(() => nowMs)
    await fixtureRuns.lock(request('t1'))
    nowMs += 20_000
    expect(await fixtureRuns.renew({ id: 'run-1', token: 't1', ttlMs: 30_000 })).toBe(nowMs + 30_000)
    nowMs += 20_000
    expect(await fixtureRuns.lock(request('t2'))).toMatchObject({ type: 'held' })
    expect(await fixtureRuns.lock(request('t1'))).toMatchObject({ type: 'locked' })
    nowMs += 20_000
    expect(await fixtureRuns.lock(request('t2'))).toMatchObject({ type: 'held' })
  })

  test('runs are listed by id in pages; those that ended are deleted after a week, with the next lock', async () => {
    let nowMs = Date.now()
    const store = await open(() => nowMs)
    const { fixtureRuns } = store
    for (const id of ['b', 'a', 'c']) await fixtureRuns.lock(request('t', { id }))
    await fixtureRuns.keep({ id: 'b', token: 't', state: STATE, isEnded: false })
    expect((await store.stats()).fixtureRuns).toBe(1)
    const first = await fixtureRuns.page({ limit: 2, afterId: undefined })
    expect(first).toMatchObject({ runs: [{ id: 'a' }, { id: 'b' }], nextAfterId: 'b' })
    expect(await fixtureRuns.page({ limit: 2, afterId: 'b' })).toMatchObject({ runs: [{ id: 'c' }] })
    nowMs += ENDED_RUN_KEPT_MS + 1
    await fixtureRuns.lock(request('t', { id: 'd' }))
    const { runs } = await fixtureRuns.page({ limit: 9, afterId: undefined })
    expect(runs.map(({ id }) => id)).toEqual(['b', 'd'])
  })
}
