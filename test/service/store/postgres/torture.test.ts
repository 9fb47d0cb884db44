import { describe, expect, test } from 'vitest'
import { CRM } from '../../../e2e/crm.ts'
import { tempFolder } from '../../../harness/home.ts'
import { buildMutant } from '../../../torture/mutants.ts'
import { POSTGRES_MUTANT_NAMES, POSTGRES_MUTANTS } from '../../../torture/postgres/mutants.ts'
import { torture } from '../../../torture/postgres/torture.ts'

/** Few kills, for every run of the tests; `npm run torture:postgres` does more. */
const SHORT = { seed: 3, print: () => {} }

test('three processes and a PostgreSQL that are killed lose nothing, do nothing twice, and leave no gap in a list', {
  timeout: 300_000,
}, async () => {
  const { faults, met } = await torture({ ...SHORT, crm: CRM, kills: 10, failovers: 1 })
  expect(faults).toEqual([])
  expect(met.get('failover')).toBe(1)
})

/** What each lets the rig see. */
const SEEN = {
  'no-lock': /: 500 |skipped|never saw/,
  'claims-ignored': /was sent by two processes at once/,
  'early-answer': /is lost|skipped|expected n|: 404 |expected \d+ and/,
  'no-answers': /exists 2 times|version \d+/,
} as const satisfies Record<(typeof POSTGRES_MUTANT_NAMES)[number], RegExp>

describe('the rig finds out a build that lacks a rule', () => {
  test.each(POSTGRES_MUTANT_NAMES)('%s', { timeout: 300_000 }, async (name) => {
    const crm = buildMutant(POSTGRES_MUTANTS[name], tempFolder())
    let faults = ''
    // A kill has to fall into a moment between two steps: a run of twelve may miss it.
    for (const seed of [3, 4, 5, 6]) {
      if (SEEN[name].test(faults)) break
      faults = (await torture({ ...SHORT, seed, crm, kills: 12, failovers: 0 })).faults.join('\n')
    }
    expect(faults).toMatch(SEEN[name])
  })
})
