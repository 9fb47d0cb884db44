import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { DigestCounter, recordDigest } from '../../src/jobs/plan/digest.ts'
import { Scratch } from '../../src/jobs/plan/scratch.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { runs } from '../harness/sample.ts'

async function openScratch(): Promise<Scratch> {
  const scratch = new Scratch(await tempFolder())
  onTestFinished(() => scratch.close())
  return scratch
}

test('each digest is counted separately, in any order', async () => {
  const scratch = await openScratch()
  let run = 0
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (rows) => {
      const counter = new DigestCounter(scratch.keys(`run${run++}`), 16)
      const seen = new Map<number, number>()
      for (const row of rows) {
        expect(counter.next(recordDigest(row))).toBe(seen.get(row) ?? 0)
        seen.set(row, (seen.get(row) ?? 0) + 1)
      }
    }),
    { numRuns: runs(30, 10) },
  )
})

test('more digests than fit in memory are still distinguished', async () => {
  const counter = new DigestCounter((await openScratch()).keys('digests'), 1 << 10)
  const digests = Array.from({ length: 20_000 }, (_, row) => recordDigest(row))
  expect(digests.every((digest) => counter.next(digest) === 0)).toBe(true)
  const repeated = [digests[5] ?? '', digests[19_000] ?? ''].flatMap((each) => [each, each])
  expect(repeated.map((digest) => counter.next(digest))).toEqual([1, 2, 1, 2])
})
