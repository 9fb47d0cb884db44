import { describe, expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { all, ask, make } from '../harness/records.ts'
import { test } from '../harness/shared-service.ts'

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const STAMPS = { created_at: TIME, updated_at: TIME, version: 1 }

describe('deals', () => {
  test('create puts a deal into the default pipeline, and get finds it', async ({ service }) => {
    const args = ['deals', 'create', '--set', 'name=Engines', '--set', 'stage=Lead', '--set', 'amount:=1200.5']
    const made = await crm([...args, '-o', 'json'], service.env)
    expect(made).toMatchObject({ exit: 0, stderr: '' })
    const deal = JSON.parse(made.stdout)
    const id = expect.stringMatching(/^deal_[0-9a-z]{11}$/)
    expect(deal).toEqual({ id, name: 'Engines', stage: 'Lead', amount: 1200.5, pipeline_id: 'sales', ...STAMPS })
    expect(JSON.parse(await crmPrints(['deals', 'get', deal.id, '-o', 'json'], service.env))).toEqual(deal)
  })

  test('create --dry-run sends nothing', async ({ service }) => {
    const before = await all(service, '/v1/deals')
    const args = ['deals', 'create', '--set', 'name=x', '--set', 'stage=Lead', '--dry-run', '--exit-code']
    const { exit, stderr } = await crm(args, service.env)
    expect({ exit, stderr }).toEqual({ exit: 10, stderr: 'Dry run: nothing was sent.\n' })
    expect(await all(service, '/v1/deals')).toEqual(before)
  })
})

describe('notes', () => {
  test('add puts a note on a deal', async ({ service }) => {
    const [dealId = ''] = await make(service, '/v1/deals', [{ name: 'x', stage: 'Lead' }])
    const { exit, stdout, stderr } = await crm(
      ['notes', 'add', dealId, '--body', 'Called: "yes"', '-o', 'json'],
      service.env,
    )
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    const id = expect.stringMatching(/^note_[0-9a-z]{11}$/)
    expect(JSON.parse(stdout)).toEqual({ id, deal_id: dealId, body: 'Called: "yes"', ...STAMPS })
  })

  test('add --dry-run shows the path and the body', async ({ service }) => {
    const args = ['notes', 'add', 'deal_x', '--body', 'hi', '--dry-run', '-o', 'json']
    expect(JSON.parse(await crmPrints(args, service.env))).toEqual({
      dry_run: true,
      method: 'POST',
      path: '/v1/deals/deal_x/notes',
      body: { body: 'hi' },
    })
  })
})

describe('pipelines', () => {
  test('stages lists the stages of the default pipeline in order', async ({ service }) => {
    const args = ['pipelines', 'stages', 'sales', '--fields', 'name,position,probability']
    expect(await crm(args, service.env)).toEqual({
      exit: 0,
      stdout: [
        'NAME         POSITION  PROBABILITY',
        'Lead                1          0.1',
        'Qualified           2         0.25',
        'Proposal            3          0.5',
        'Negotiation         4         0.75',
        'Won                 5            1',
        'Lost                6            0',
        '',
      ].join('\n'),
      stderr: '',
    })
    expect(await crmPrints(['pipelines', 'stages', 'sales', '-o', 'id'], service.env)).toMatch(/^sales\.lead\n/)
  })
})

describe('webhooks', () => {
  test('create shows the secret once and says that it will not be shown again', async ({ service }) => {
    const args = ['webhooks', 'create', '--url', 'http://127.0.0.1:1/hook', '--events', 'deal.*,contact.created']
    const { exit, stdout, stderr } = await crm([...args, '--description', 'mine', '-o', 'json'], service.env)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'Keep the secret: the server does not show it again.\n' })
    const hook = JSON.parse(stdout)
    expect(hook).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-z]{11}$/),
      url: 'http://127.0.0.1:1/hook',
      events: ['deal.*', 'contact.created'],
      description: 'mine',
      status: 'enabled',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      ...STAMPS,
    })
    const listed = await ask(service, { path: '/v1/webhooks' })
    expect(JSON.stringify(listed.body)).not.toContain(hook.secret)
  })
})
