import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crmPrints } from '../../harness/crm.ts'
import { claimAll, REFUSAL_IN_2XX, skipAbsent } from '../claims.ts'
import { FAMILIES, JSON_SERVER, ODATA_SERVER } from './families.ts'
import { HAS_ODATA_SERVER } from './start.ts'

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

const BY_OFFSET = `connector: 2
name: counted
extends: odata
paging: { by: offset, param: $skip, start: 0, next: null, size: { param: $top, max: 700 }, total: '@odata\\.count' }
`

test.skipIf(!HAS_ODATA_SERVER)(
  'a list of OData in pages by $top and $skip is complete (skipped without npm ci in tools/judges)',
  async () => {
    const { env } = await ODATA_SERVER.reach(3000)
    const file = join(env.HOME ?? '', 'counted.yaml')
    writeFileSync(file, BY_OFFSET)
    const ids = await crmPrints(['contacts', 'list', '-o', 'id'], { ...env, CRM_CONNECTOR: file })
    expect(new Set(ids.trim().split('\n')).size).toBe(3000)
  },
)
