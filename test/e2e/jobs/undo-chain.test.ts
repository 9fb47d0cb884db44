import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { onlyJob, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { all, make } from '../../harness/records.ts'
import type { Service } from '../../harness/service.ts'
import { startService } from '../../harness/service.ts'
import { crm, startCrm } from '../crm.ts'
import { holdWrites } from './holding-proxy.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

const CLOCK = new URL('../../torture/clock-preload.ts', import.meta.url).href
/** Longer than a request may live. */
const LATER = { NODE_OPTIONS: `--import=${CLOCK}`, TORTURE_CLOCK_SHIFT_MS: '300000' }

async function start() {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const lastJob = async () => (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')[0] ?? ''
  return { folder, service, env, lastJob }
}

async function companies(service: Service): Promise<unknown[]> {
  return (await all(service, '/v1/contacts')).map(({ company }) => company ?? null)
}

/** A change of sixty contacts, killed while its writes are held, and then let through: some of it is in doubt. */
async function killedUpdate() {
  const { folder, service, env } = await start()
  await make(
    service,
    '/v1/contacts',
    somePeople(60).map((person) => ({ ...person })),
  )
  const proxy = await holdWrites(service.url, 20)
  const held = { ...env, CRM_BASE_URL: proxy.url }
  const words = ['contacts', 'update', '--where', 'true', '--set', 'company=New', '--yes', '--expect', '60']
  const child = startCrm(words, held)
  await proxy.firstWrite
  child.kill('SIGKILL')
  await child.done
  proxy.release()
  await proxy.settled()
  const job = onlyJob(join(folder, 'state'))
  const { in_doubt: doubt } = JSON.parse(await crmPrints(['jobs', 'cancel', job, '-o', 'json'], held))
  expect(doubt).toBeGreaterThan(0)
  return { service, env: held, job, doubt }
}

describe('an update that was cancelled with rows in doubt', () => {
  test('is undone whole: the records say which of them were written', async () => {
    const { service, env, job } = await killedUpdate()
    const written = (await companies(service)).filter((company) => company === 'New').length
    const undone = await runJob(['jobs', 'undo', job, '--yes'], { ...env, ...LATER }, crm)
    expect(undone).toMatchObject({ exit: 0, account: { done: written, failed: 0, in_doubt: 0 } })
    expect(new Set(await companies(service))).toEqual(new Set([null]))
    expect(JSON.parse(await crmPrints(['jobs', 'show', job, '-o', 'json'], env)).undone_by).toMatch(/^job_/)
  })

  test('is checked only when no request of it can still be in progress', async () => {
    const { env, job } = await killedUpdate()
    const child = startCrm(['jobs', 'undo', job, '--yes'], env)
    let said = ''
    const waiting = new Promise<void>((resolve) => {
      child.stderr.on('data', (text) => {
        said += text
        if (said.includes('may still be in progress')) resolve()
      })
    })
    await waiting
    child.kill('SIGINT')
    expect((await child.done).exit).toBe(130)
    expect((await crmPrints(['jobs', 'list', '-o', 'id'], env)).trim()).toBe(job)
  })
})

describe('import, correct, undo, import again', () => {
  test('imports the correction again, and says which job was undone by which', async () => {
    const { folder, service, env, lastJob } = await start()
    const people = somePeople(3)
    const old = people.with(1, { email: 'p1@example.test', name: 'Person 1', company: 'Old' })
    const corrected = people.with(1, { email: 'p1@example.test', name: 'Person 1', company: 'New' })
    await runJob(['contacts', 'import', writePeople(folder, old), '--yes'], env)
    const file = writePeople(folder, corrected)
    await runJob(['contacts', 'import', file, '--yes'], env)
    const correction = await lastJob()
    await runJob(['jobs', 'undo', correction, '--yes'], env)
    const undo = await lastJob()
    expect(await companies(service)).toContain('Old')

    const again = await runJob(['contacts', 'import', file, '--yes'], env)
    expect(again).toMatchObject({ exit: 0, account: { rows: 3, done: 1, skipped: 2 } })
    expect(again.stderr).toContain(`${correction} was undone by ${undo}; the rows that this reverted are sent again.`)
    expect((await companies(service)).sort()).toEqual(['New', null, null])
    const skipped = await crmPrints(['jobs', 'failed', await lastJob(), '--skipped', '-o', 'json'], env)
    expect(JSON.parse(skipped)).toMatchObject([
      { line: 2, code: 'done_before', id: expect.stringMatching(/^con_/) },
      { line: 4, code: 'done_before' },
    ])
    const listed = JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))
    expect(listed.find(({ id }: { id: string }) => id === correction)).toMatchObject({ undone_by: undo })
  })

  test('after an undo and its own undo nothing is created again, and the job counts as done', async () => {
    const { folder, service, env, lastJob } = await start()
    const file = writePeople(folder, somePeople(3))
    await runJob(['contacts', 'import', file, '--yes'], env)
    const first = await lastJob()
    await runJob(['jobs', 'undo', first, '--yes', '--expect', '3'], env)
    await runJob(['jobs', 'undo', await lastJob(), '--yes'], env)
    const again = await runJob(['contacts', 'import', file, '--yes'], env)
    expect(again.stderr).toContain(`${first} has already done this`)
    writePeople(folder, [...somePeople(3), { email: 'new@example.test', name: 'New' }])
    expect(await runJob(['contacts', 'import', file, '--yes'], env)).toMatchObject({ account: { done: 1, skipped: 3 } })
    expect(await companies(service)).toHaveLength(4)
    // What is there now has other ids, which the undo of the undo knows.
    const last = await runJob(['jobs', 'undo', first, '--yes', '--expect', '3'], env)
    expect(last).toMatchObject({ exit: 0, account: { done: 3 } })
    expect(await companies(service)).toHaveLength(1)
  })

  test('after an undo and a second import a third one finds the records of the second', async () => {
    const { folder, service, env, lastJob } = await start()
    const file = writePeople(folder, somePeople(3))
    await runJob(['contacts', 'import', file, '--yes'], env)
    await runJob(['jobs', 'undo', await lastJob(), '--yes', '--expect', '3'], env)
    expect(await runJob(['contacts', 'import', file, '--yes'], env)).toMatchObject({ account: { done: 3 } })
    writePeople(folder, [...somePeople(3), { email: 'new@example.test', name: 'New' }])
    expect(await runJob(['contacts', 'import', file, '--yes'], env)).toMatchObject({ account: { done: 1, skipped: 3 } })
    expect(await companies(service)).toHaveLength(4)
  })
})

test('a matched import whose change was undone is sent again under a new key', async () => {
  const { folder, service, env, lastJob } = await start()
  await make(
    service,
    '/v1/contacts',
    somePeople(2).map((person) => ({ ...person })),
  )
  const file = writePeople(
    folder,
    somePeople(2).map((person) => ({ ...person, company: 'New' })),
  )
  const words = ['contacts', 'import', file, '--match', 'email', '--yes']
  await runJob(words, env)
  await runJob(['jobs', 'undo', await lastJob(), '--yes'], env)
  expect(await companies(service)).toEqual([null, null])
  expect(await runJob(words, env)).toMatchObject({ exit: 0, account: { done: 2 } })
  expect(await companies(service)).toEqual(['New', 'New'])
})
