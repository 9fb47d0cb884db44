import { setImmediate as nextPass } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from '../../src/service/turns.ts'

/** Keeps the thread, as reading a large page does. */
function work(timeMs: number): void {
  const endMs = performance.now() + timeMs
  while (performance.now() < endMs);
}

/** Begins work for so many clients in one pass of the event loop, as the sockets that have sent something do. */
function arrive(turns: Turns, count: number, workMs: number): readonly Promise<number>[] {
  return Array.from({ length: count }, (_, at) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const handle = async () => {
      await turns.next()
      work(workMs)
      return at
    }
    setImmediate(() => void handle().then(resolve, reject))
    return promise
  })
}

test('work beyond a share of the event loop waits for the next pass, in order', async () => {
  const done: number[] = []
  const all = arrive(new Turns(), 20, 10)
  for (const each of all) void each.then((at) => done.push(at))
  let passes = 0
  for (; done.length < 20; passes++) await nextPass()
  expect(passes).toBeGreaterThan(4)
  expect(await Promise.all(all)).toEqual(done)
})

test('work that waited for more than a second is refused with Retry-After, until the rest is done', async () => {
  const turns = new Turns()
  const outcomes = await Promise.allSettled(arrive(turns, 40, 60))
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(10)
  expect(refused.length).toBeLessThan(40)
  expect(outcomes.slice(-refused.length)).toEqual(refused)
  for (const outcome of refused)
    expect(outcome).toMatchObject({ reason: { status: 503, parts: { headers: { 'retry-after': '1' } } } })
  await nextPass()
  expect(turns.next()).toBeUndefined()
})
