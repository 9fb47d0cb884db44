import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { StoreObserver } from '../../../../src/service/store/store-options.ts'
import { creation } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

/** Keeps what it is told. */
export function listeningObserver() {
  const told = { commits: [] as { writes: number; ms: number }[], queued: [] as number[], lockWaits: [] as number[] }
  const observer: StoreObserver = {
    commit: (done) => void told.commits.push(done),
    queued: (writes) => void told.queued.push(writes),
    lockWait: (ms) => void told.lockWaits.push(ms),
    pool: () => {},
  }
  return { told, observer }
}

export function observerSuite({ open }: Fixture): void {
  test('an observer is told of each write once, with the time of its commit', async () => {
    const { told, observer } = listeningObserver()
    const store = await open(Date.now, { observer })
    await Promise.all(Array.from({ length: 30 }, () => store.write(creation('contact'))))
    expect(told.commits.reduce((sum, { writes }) => sum + writes, 0)).toBe(30)
    for (const { ms } of told.commits) expect(ms).toBeGreaterThan(0)
    expect(told.lockWaits).toEqual([])
  })

  test('writes of successive turns of the event loop share a commit', async () => {
    const { told, observer } = listeningObserver()
    const store = await open(Date.now, { observer })
    const writes = [store.write(creation('contact')), store.write(creation('contact'))]
    for (let turn = 0; turn < 3; turn++) {
      await setImmediate()
      writes.push(store.write(creation('contact')))
    }
    await Promise.all(writes)
    expect(told.commits.map((commit) => commit.writes)).toEqual([5])
  })

  test('an observer is told how many writes wait, and in the end that none does', async () => {
    const { told, observer } = listeningObserver()
    const store = await open(Date.now, { observer })
    await Promise.all(Array.from({ length: 30 }, () => store.write(creation('contact'))))
    expect(Math.max(...told.queued)).toBeGreaterThan(1)
    expect(told.queued.at(-1)).toBe(0)
  })
}
