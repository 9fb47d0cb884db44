import { describe } from 'vitest'
import { claimKills } from '../kill-claim.ts'
import { FAMILIES } from './families.ts'

// Most of their time, they wait.
for (const { title, isHere, claimed } of FAMILIES) {
  const describeHere = isHere ? describe.concurrent : describe.skip
  describeHere(title, () => {
    claimKills(claimed)
  })
}
