import { describe, expect, test } from 'vitest'
import { tempFolder } from '../harness/home.ts'
import { HAS_STRACE } from '../torture/call-record.ts'
import { buildMutant, MET_BY, MUTANT_NAMES, MUTANTS } from '../torture/mutants.ts'
import { torture } from '../torture/torture.ts'
import { CRM } from './crm.ts'

/** Few enough for every run of the tests; `npm run torture -- --kills N` does more. */
const SHORT = { serviceCrm: CRM, rows: 300, isEvidenceKept: false, print: () => {} }

describe.skipIf(!HAS_STRACE)('with a record of system calls (skipped where strace is not installed)', () => {
  test('imports that are killed, cut off from power and set ahead by a day make every row exactly once', async () => {
    const { faults, kills } = await torture({ ...SHORT, crm: CRM, kills: 12, seed: 3, isHarsh: false })
    expect(faults).toEqual([])
    expect(kills).toBe(12)
  })

  test.each(['forgets', 'blind'] as const)(
    'on a server of the kind %s no row exists twice, and rows in doubt are named',
    {
      timeout: 180_000,
    },
    async (serverKind) => {
      const { faults, kills } = await torture({ ...SHORT, crm: CRM, serverKind, kills: 6, seed: 3, isHarsh: false })
      expect(faults).toEqual([])
      expect(kills).toBe(6)
    },
  )

  describe('the rig finds out a build that lacks a rule', () => {
    test.each(MUTANT_NAMES)('%s', async (name) => {
      const crm = buildMutant(MUTANTS[name], tempFolder())
      const { faults } = await torture({ ...SHORT, crm, serverKind: MET_BY[name], kills: 30, seed: 3, isHarsh: true })
      // What was never synced may also be damaged, which the job says.
      expect(faults.join()).toMatch(
        name === 'unsynced-store' ? /rows are there twice|is damaged/ : /rows are there twice/,
      )
    })
  })
})
