import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ServerOptions } from '../../src/service/server.ts'
import { crm, crmPrints, startRun } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'

const DEMO = `version: 1
contacts:
  ann: { name: Ann, email: "ann-\${run.id}@x.test" }
  crowd: { $count: 5, name: "Crowd \${i}", email: "u\${i}-\${run.id}@x.test" }
deals:
  big: { $count: 4, name: Big, stage: Lead, amount: 10.5, owner_id: "\${contacts.ann.id}" }
notes:
  call: { $count: 4, deal: "\${deals.big[i].id}", body: Called }
`

const RECORDS = 14

type Row = Readonly<Record<string, string>>

/** A service, and machines that share nothing but it and the text of a file. */
async function team(options: Partial<ServerOptions> = {}) {
  const service = await serveForTest(options)
  const machine = () => {
    const env = emptyHome({
      CRM_BASE_URL: service.url,
      CRM_API_KEY: service.key.text,
      CRM_CONFIG_HOME: tempFolder(),
      CRM_STATE_HOME: tempFolder(),
    })
    const file = join(env.HOME, 'demo.yaml')
    writeFileSync(file, DEMO)
    const line = (verb: string, run: string) => ['fixtures', verb, file, '--run-id', run, '-o', 'json']
    const rows = async (verb: string, run = 'pr-1'): Promise<Row[]> => JSON.parse(await crmPrints(line(verb, run), env))
    return { env, line, rows, run: (verb: string, run = 'pr-1') => crm(line(verb, run), env) }
  }
  const left = async () => {
    const counts = []
    for (const path of ['contacts', 'deals'])
      counts.push(((await service.send('GET', `/v1/${path}`)).json.data as Row[]).length)
    return counts
  }
  return { service, machine, left }
}

const ends = (rows: readonly Row[], member: string) => [...new Set(rows.map((row) => row[member]))]

const ids = (rows: readonly Row[]) => rows.map(({ record, id }) => `${record} ${id}`).toSorted()

test('a run is known on every machine: its status, the next apply, and its end, which removes nothing of another run', async () => {
  const { machine, left, service } = await team()
  const [one, two] = [machine(), machine()]
  await service.send('POST', '/v1/contacts', { name: 'Ann', email: 'ann@x.test' })
  const made = await one.rows('apply')
  await one.rows('apply', 'pr-2')
  expect(ids(await two.rows('status'))).toEqual(ids(made))
  const again = await two.rows('apply')
  expect(ends(again, 'action')).toEqual(['unchanged'])
  expect(ids(again)).toEqual(ids(made))
  expect(ends(await two.rows('destroy'), 'action')).toEqual(['deleted'])
  expect(await left()).toEqual([7, 4])
  expect(await one.rows('status')).toEqual([])
  expect(ends(await one.rows('apply'), 'action')).toEqual(['created'])
  expect(ends(await one.rows('status', 'pr-2'), 'state')).toEqual(['there', 'unverified'])
})

test('while another machine holds the lock, apply waits, then fails with its name; status still reads', async () => {
  const { machine, service, left } = await team()
  const { line, env, rows } = machine()
  await rows('apply')
  await rows('destroy')
  const [{ id } = {}] = (await service.send('GET', '/v1/fixture-runs')).json.data as Row[]
  const lock = { token: 'other', name: 'x', owner: 'ci-runner-7', ttl_seconds: 60 }
  expect((await service.send('POST', `/v1/fixture-runs/${id}/lock`, lock)).status).toBe(200)
  const { exit, stderr } = await crm([...line('apply', 'pr-1'), '--max-wait', '600ms'], env)
  expect(exit).toBe(7)
  expect(stderr).toContain('Waiting for ci-runner-7')
  expect(stderr).toContain('the lock of fixtures/demo.yaml/pr-1 is held by ci-runner-7')
  expect(await left()).toEqual([0, 0])
  expect(await rows('status')).toEqual([])
  const waiting = crm(line('apply', 'pr-1'), env)
  await service.send('DELETE', `/v1/fixture-runs/${id}/lock?token=other`)
  expect(await waiting).toMatchObject({ exit: 0 })
})

/** An apply that ends after so many deals, without writing what it made into the state, as one that is killed. */
async function broken() {
  let aheadMs = 0
  let deals = 0
  let interrupt = () => {}
  const group = await team({
    now: () => Date.now() + aheadMs,
    onAnswered: ({ method, route }) => {
      if (method === 'POST' && route === '/v1/deals' && ++deals === 2) interrupt()
    },
  })
  const { line, env } = group.machine()
  const running = startRun(line('apply', 'pr-1'), env)
  interrupt = () => running.interrupt('SIGINT')
  expect(await running.exit).toBe(130)
  const [contacts, made = 0] = await group.left()
  expect(contacts).toBe(6)
  expect(made).toBeGreaterThan(1)
  return { ...group, line, env, passTime: () => (aheadMs += 31_000) }
}

test('what an apply made that was killed on one machine, the destroy of another deletes, and nothing is left', async () => {
  const { machine, left, passTime } = await broken()
  passTime()
  const { exit, stdout, stderr } = await machine().run('destroy')
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('deleted; run pr-1.') })
  expect(ends(JSON.parse(stdout), 'action')).toEqual(['deleted'])
  expect(await left()).toEqual([0, 0])
})

test('an apply that was killed on one machine is completed on another, and no record is made twice', async () => {
  const { machine, left, passTime } = await broken()
  passTime()
  expect(await machine().rows('apply')).toHaveLength(RECORDS)
  expect(await left()).toEqual([6, 4])
  expect(ends(await machine().rows('destroy'), 'action')).toEqual(['deleted'])
  expect(await left()).toEqual([0, 0])
})

test('the machine of an apply that was killed goes on at once, without waiting for its own lock', async () => {
  const { line, env, left } = await broken()
  const { exit, stderr } = await crm([...line('apply', 'pr-1'), '--max-wait', '1s'], env)
  expect({ exit, stderr }).toMatchObject({ exit: 0 })
  expect(await left()).toEqual([6, 4])
})

test('the run local of a person stays on the machine, as others have a run of that name', async () => {
  const { machine, left, service } = await team()
  const { env } = machine()
  await crmPrints(['fixtures', 'apply', join(env.HOME, 'demo.yaml')], env)
  expect((await service.send('GET', '/v1/fixture-runs')).json.data).toEqual([])
  const other = machine().env
  expect(await crm(['fixtures', 'destroy', join(other.HOME, 'demo.yaml')], other)).toMatchObject({ exit: 3 })
  expect(await left()).toEqual([6, 4])
})

const HOUR_MS = 60 * 60 * 1000

test('sweep deletes the records of old runs alone, says how many before, and needs --yes', async () => {
  let aheadMs = -20 * HOUR_MS
  const { machine, left, service } = await team({ now: () => Date.now() + aheadMs })
  const [one, two] = [machine(), machine()]
  await service.send('POST', '/v1/contacts', { name: 'Ann', email: 'ann@x.test' })
  await one.rows('apply', 'old')
  await one.rows('apply', 'ended')
  const destroyed = await one.rows('destroy', 'ended')
  expect(ends(destroyed, 'action')).toEqual(['deleted'])
  expect(await left()).toEqual([7, 4])
  aheadMs = 0
  await one.rows('apply', 'new')
  const line = ['fixtures', 'sweep', '--older-than', '10h', '-o', 'json']
  const refused = await crm(line, two.env)
  expect(refused).toMatchObject({ exit: 11, stderr: expect.stringContaining('delete 14 records of 1 run') })
  const trial = await crm([...line, '--dry-run'], two.env)
  expect(JSON.parse(trial.stdout)).toEqual([{ run: 'fixtures/demo.yaml/old', record: '', id: '', action: 'old' }])
  expect(await left()).toEqual([13, 8])
  const { exit, stdout } = await crm([...line, '--yes'], two.env)
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toHaveLength(RECORDS)
  expect(ends(JSON.parse(stdout), 'action')).toEqual(['deleted'])
  expect(await left()).toEqual([7, 4])
  expect(await crm([...line, '--yes'], two.env)).toMatchObject({ exit: 0, stdout: '[]\n' })
})

test('sweep leaves a run alone that another process holds, and is exit 3', async () => {
  const { machine, left, service } = await team({ now: () => Date.now() - 20 * HOUR_MS })
  const { env, rows } = machine()
  await rows('apply')
  const [{ id } = {}] = (await service.send('GET', '/v1/fixture-runs')).json.data as Row[]
  await service.send('POST', `/v1/fixture-runs/${id}/lock`, { token: 'o', name: 'x', owner: 'ci', ttl_seconds: 60 })
  const swept = await crm(['fixtures', 'sweep', '--older-than', '10h', '--yes', '-o', 'json'], env)
  expect(swept.exit).toBe(3)
  expect(JSON.parse(swept.stdout)).toMatchObject([{ run: 'fixtures/demo.yaml/pr-1', action: 'locked' }])
  expect(await left()).toEqual([6, 4])
})
