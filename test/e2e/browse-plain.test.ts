import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { all, make } from '../harness/records.ts'
import { CRM, crm } from './crm.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openProgram, openTerminal } from './terminal.ts'

const WIDE = { columns: 120, rows: 40 }

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('plain lines change contacts by a job, take it back, and leave no change without its number', async () => {
    const service = await startService()
    await make(
      service,
      '/v1/contacts',
      [...Array(21).keys()].map((at) => ({ name: `N ${at}`, company: 'Acme' })),
    )
    const companies = async () => new Set((await all(service, '/v1/contacts')).map(({ company }) => company))
    const terminal = openTerminal(['browse', 'contacts', '--plain'], service.env, WIDE)
    await terminal.sees('10 of 21')
    terminal.type('edit all company=Bulk')
    terminal.press('Enter')
    await terminal.sees('Type 21 to do it')
    terminal.type('y')
    terminal.press('Enter')
    await terminal.sees('Cancelled, nothing was sent.')
    expect(await companies()).toEqual(new Set(['Acme']))
    terminal.type('edit all company=Bulk')
    terminal.press('Enter')
    await terminal.sees(/Type 21 to do it[\s\S]*Type 21 to do it/)
    terminal.type('21')
    terminal.press('Enter')
    await terminal.sees('21 saved')
    expect(await companies()).toEqual(new Set(['Bulk']))
    terminal.type('undo')
    terminal.press('Enter')
    await terminal.sees('company: Bulk -> Acme (21)')
    terminal.type('21')
    terminal.press('Enter')
    await terminal.sees('21 of 21 done')
    expect(await companies()).toEqual(new Set(['Acme']))
    expect(terminal.isOnAlternateScreen()).toBe(false)
    terminal.type('q')
    terminal.press('Enter')
    await terminal.sees('exit=0')
  })

  test('TERM=dumb has plain lines with pipelines, jobs and the correction of failed rows', async () => {
    const service = await startService()
    await make(service, '/v1/deals', [{ name: 'Engines', stage: 'Won', pipeline_id: 'sales', amount: 100 }])
    const file = join(service.env.HOME, 'deals.csv')
    writeFileSync(file, 'name,stage,pipeline_id\nOne,Lead,pipe_nope\n')
    expect((await crm(['deals', 'import', file, '--yes'], service.env)).exit).toBe(3)
    const dumb = openProgram(`TERM=dumb '${process.execPath}' '${CRM}' browse pipelines; echo "exit=$?"`, service.env)
    await dumb.sees(/5\. Won: 1 deal, 100/)
    expect(dumb.isOnAlternateScreen()).toBe(false)
    dumb.type('5')
    dumb.press('Enter')
    await dumb.sees(/1\. Engines/)
    dumb.type('edit 1 stage=Lead')
    dumb.press('Enter')
    await dumb.sees('stage: Won -> Lead')
    dumb.type('y')
    dumb.press('Enter')
    await dumb.sees('Moved Engines from Won to Lead')
    dumb.type('jobs')
    dumb.press('Enter')
    await dumb.sees(/1\. job_\w+, finished, import deals from \S+deals.csv, 0 of 1 done, 1 failed/)
    dumb.type('correct 1 1 pipeline_id=sales')
    dumb.press('Enter')
    await dumb.sees('Send 1 corrected row')
    dumb.type('y')
    dumb.press('Enter')
    await dumb.sees('1 of 1 done')
    const stages = (await all(service, '/v1/deals')).map(({ name, stage }) => `${name} ${stage}`)
    expect(stages.toSorted()).toEqual(['Engines Lead', 'One Lead'])
  })
})
