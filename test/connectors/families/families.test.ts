import { describe, expect, test } from 'vitest'
import { crmPrints } from '../../harness/crm.ts'
import { claimAll, REFUSAL_IN_2XX, skipAbsent } from '../claims.ts'
import { FAMILIES, JSON_SERVER } from './families.ts'

for (const { title, isHere, claimed } of FAMILIES) {
  describe.skipIf(!isHere)(title, () => {
    claimAll(claimed)

    test(REFUSAL_IN_2XX, (context) => skipAbsent(context, claimed.absences.refusalIn2xx))
  })
}

test('a list of json-server 1.x from a cursor ends at the last page, which the server repeats behind it', async () => {
  const { env } = await JSON_SERVER.reach(3000)
  const ids = await crmPrints(['contacts', 'list', '--cursor', '3', '-o', 'id'], env)
  expect(new Set(ids.trim().split('\n')).size).toBe(1000)
})
