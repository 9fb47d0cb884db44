import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints, startRun } from '../harness/crm.ts'
import { startProxy } from '../harness/proxy.ts'
import { ends, ids, RECORDS, type Row, team } from './fixtures-machines.ts'

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
  expect(stderr).toContain('the lock of fixtures/~/demo.yaml/pr-1 is held by ci-runner-7')
  expect(await left()).toEqual([0, 0])
  expect(await rows('status')).toEqual([])
  const waiting = crm(line('apply', 'pr-1'), env)
  await service.send('DELETE', `/v1/fixture-runs/${id}/lock?token=other`)
  expect(await waiting).toMatchObject({ exit: 0 })
})

/** An apply that ends after so many deals, and cannot write what it made into the state, as one that is killed. */
async function broken() {
  let aheadMs = 0
  let deals = 0
  let interrupt = () => {}
  let isCut = false
  const group = await team({
    now: () => Date.now() + aheadMs,
    onAnswered: ({ method, route }) => {
      if (method === 'POST' && route === '/v1/deals' && ++deals === 2) interrupt()
    },
  })
  const url = await startProxy(group.service.url, (_, path) =>
    isCut && path.startsWith('/v1/fixture-runs') ? 403 : undefined,
  )
  const { line, env } = group.machine(url)
  const running = startRun(line('apply', 'pr-1'), env)
  interrupt = () => {
    isCut = true
    running.interrupt('SIGINT')
  }
  expect(await running.exit).toBe(130)
  isCut = false
  expect(running.written.stderr).toMatch(
    /The lock was not given up: .* expires in (29|30) s; other machines wait for it/,
  )
  const [contacts, made = 0] = await group.left()
  expect(contacts).toBe(6)
  expect(made).toBeGreaterThan(1)
  expect(running.written.stderr).toContain(`${made} were made that the state lacks`)
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
  expect(JSON.parse(trial.stdout)).toEqual([{ run: 'fixtures/~/demo.yaml/old', record: '', id: '', action: 'old' }])
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
  expect(JSON.parse(swept.stdout)).toMatchObject([{ run: 'fixtures/~/demo.yaml/pr-1', action: 'locked' }])
  expect(await left()).toEqual([6, 4])
})
