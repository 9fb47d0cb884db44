import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { all, make } from '../harness/records.ts'
import { crm } from './crm.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

const WIDE = { columns: 120, rows: 30 }

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('a plan is a diff, more than 20 updates need their number, and u takes the job back', async () => {
    const service = await startService()
    const old = (at: number) => (at < 15 ? 'Acme' : 'Other')
    await make(
      service,
      '/v1/contacts',
      [...Array(25).keys()].map((at) => ({ name: `N ${at}`, company: old(at) })),
    )
    const terminal = openTerminal(['browse', 'contacts'], service.env, WIDE)
    await terminal.sees('1-25 of 25')
    terminal.type('Ab')
    await terminal.sees('Change in 25 rows')
    terminal.type('compny=BULK')
    terminal.press('Enter')
    await terminal.sees('did you mean company?')
    terminal.press('C-u')
    terminal.type('company=BULK')
    terminal.press('Enter')
    const plan = await terminal.sees('Type 25 and Enter to send')
    expect(plan).toContain('company: Acme -> BULK (15)')
    expect(plan).toContain('company: Other -> BULK (10)')
    terminal.type('y')
    terminal.press('Enter')
    await terminal.sees(/cancel: y/)
    expect((await all(service, '/v1/contacts')).every(({ company }) => company !== 'BULK')).toBe(true)
    terminal.press('BSpace')
    terminal.type('25')
    terminal.press('Enter')
    await terminal.sees('25 saved')
    expect((await all(service, '/v1/contacts')).every(({ company }) => company === 'BULK')).toBe(true)
    terminal.type('u')
    await terminal.sees(/Undo 25 updates \(contacts\) on /)
    await terminal.sees('company: BULK -> Acme (15)')
    terminal.type('25')
    terminal.press('Enter')
    await terminal.sees('25 of 25 done')
    const companies = (await all(service, '/v1/contacts')).map(({ company }) => company)
    expect(companies.filter((company) => company === 'Acme')).toHaveLength(15)
    expect(companies.filter((company) => company === 'Other')).toHaveLength(10)
    await terminal.sees('Acme')
  })

  test('a correction of failed rows refuses a member that deals do not have', async () => {
    const service = await startService()
    const file = join(service.env.HOME, 'deals.csv')
    writeFileSync(file, 'name,stage,pipeline_id\nOne,Lead,pipe_nope\n')
    expect((await crm(['deals', 'import', file, '--yes'], service.env)).exit).toBe(3)
    const terminal = openTerminal(['browse', 'jobs'], service.env, WIDE)
    await terminal.sees('e correct')
    terminal.type('e')
    await terminal.sees('1 x pipeline_id')
    terminal.press('Enter')
    await terminal.sees('pipeline_id=')
    terminal.press('C-u')
    terminal.type('pipline_id=sales')
    terminal.press('Enter')
    await terminal.sees('did you mean pipeline_id?')
  })

  test('contacts and deals are filtered on the server, with quoted values and completion', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [
      { name: 'Ada', company: 'Analytical Engines' },
      { name: 'Grace', company: 'Navy' },
    ])
    const terminal = openTerminal(['browse', 'contacts'], service.env, WIDE)
    await terminal.sees('1-2 of 2')
    terminal.type('fcomp')
    terminal.press('Tab')
    // Of company and company_id.
    await terminal.sees('Contacts where: company')
    terminal.type('=ana')
    await terminal.sees('company="Analytical Engines"')
    terminal.press('Tab', 'Enter')
    expect(await terminal.sees('1-1 of 1')).not.toContain('Grace')
    await make(service, '/v1/deals', [{ name: 'Engines', stage: 'Won', pipeline_id: 'sales' }])
    terminal.press('M-2')
    await terminal.sees('❯  Engines')
    terminal.type('fstage=')
    await terminal.sees(/stage=Lead {2}stage=Qualified/)
    terminal.type('Qual')
    terminal.press('Tab', 'Enter')
    await terminal.sees('No record on the server matches')
  })

  test('a conflict shows the value of others beside the typed one, and overwrites only with a second Ctrl-S', async () => {
    const service = await startService()
    const [id] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const terminal = openTerminal(['browse', 'contacts'], service.env, WIDE)
    await terminal.sees('❯  Ada')
    expect((await crm(['contacts', 'update', String(id), '--set', 'name=Augusta'], service.env)).exit).toBe(0)
    terminal.type('eX')
    await terminal.sees('AdaX')
    terminal.press('C-s')
    await terminal.sees('theirs: Augusta · yours: AdaX · before: Ada')
    expect((await all(service, '/v1/contacts')).map(({ name }) => name)).toEqual(['Augusta'])
    terminal.press('C-s')
    await expect.poll(async () => (await all(service, '/v1/contacts'))[0]?.name).toBe('AdaX')
  })

  test('a record deleted by others is marked, and typed text is dropped only after a question', async () => {
    const service = await startService()
    const [id] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const terminal = openTerminal(['browse', 'contacts'], service.env, WIDE)
    await terminal.sees('❯  Ada')
    expect((await crm(['contacts', 'delete', String(id), '--yes'], service.env)).exit).toBe(0)
    terminal.type('eX')
    await terminal.sees('AdaX')
    terminal.press('C-s')
    await terminal.sees('! ')
    terminal.press('Escape')
    await terminal.sees('Edit Ada: not saved')
    terminal.press('Down', 'Enter')
    await terminal.sees(/❯ {2}gone: Ada/)
  })
})
