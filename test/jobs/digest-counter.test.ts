import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DigestCounter, recordDigest } from '../../src/jobs/plan/digest.ts'
import { openKeyIndex } from '../../src/jobs/plan/scratch.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { runs } from '../harness/sample.ts'

test('each digest is counted separately, in any order', async () => {
  const folder = await tempFolder()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(20)), async (rows) => {
      const counter = new DigestCounter(openKeyIndex(folder, `${run++}`))
      const seen = new Map<number, number>()
      for (const row of rows) {
        expect(counter.next(recordDigest(row))).toBe(seen.get(row) ?? 0)
        seen.set(row, (seen.get(row) ?? 0) + 1)
      }
      counter.close()
    }),
    { numRuns: runs(30, 10) },
  )
})

test('more digests than the first table holds are still distinguished', async () => {
  const counter = new DigestCounter(openKeyIndex(await tempFolder(), 'index'))
  const digests = Array.from({ length: 100_000 }, (_, row) => recordDigest(row))
  expect(digests.every((digest) => counter.next(digest) === 0)).toBe(true)
  expect([counter.next(digests[5] ?? ''), counter.next(digests[5] ?? '')]).toEqual([1, 2])
  counter.close()
})
