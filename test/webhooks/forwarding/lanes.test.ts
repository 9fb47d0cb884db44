import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLanes } from '../../../src/webhooks/forwarding/forwarder.ts'

test('tasks of one key run in order without overlap, and no more than the limit run at once', async () => {
  const works = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', undefined), turns: fc.nat(3), fails: fc.boolean() }),
  )
  await fc.assert(
    fc.asyncProperty(works, fc.integer({ min: 1, max: 4 }), async (all, limit) => {
      const lanes = createLanes(limit)
      const started = new Map<string | undefined, number[]>()
      const running: (string | undefined)[] = []
      const results = all.map(({ key, turns, fails }, at) =>
        lanes.run(key, async () => {
          started.set(key, [...(started.get(key) ?? []), at])
          if (key !== undefined) expect(running).not.toContain(key)
          running.push(key)
          expect(running.length).toBeLessThanOrEqual(limit)
          for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
          running.splice(running.indexOf(key), 1)
          if (fails) throw new Error(String(at))
          return at
        }),
      )
      const ended = await Promise.allSettled(results)
      for (const [at, { fails }] of all.entries()) expect(ended[at]?.status).toBe(fails ? 'rejected' : 'fulfilled')
      for (const [key, order] of started) if (key !== undefined) expect(order).toEqual(order.toSorted((a, b) => a - b))
    }),
  )
})
