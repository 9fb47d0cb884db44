import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { all } from '../harness/records.ts'
import { crm } from './crm.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('rows that failed for one cause get one correction and are sent again, only once', async () => {
    const service = await startService()
    const file = join(service.env.HOME, 'deals.csv')
    writeFileSync(file, 'name,stage,pipeline_id\nOne,Lead,\nTwo,Lead,pipe_nope\nThree,Won,pipe_nope\n')
    expect((await crm(['deals', 'import', file, '--yes'], service.env)).exit).toBe(3)
    const terminal = openTerminal(['browse', 'jobs'], service.env, { columns: 120, rows: 30 })
    await terminal.sees('m correct')
    terminal.type('m')
    await terminal.sees('2 x pipeline_id invalid_values')
    terminal.press('Enter')
    await terminal.sees('In all of them (member=value): pipeline_id=')
    terminal.type('sales')
    terminal.press('Enter')
    expect(await terminal.sees('Send 2 corrected rows')).toContain('line 3: pipeline_id "pipe_nope" becomes "sales"')
    // The key that asked does not send.
    terminal.press('Enter')
    await terminal.sees('? help')
    expect(await all(service, '/v1/deals')).toHaveLength(1)
    terminal.type('m')
    await terminal.sees('2 x pipeline_id')
    terminal.press('Enter')
    terminal.type('sales')
    await terminal.sees('pipeline_id=sales')
    terminal.press('Enter')
    await terminal.sees('Send 2 corrected rows')
    terminal.type('y')
    await terminal.sees('2 of 2 done')
    expect((await all(service, '/v1/deals')).map(({ name }) => name).toSorted()).toEqual(['One', 'Three', 'Two'])
    terminal.press('j')
    await terminal.sees(/❯ {2}job_\w+ +finished +1 +0 +3 +2/)
    terminal.type('m')
    await terminal.sees('2 x pipeline_id')
    terminal.press('Enter')
    terminal.type('sales')
    await terminal.sees('pipeline_id=sales')
    terminal.press('Enter')
    await terminal.sees('no failed row of')
  })
})
