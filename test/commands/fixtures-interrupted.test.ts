import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startRun } from '../harness/crm.ts'
import type { Env } from '../harness/home.ts'
import { type Fate, startProxy } from '../harness/proxy.ts'
import { RECORDS, type Row, team } from './fixtures-machines.ts'

const isContact = (method: string, path: string) => method === 'POST' && path === '/v1/contacts'

/** Two machines of a service, the first behind a proxy. */
async function behindProxy(fate: (method: string, path: string) => Fate, aheadMs = () => 0) {
  const group = await team({ now: () => Date.now() + aheadMs() })
  const one = group.machine(await startProxy(group.service.url, fate))
  const lock = async () =>
    ((await group.service.send('GET', '/v1/fixture-runs')).json.data as { lock: unknown }[])[0]?.lock
  return {
    ...group,
    one,
    two: group.machine(),
    lock,
    start: (verb: string) => startRun(one.line(verb, 'pr-1'), one.env),
  }
}

const tokens = ({ env }: { readonly env: Env }) =>
  readdirSync(join(env.CRM_STATE_HOME ?? '', 'fixtures')).filter((name) => name.endsWith('.token'))

test('an interrupted apply gives back the lock, says what is made and what remains, and another machine completes it at once', async () => {
  let count = 0
  let interrupt = () => {}
  const { one, two, lock, left, start } = await behindProxy((method, path) => {
    if (method !== 'POST' || path !== '/v1/deals') return undefined
    if (++count === 1) interrupt()
    return count === 1 ? undefined : 429
  })
  const running = start('apply')
  interrupt = () => running.interrupt('SIGTERM')
  expect(await running.exit).toBe(143)
  const [contacts = 0, deals = 0] = await left()
  const made = contacts + deals
  const message = `interrupted: ${made} of ${RECORDS} records exist, and the state has their ids; ${RECORDS - made} remain`
  const { error } = JSON.parse(running.written.stderr)
  expect(error).toMatchObject({ code: 'interrupted', message, hint: `crm ${one.line('apply', 'pr-1').join(' ')}` })
  expect(await lock()).toBeNull()
  expect(tokens(one)).toEqual([])
  const status = await two.run('status')
  expect(JSON.parse(status.stdout)).toHaveLength(made)
  const goOn = `${made} of ${RECORDS} records exist; go on with: crm ${two.line('apply', 'pr-1').slice(0, -2).join(' ')}`
  expect(status).toMatchObject({ exit: 3, stderr: expect.stringContaining(goOn) })
  expect(await two.rows('apply')).toHaveLength(RECORDS)
  expect(await left()).toEqual([6, 4])
})

test('while an apply goes on after an interruption, status says that it does not list what is made', async () => {
  let onDeal = () => {}
  let held: Promise<void> | undefined
  let count = 0
  const { two, start } = await behindProxy((method, path) => {
    if (method !== 'POST' || path !== '/v1/deals') return undefined
    onDeal()
    return held ?? (++count === 1 ? undefined : 429)
  })
  const first = start('apply')
  onDeal = () => first.interrupt('SIGINT')
  expect(await first.exit).toBe(130)
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  held = promise
  onDeal = begin
  const second = start('apply')
  await begun
  const status = await two.run('status')
  expect(status).toMatchObject({ exit: 3, stderr: expect.stringContaining('what it made is not listed') })
  release()
  expect(await second.exit).toBe(0)
  const after = await two.run('status')
  expect(after.exit).toBe(0)
  expect(after.stderr).not.toContain('has not ended')
})

test('an interrupted destroy gives back the lock, and says how many records are deleted', async () => {
  let interrupt = () => {}
  const { one, lock, left, start } = await behindProxy((method, path) => {
    if (method === 'DELETE' && path.startsWith('/v1/contacts')) interrupt()
    return undefined
  })
  await one.rows('apply')
  const running = start('destroy')
  interrupt = () => running.interrupt('SIGINT')
  expect(await running.exit).toBe(130)
  expect(running.written.stderr).toMatch(
    /interrupted: \d+ of 14 records are deleted; the state has the ids of the others/,
  )
  expect(await lock()).toBeNull()
  await one.rows('destroy')
  expect(await left()).toEqual([0, 0])
  expect(tokens(one)).toEqual([])
})

test('requests without an answer hold an interrupted apply up for a second, and then the lock is left to expire', async () => {
  let interrupt = () => {}
  const { one, two, lock, start } = await behindProxy((method, path) => {
    if (!isContact(method, path)) return undefined
    interrupt()
    return new Promise(() => {})
  })
  const running = start('apply')
  interrupt = () => running.interrupt('SIGINT')
  const startedMs = Date.now()
  expect(await running.exit).toBe(130)
  expect(Date.now() - startedMs).toBeLessThan(5000)
  expect(running.written.stderr).toMatch(
    /no answer yet, so the lock was not given up. The lock of \S+ expires in (28|29) s/,
  )
  expect(await two.run('status')).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('what it made is not listed'),
  })
  expect(await lock()).toMatchObject({ owner: expect.any(String) })
  expect(tokens(one)).toHaveLength(1)
})

test('records whose requests arrive after another machine has taken over are in the state of the run: destroy finds them', async () => {
  let aheadMs = 0
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const fate = (method: string, path: string) => {
    if (!isContact(method, path)) return undefined
    begin()
    return held
  }
  const { one, two, left, start, service } = await behindProxy(fate, () => aheadMs)
  // A service without any entry in its history may keep none.
  await service.send('POST', '/v1/deals', { name: 'Other', stage: 'Lead' })
  const running = start('apply')
  await begun
  aheadMs = 31_000
  await two.rows('destroy')
  release()
  expect(await running.exit).toBe(7)
  expect(await left()).toEqual([6, 1])
  expect(running.written.stderr).toMatch(/6 records that its last requests made are in the state of the run/)
  const shown = `crm ${one.line('status', 'pr-1').slice(0, -2).join(' ')} shows them; destroy deletes them`
  expect(JSON.parse(running.written.stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
    code: 'conflict',
    hint: shown,
  })
  expect(running.written.stderr).not.toMatch(/PATCH|\/v1\//)
  const status: Row[] = await two.rows('status')
  expect(status.map(({ state }) => state)).toEqual(Array(6).fill('there'))
  await two.rows('destroy')
  expect(await left()).toEqual([0, 1])
})
