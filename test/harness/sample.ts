import { inject } from 'vitest'

/**
 * For tests of very many cases: `npm test` takes a sample of them, and `npm run test:conformance`, which runs every file that
 * imports this one, takes all. With CRM_TEST_CASES=all every script takes all.
 */

declare module 'vitest' {
  interface ProvidedContext {
    takesAll: boolean
  }
}

/** The first case and every `step`th after it, or all. */
export function sample<T>(all: readonly T[], step: number): readonly T[] {
  return all.filter((_, at) => at % stepOf(step) === 0)
}

/** The step of a loop: `step`, or 1. */
export function stepOf(step: number): number {
  return inject('takesAll') ? 1 : step
}

/** A number of runs: `few`, or `all`. */
export function runs(all: number, few: number): number {
  return inject('takesAll') ? all : few
}
