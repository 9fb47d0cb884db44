import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crm as runCrm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { countRequests } from '../harness/request-counter.ts'
import { serveForTest } from '../service/serve-for-test.ts'

const DOCUMENTS = /openapi|swagger|graphql/

/** A service without a profile, as this connector describes it. */
async function serviceHome(connector = 'crm') {
  const service = await serveForTest()
  const { url, requests } = await countRequests(service.url)
  const folder = tempFolder()
  const env = emptyHome({
    CRM_BASE_URL: url,
    CRM_API_KEY: service.key.text,
    CRM_STATE_HOME: join(folder, 'state'),
    CRM_CONNECTOR: connector,
  })
  const crm = (...argv: readonly string[]) => runCrm(argv, env)
  const json = async (...argv: readonly string[]) => {
    const { exit, stdout, stderr } = await crm(...argv, '-o', 'json')
    expect(exit, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const asked = () => requests.filter((line) => DOCUMENTS.test(line)).length
  return { service, requests, crm, json, file, asked, env }
}

describe('crm deals delete', () => {
  test('deletes by id, and reads no document around it', async () => {
    const { json, asked } = await serviceHome()
    const one = await json('deals', 'create', '--set', 'name=A', '--set', 'stage=Lead')
    const two = await json('deals', 'create', '--set', 'name=B', '--set', 'stage=Lead')
    expect(await json('deals', 'delete', one.id, two.id, '--yes', '--expect', '2')).toEqual([
      { id: one.id, outcome: 'done' },
      { id: two.id, outcome: 'done' },
    ])
    expect(asked()).toBe(0)
    expect(await json('deals', 'list')).toEqual([])
  })

  test('deletes the selected ones in a job, whose undo creates them again', async () => {
    const { json, file } = await serviceHome()
    await json('deals', 'import', file('deals.csv', 'name,stage,amount\nA,Lead,1\nB,Lost,2\n'))
    const { job } = await json('deals', 'delete', '--where', '.stage == "Lost"', '--yes', '--expect', '1')
    expect(await json('deals', 'list')).toMatchObject([{ name: 'A' }])
    expect(await json('jobs', 'undo', job, '--yes')).toMatchObject({ done: 1 })
    expect((await json('deals', 'list'))[0]).toMatchObject({ name: 'B', stage: 'Lost', amount: 2 })
  })

  test('deletes those of a file, found by a field', async () => {
    const { json, file } = await serviceHome()
    await json('deals', 'import', file('deals.csv', 'name,stage\nA,Lead\nB,Lost\n'))
    const gone = file('gone.csv', 'name\nB\n')
    expect(await json('deals', 'delete', '--from', gone, '--match', 'name', '--yes', '--expect', '1')).toMatchObject({
      done: 1,
    })
    expect(await json('deals', 'list')).toMatchObject([{ name: 'A' }])
  })

  test.each([
    [['deals', 'delete', 'deal_1', '--yes']],
    [['deals', 'delete', 'deal_1', '--dry-run']],
    [['deals', 'delete', '--where', '.stage == "Lead"', '--yes', '--expect', '1']],
    [['deals', 'delete', '--from', 'FILE', '--match', 'name', '--yes', '--expect', '1']],
  ])('is exit 7 and one sentence where the connector has no such request: %j', async (argv) => {
    const { crm, json, file } = await serviceHome('contract')
    await json('deals', 'create', '--set', 'name=A', '--set', 'stage=Lead')
    const rows = file('rows.csv', 'name\nA\n')
    const { exit, stderr } = await crm(...argv.map((word) => (word === 'FILE' ? rows : word)))
    expect(exit).toBe(7)
    expect(stderr).toContain('contract (connector) has no delete of deals')
    expect(await json('deals', 'list')).toHaveLength(1)
  })

  test('asks for confirmation', async () => {
    const { crm } = await serviceHome()
    expect(await crm('deals', 'delete', 'deal_1')).toMatchObject({ exit: 11 })
  })
})

describe('notes', () => {
  test('are listed and deleted by id', async () => {
    const { json, requests } = await serviceHome()
    const deal = await json('deals', 'create', '--set', 'name=A', '--set', 'stage=Lead')
    const note = await json('notes', 'add', deal.id, '--body', 'Call back')
    expect(await json('notes', 'list', deal.id)).toEqual([note])
    expect(requests.filter((line) => line.startsWith(`GET /v1/deals/${deal.id}/notes`))).toHaveLength(1)
    expect(await json('notes', 'delete', note.id, '--yes')).toEqual([{ id: note.id, outcome: 'done' }])
    expect(await json('notes', 'list', deal.id)).toEqual([])
  })
})

describe('webhooks', () => {
  test('are listed, shown, changed, tested and deleted', async () => {
    const { json, crm } = await serviceHome()
    const made = await json('webhooks', 'create', '--url', 'http://127.0.0.1:1/hook', '--events', 'deal.*')
    const { secret, ...shown } = made
    expect(secret).toBeDefined()
    expect(await json('webhooks', 'list')).toEqual([shown])
    expect(await json('webhooks', 'get', made.id)).toEqual(shown)
    const changed = await json(
      'webhooks',
      'update',
      made.id,
      '--events',
      'note.created, contact.*',
      '--status',
      'disabled',
    )
    expect(changed).toMatchObject({ id: made.id, events: ['note.created', 'contact.*'], status: 'disabled' })
    await json('webhooks', 'update', made.id, '--status', 'enabled')
    expect(await json('webhooks', 'test', made.id)).toMatchObject({ type: 'webhook.test', webhook_id: made.id })
    expect(await json('webhooks', 'delete', made.id, '--yes')).toEqual([{ id: made.id, outcome: 'done' }])
    expect(await crm('webhooks', 'get', made.id)).toMatchObject({ exit: 6 })
  })

  test('update without a change is a misuse, and --dry-run sends nothing', async () => {
    const { crm, json } = await serviceHome()
    expect(await crm('webhooks', 'update', 'wh_1')).toMatchObject({ exit: 2 })
    expect(await json('webhooks', 'update', 'wh_1', '--description', '', '--dry-run')).toEqual({
      dry_run: true,
      method: 'PATCH',
      path: '/v1/webhooks/wh_1',
      body: { description: null },
    })
  })

  test.each([['update', '--status', 'disabled'], ['test'], ['delete', '--yes']])(
    '%s is exit 7 where the connector has no such request',
    async (verb, ...more) => {
      const { crm } = await serviceHome('contract')
      const { exit, stderr } = await crm('webhooks', verb, 'wh_1', ...more)
      expect(exit).toBe(7)
      expect(stderr).toMatch(/contract \(connector\) has no (update|test|delete) of webhooks/)
    },
  )
})

test('a deal is changed by id, and by what it matches', async () => {
  const { json } = await serviceHome()
  const { id } = await json('deals', 'create', '--set', 'name=A', '--set', 'stage=Lead')
  expect(await json('deals', 'update', id, '--set', 'stage=Won')).toMatchObject({ id, stage: 'Won' })
  expect(await json('deals', 'update', '--where', '.stage == "Won"', '--set', 'amount:=5', '--yes')).toMatchObject({
    done: 1,
  })
  expect(await json('deals', 'get', id)).toMatchObject({ stage: 'Won', amount: 5 })
})

describe('crm jobs undo', () => {
  test('deletes the deals that an import created, and creates them again when it is undone', async () => {
    const { json, crm, file } = await serviceHome()
    const planned = await crm('deals', 'import', file('deals.csv', 'name,stage\nA,Lead\nB,Lost\n'), '-o', 'json')
    expect(planned.stderr).not.toContain('cannot be undone')
    const { job } = JSON.parse(planned.stdout)
    const undo = await json('jobs', 'undo', job, '--yes', '--expect', '2')
    expect(undo).toMatchObject({ done: 2 })
    expect(await json('deals', 'list')).toEqual([])
    await json('jobs', 'undo', undo.job, '--yes')
    const names = (await json('deals', 'list')).map(({ name }: { name: string }) => name)
    expect(names.toSorted()).toEqual(['A', 'B'])
  })

  test('leaves a deal that was changed since', async () => {
    const { json, crm, file } = await serviceHome()
    const { job } = await json('deals', 'import', file('deals.csv', 'name,stage\nA,Lead\nB,Lost\n'))
    const [deal] = await json('deals', 'list')
    await json('deals', 'update', deal.id, '--set', 'amount:=9')
    expect(await crm('jobs', 'undo', job, '--yes', '--expect', '1')).toMatchObject({ exit: 3 })
    expect(await json('deals', 'list')).toMatchObject([{ id: deal.id, amount: 9 }])
  })

  test('leaves a deal that has notes, which would be deleted with it', async () => {
    const { json, crm, file } = await serviceHome()
    const { job } = await json('deals', 'import', file('deals.csv', 'name,stage\nA,Lead\nB,Lost\n'))
    const [deal] = await json('deals', 'list')
    await json('notes', 'add', deal.id, '--body', 'theirs')
    const undone = await crm('jobs', 'undo', job, '--yes', '--expect', '1')
    expect(undone.exit).toBe(3)
    expect(undone.stderr).toContain('it has notes, which would be deleted with it')
    expect((await json('deals', 'list')).map(({ id }: { id: string }) => id)).toEqual([deal.id])
    expect(await json('notes', 'list', deal.id)).toHaveLength(1)
  })

  test('deletes the notes that an import created, and adds them to their deals again when it is undone', async () => {
    const { json, file } = await serviceHome()
    const one = await json('deals', 'create', '--set', 'name=A', '--set', 'stage=Lead')
    const two = await json('deals', 'create', '--set', 'name=B', '--set', 'stage=Lead')
    const rows = file('notes.csv', `deal_id,body\n${one.id},first\n${two.id},second\n${two.id},third\n`)
    const { job } = await json('notes', 'import', rows)
    const kept = await json('notes', 'add', two.id, '--body', 'theirs')
    const undo = await json('jobs', 'undo', job, '--yes', '--expect', '3')
    expect(undo).toMatchObject({ done: 3 })
    expect(await json('notes', 'list', one.id)).toEqual([])
    expect(await json('notes', 'list', two.id)).toEqual([kept])
    await json('jobs', 'undo', undo.job, '--yes')
    const bodies = async (id: string) => (await json('notes', 'list', id)).map(({ body }: { body: string }) => body)
    expect(await bodies(one.id)).toEqual(['first'])
    expect((await bodies(two.id)).toSorted()).toEqual(['second', 'theirs', 'third'])
  })

  test('of an import of deals is exit 3 and deletes nothing where the server cannot', async () => {
    const { json, crm, file } = await serviceHome('contract')
    const planned = await crm('deals', 'import', file('deals.csv', 'name,stage\nA,Lead\n'), '-o', 'json')
    expect(planned.stderr).toContain('Creates cannot be undone: this server offers no way to delete deals.')
    const { exit, stderr } = await crm('jobs', 'undo', JSON.parse(planned.stdout).job, '--yes')
    expect({ exit, stderr }).toMatchObject({ exit: 3, stderr: expect.stringContaining('there is no way to delete it') })
    expect(await json('deals', 'list')).toHaveLength(1)
  })

  test('of contacts reads no OpenAPI document', async () => {
    const { json, file, asked } = await serviceHome()
    const { job } = await json('contacts', 'import', file('c.csv', 'name\nAda\n'))
    await json('jobs', 'undo', job, '--yes', '--expect', '1')
    expect(asked()).toBe(0)
  })
})

test('fixtures destroy leaves deals and notes where the server cannot delete them', async () => {
  const { json, crm, file } = await serviceHome('contract')
  const path = file('f.yaml', 'version: 1\ndeals:\n  big: { name: Big, stage: Lead }\n')
  await json('fixtures', 'apply', path, '--run-id', 'r1')
  const { exit, stdout, stderr } = await crm('fixtures', 'destroy', path, '--run-id', 'r1', '-o', 'json')
  expect(exit, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([{ record: 'deals.big', action: 'left' }])
  expect(stderr).toContain('this server has no request that deletes them')
})
