import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { applied, counts, demo, demoText } from '../harness/fixtures-demo.ts'
import { freePort } from '../harness/free-port.ts'
import { emptyHome } from '../harness/home.ts'
import { serve } from '../harness/service.ts'
import { startCrm } from './crm.ts'
import { listen, logOf } from './listening.ts'

test('destroyed after it was killed, an apply does not send its rest', async () => {
  const { env, file } = await demo('version: 1\ncontacts: { c: { $count: 4000, email: "c${i}@x.test" } }\n')
  const child = startCrm(['fixtures', 'apply', file, '-q'], env)
  await expect.poll(() => counts(env).then(({ contacts }) => contacts), { timeout: 20_000 }).toBeGreaterThan(0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { contacts } = await counts(env)
  const status = await crm(['fixtures', 'status', file], env)
  expect(status).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('has not ended, and what it made is not listed'),
  })
  const rows: unknown[] = JSON.parse(await crmPrints(['fixtures', 'destroy', file, '-o', 'json'], env))
  // At most one lease may have been under way.
  expect(rows.length).toBeGreaterThanOrEqual(contacts)
  expect(rows.length).toBeLessThanOrEqual(contacts + 2 * 256)
  expect(await counts(env)).toEqual({ contacts: 0, deals: 0 })
})

test('a destroy after a killed apply creates no deals, and those that may exist are in doubt', async () => {
  const { env, file } = await demo('version: 1\ndeals: { d: { $count: 3000, name: "D${i}", stage: Lead } }\n')
  const child = startCrm(['fixtures', 'apply', file, '-q'], env)
  await expect.poll(() => counts(env).then(({ deals }) => deals), { timeout: 20_000 }).toBeGreaterThan(0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  // The service answers the requests it holds after their client is gone.
  await delay(500)
  const { deals } = await counts(env)
  const { exit, stdout, stderr } = await crm(['fixtures', 'destroy', file, '-o', 'json'], env)
  const rows: { action: string }[] = JSON.parse(stdout)
  const inDoubt = rows.filter(({ action }) => action === 'in_doubt').length
  const left = (await counts(env)).deals
  expect({ exit, deleted: rows.length - inDoubt }).toEqual({ exit: inDoubt > 0 ? 3 : 0, deleted: deals - left })
  expect(left).toBeLessThanOrEqual(inDoubt)
  if (inDoubt > 0) expect(stderr).toContain('Records in doubt')
})

test('killed at any moment, apply continues, and ends as one clean run does', async () => {
  const { env, file } = await demo(demoText(30, 20))
  for (let kill = 0; kill < 12; kill++) {
    const child = startCrm(['fixtures', 'apply', file], env)
    const ended = once(child, 'exit')
    await Promise.race([delay(120 + kill * 45), ended])
    child.kill('SIGKILL')
    await ended
  }
  const last = await applied(file, env)
  expect(await counts(env)).toEqual({ contacts: 31, deals: 21 })
  expect(new Set([...last.values()].map(({ id }) => id)).size).toBe(72)
  const notes = await crmPrints(['notes', 'list', last.get('deals.small[7]')?.id ?? '', '-o', 'json'], env)
  expect(JSON.parse(notes)).toMatchObject([{ body: `About ${last.get('contacts.crowd[7]')?.id}` }])
})

test('killed again and again while a service sends, it loses no event, and marks duplicates', async () => {
  const home = emptyHome()
  await serve(['--database', ':memory:', '--retry-schedule', `0,${Array(200).fill('100ms').join(',')}`], home)
  const port = String(await freePort())
  await (await listen(['--port', port], home)).stop()
  const making = Array.from({ length: 4 }, async (_, worker) => {
    const ids: string[] = []
    for (let at = 0; at < 6; at++) {
      ids.push((await crmPrints(['contacts', 'create', '--set', `name=${worker}-${at}`, '-o', 'id'], home)).trim())
    }
    return ids
  })
  const isMade = Promise.all(making).then(() => true)
  for (let isOver = false; !isOver; ) {
    const { next, stop } = await listen(['--port', port], home)
    isOver = await Promise.race([isMade, next().then(() => false)])
    if (!isOver) await stop('SIGKILL')
    else await stop()
  }
  const made = (await Promise.all(making)).flat().toSorted()
  const last = await listen(['--port', port], home)
  const known = () => new Set(logOf(home.HOME).map((line) => line.record_id))
  await expect.poll(() => known().size, { timeout: 15_000 }).toBe(made.length)
  await last.stop()
  expect([...known()].toSorted()).toEqual(made)
  const firsts = logOf(home.HOME).filter(({ duplicate }) => duplicate === false)
  expect(firsts.map(({ record_id }) => record_id).toSorted()).toEqual(made)
})
