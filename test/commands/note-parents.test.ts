import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { test } from '../harness/shared-service.ts'

const ALONE = 'crm (connector) has notes on deals alone, not on'

describe('crm serve has notes on deals alone', () => {
  test.for([
    ['list con_1 --on contacts', `${ALONE} contacts`],
    ['list con_1', `${ALONE} the contact con_1`],
    ['add con_1 --body x --on contacts', `${ALONE} contacts`],
    ['add comp_1 --body x --dry-run', `${ALONE} the company comp_1`],
    ['add deal_1 --body x --on dael', `${ALONE} "dael"`],
  ] as const)('notes %s is refused, with the command that works', async ([words, message], { service }) => {
    const { exit, stderr } = await crm(['notes', ...words.split(' ')], service.env)
    expect([exit, stderr]).toEqual([2, `crm: ${message}\n  crm notes list DEAL_ID\n`])
    // A dry run needs no server to know.
    if (words.includes('--dry-run'))
      expect((await crm(['notes', ...words.split(' ')], emptyHome())).stderr).toBe(stderr)
  })

  test('a note on a contact is refused in the plan of an import', async ({ service }) => {
    const before = await all(service, '/v1/contacts')
    const folder = mkdtempSync(join(service.env.HOME ?? '', 'notes-'))
    const rows = { 'contact_id,body': 'con_1,Hi', 'contact.email,body': 'a@x.test,Hi' }
    for (const [header, row] of Object.entries(rows)) {
      const file = join(folder, `${header.slice(0, 8)}.csv`)
      writeFileSync(file, `${header}\n${row}\n`)
      const { exit, stderr } = await crm(['notes', 'import', file, '--dry-run'], service.env)
      expect([header, exit]).toEqual([header, 2])
      expect(stderr).toContain('deal_id')
    }
    const file = join(folder, 'n.jsonl')
    const lines = [{ deal_id: 'deal_1', body: 'One' }, { company_id: 'comp_1', body: 'Two' }, { body: 'Three' }]
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { exit, stderr } = await crm(['notes', 'import', file, '--dry-run'], service.env)
    expect(exit).toBe(2)
    expect(stderr).toContain('this server has no notes on companies, expected deal_id')
    expect(stderr).toContain('deal_id is required')
    expect(await all(service, '/v1/contacts')).toEqual(before)
  })

  test('a note on a contact is refused in the plan of fixtures', async ({ service }) => {
    const folder = mkdtempSync(join(service.env.HOME ?? '', 'fixtures-'))
    const file = join(folder, 'note-on-a-contact.yaml')
    const note = '{ deal: "${contacts.ada.id}", body: B }'
    writeFileSync(file, `version: 1\ncontacts:\n  ada: { name: A }\nnotes:\n  n: ${note}\n`)
    for (const verb of ['validate', 'plan', 'apply']) {
      const { exit, stderr } = await crm(['fixtures', verb, file, '--run-id', 'r1'], service.env)
      expect([verb, exit]).toEqual([verb, 2])
      expect(stderr).toContain(':5:')
      expect(stderr).toContain('notes.n is on contacts.ada, expected a deal')
    }
  })

  test('a note of a deal shows the deal, and its plan says on what it is', async ({ service }) => {
    const [id] = await make(service, '/v1/deals', [{ name: 'Big', stage: 'Lead' }])
    const folder = mkdtempSync(join(service.env.HOME ?? '', 'plans-'))
    const [file, plan] = [join(folder, 'n.csv'), join(folder, 'n.plan')]
    writeFileSync(file, `deal.name,body\nBig,Hi\n`)
    expect(await crm(['notes', 'import', file, '--plan', plan], service.env)).toMatchObject({ exit: 0 })
    const { stdout } = await crm(['plan', 'show', plan, '-o', 'json'], service.env)
    expect(JSON.parse(stdout)).toMatchObject([{ parent: id, on: 'deals', fields: { body: 'Hi' } }])
  })
})
