import { test as plainTest } from 'vitest'
import type { CleanUp } from './home.ts'
import { type Service, startService } from './service.ts'

/** A test that is given one service for all tests of its file, made by the first that asks. */
export function testWithService(start: (cleanUp: CleanUp) => Promise<Service>) {
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that are needed off this pattern
  return plainTest.extend('service', { scope: 'file' }, async ({}, { onCleanup }) => {
    const works: Parameters<CleanUp>[0][] = []
    onCleanup(async () => {
      for (const work of works.toReversed()) await work()
    })
    return start((work) => works.push(work))
  })
}

/** With a service in this process, for what does not depend on what else is in the database. */
export const test = testWithService((cleanUp) => startService([], cleanUp))
