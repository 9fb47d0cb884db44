import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { newDatabase } from '../../harness/database.ts'
import { tempFolder } from '../../harness/home.ts'
import { all, make } from '../../harness/records.ts'
import { type Service, startService } from '../../harness/service.ts'
import { crm, crmPrints, startCrm } from '../crm.ts'
import { startService as startServed } from '../service.ts'
import { holdWrites } from './holding-proxy.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

const EACH = 30

const WORDS = ['reassign', '--from', 'u_anna', '--to', 'u_bernd', '--yes', '-o', 'json']

async function owned(service: Service): Promise<readonly (readonly [unknown, unknown])[]> {
  const records = [...(await all(service, '/v1/contacts')), ...(await all(service, '/v1/deals'))]
  return records.map(({ owner_id: owner, version }) => [owner, version])
}

// In the first job, at the first row of the second, and in the second.
test.each([
  [10, 'resume'],
  [10, 'same'],
  [EACH + 1, 'resume'],
  [EACH + 15, 'same'],
] as const)(
  'a kill after %i rows leaves a rest that %s sends, each row once, and one undo takes all back',
  async (rows, how) => {
    const service = await startService(['--rate-limit', 'none'])
    const env = { ...service.env, CRM_STATE_HOME: tempFolder() }
    const of = (owner_id: string, at: number) => ({ name: `R${at}`, owner_id })
    const [people, deals] = [0, 1].map((kind) =>
      Array.from({ length: EACH + 1 }, (_, at) => ({
        ...of(at < EACH ? 'u_anna' : 'u_bernd', at),
        ...(kind === 1 && { stage: 'Lead', amount: at }),
      })),
    )
    await make(service, '/v1/contacts', people ?? [])
    await make(service, '/v1/deals', deals ?? [])
    const proxy = await holdWrites(service.url, rows)
    const held = { ...env, CRM_BASE_URL: proxy.url }
    const child = startCrm(WORDS, held)
    await proxy.firstWrite
    child.kill('SIGKILL')
    expect((await child.done).exit).toBe('SIGKILL')
    proxy.release()
    await proxy.settled()
    const moved = (await owned(service)).filter(([owner]) => owner === 'u_bernd')
    expect(moved.length).toBeGreaterThanOrEqual(rows)
    expect(moved.length).toBeLessThan(2 * EACH + 2)

    const [last = '', first = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], held)).split('\n')
    const more = await crm([...(how === 'same' ? WORDS : ['jobs', 'resume', last, '-o', 'json'])], held)
    expect(more.exit, more.stderr).toBe(0)
    expect(JSON.parse(more.stdout)).toMatchObject([
      { object: 'contacts', job: first, rows: EACH, done: EACH },
      { object: 'deals', job: last, rows: EACH, done: EACH },
    ])
    const counts = Map.groupBy(await owned(service), ([owner, version]) => `${owner} ${version}`)
    expect([...counts].map(([what, records]) => [what, records.length]).sort()).toEqual([
      ['u_bernd 1', 2],
      ['u_bernd 2', 2 * EACH],
    ])
    await crmPrints(['jobs', 'undo', first, '--yes'], held)
    expect((await owned(service)).filter(([owner]) => owner === 'u_anna')).toHaveLength(2 * EACH)
  },
)

test('the records of objects that users described are reassigned too, and their undo is part of the one', async () => {
  const folder = tempFolder()
  const file = join(folder, 'objects.yaml')
  writeFileSync(file, 'objects:\n  machines:\n    fields: { serial: { unique: true }, owner_id: {} }\n')
  const service = await startServed(['--database', await newDatabase(), '--objects', file])
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  await make(service, '/v1/contacts', [{ name: 'Ada', owner_id: 'u_anna' }])
  await make(service, '/v1/machines', [{ serial: 'S1', owner_id: 'u_anna' }])
  const machines = async () => (await all(service, '/v1/machines')).map(({ owner_id: owner }) => owner)
  expect(
    await crmPrints(['report', 'owners', '--of', 'u_anna', '-o', 'csv', '--fields', 'object,open'], env),
  ).toContain('machines,1')
  const words = ['reassign', '--from', 'u_anna', '--to', 'u_new', '--to-new', '--yes', '-o', 'json']
  const sent = JSON.parse(await crmPrints(words, env))
  expect(sent).toMatchObject([
    { object: 'contacts', done: 1 },
    { object: 'machines', done: 1 },
  ])
  expect(await machines()).toEqual(['u_new'])
  await crmPrints(['jobs', 'undo', sent[0].job, '--yes'], env)
  expect(await machines()).toEqual(['u_anna'])
})
