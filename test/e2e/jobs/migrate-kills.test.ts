import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startHubSpot } from '../../connectors/emulators/hubspot.ts'
import { type Env, emptyHome } from '../../harness/home.ts'
import { ask } from '../../harness/records.ts'
import { type Service, startService } from '../../harness/service.ts'
import { crm, crmPrints, startCrm } from '../crm.ts'

const COMPANIES = 200
/** `CRM_MIGRATED=20000,3000,5000` is the full size, which takes minutes. */
const [CONTACTS = 0, DEALS = 0, NOTES = 0] = (process.env.CRM_MIGRATED ?? '1000,300,500').split(',').map(Number)
const KILLS = 5
const LONGEST_MS = process.env.CRM_MIGRATED === undefined ? 240_000 : 3_600_000

type Row = Record<string, unknown>

async function login(env: Env, name: string, at: { url: string; key: string }, ...more: string[]): Promise<void> {
  const words = ['auth', 'login', '--base-url', at.url, '--storage', 'file', '--key-stdin', '-p', name, ...more]
  await crmPrints(words, env, at.key)
}

function fileOf(home: string, name: string, count: number, row: (at: number) => Row): string {
  const file = join(home, name)
  writeFileSync(file, Array.from({ length: count }, (_, at) => `${JSON.stringify(row(at))}\n`).join(''))
  return file
}

async function total({ url, key }: Service, path: string): Promise<number> {
  let count = 0
  let cursor = ''
  do {
    const { body } = await ask({ url, key }, { path: `${path}?limit=500${cursor}` })
    count += (body.data as Row[]).length
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
  } while (cursor !== '')
  return count
}

/** Runs the migration, and kills it each time that the target has this many more records. */
async function killed(words: readonly string[], env: Env, target: Service): Promise<number> {
  const all = COMPANIES + CONTACTS + DEALS
  const count = async () => {
    const counts = ['companies', 'contacts', 'deals'].map((noun) => total(target, `/v1/${noun}`))
    return (await Promise.all(counts)).reduce((sum, each) => sum + each)
  }
  let kills = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const child = startCrm([...words, '-q'], env)
    const ended = once(child, 'exit')
    // The last one among the notes.
    const enough = (all * (kill + 1)) / KILLS
    while ((await count()) < enough && child.exitCode === null) await delay(5)
    await delay(20 * kill)
    if (child.exitCode === null) kills++
    child.kill('SIGKILL')
    await ended
  }
  return kills
}

test(
  `a migration of ${COMPANIES} companies, ${CONTACTS} contacts of theirs, ${DEALS} deals and ${NOTES} notes, killed ${KILLS} times, makes each once`,
  async () => {
    const home = emptyHome()
    const [from, to] = [await startService(['--rate-limit', 'none']), await startService(['--rate-limit', 'none'])]
    await login(home, 'old', from)
    await login(home, 'new', to)
    const companies = fileOf(home.HOME, 'companies.jsonl', COMPANIES, (at) => ({ name: `Company ${at}` }))
    await crmPrints(['companies', 'import', companies, '-p', 'old', '--yes', '-q'], home)
    const employers: Row[] = JSON.parse(await crmPrints(['companies', 'list', '-o', 'json', '-p', 'old'], home))
    // Every tenth contact is equal to others, and so is every second note.
    const people = fileOf(home.HOME, 'people.jsonl', CONTACTS, (at) =>
      at % 10 === 0
        ? { name: `Person ${at % 100}` }
        : {
            ...{ name: `Person ${at}`, email: `p${at}@x.test`, score: at, vip: at % 2 === 0 },
            ...{ tags: ['a', String(at % 7)], company_id: employers[at % COMPANIES]?.id },
          },
    )
    const stages = ['Lead', 'Qualified', 'Won', 'Lost']
    const deals = fileOf(home.HOME, 'deals.jsonl', DEALS, (at) => ({
      name: `Deal ${at}`,
      stage: stages[at % 4],
      amount: at + 0.5,
    }))
    await crmPrints(['contacts', 'import', people, '-p', 'old', '--yes', '-q'], home)
    await crmPrints(['deals', 'import', deals, '-p', 'old', '--yes', '-q'], home)
    const ids = (await crmPrints(['deals', 'list', '-o', 'id', '-p', 'old'], home)).trim().split('\n')
    const notes = fileOf(home.HOME, 'notes.jsonl', NOTES, (at) => ({
      deal_id: ids[at % ids.length],
      body: at % 2 === 0 ? 'Called' : `Note ${at}`,
    }))
    await crmPrints(['notes', 'import', notes, '-p', 'old', '--yes', '-q'], home)

    const words = ['migrate', '--from', 'old', '--to', 'new', '--yes', '--concurrency', '4']
    expect(await killed(words, home, to)).toBeGreaterThan(2)
    const { exit, stdout, stderr } = await crm([...words, '-o', 'json'], home)
    expect(exit, stderr).toBe(0)
    const rows: Row[] = JSON.parse(stdout)
    const none = { failed: 0, in_doubt: 0, alike: 0, different: 0, missing: 0, others: 0 }
    expect(rows).toMatchObject([
      { resource: 'companies', source: COMPANIES, migrated: COMPANIES, equal: COMPANIES, ...none },
      { resource: 'contacts', source: CONTACTS, migrated: CONTACTS, equal: CONTACTS, ...none },
      { resource: 'deals', source: DEALS, migrated: DEALS, equal: DEALS, ...none },
      { resource: 'notes', source: NOTES, migrated: NOTES, equal: NOTES, ...none },
      { resource: 'tasks', source: 0, ...none },
    ])
    const names = new Map<unknown, unknown>()
    for (const profile of ['old', 'new'])
      for (const { id, name } of JSON.parse(await crmPrints(['companies', 'list', '-o', 'json', '-p', profile], home)))
        names.set(id, name)
    const employed = async (profile: string) => {
      const people: Row[] = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json', '-p', profile], home))
      return people.map(({ email, company_id: id }) => `${email} ${names.get(id)}`).sort()
    }
    expect(await employed('new')).toEqual(await employed('old'))
    for (const { digest, target_digest: other } of rows) expect(other).toBe(digest)
    expect([await total(to, '/v1/contacts'), await total(to, '/v1/deals')]).toEqual([CONTACTS, DEALS])
  },
  LONGEST_MS,
)

test(
  `a migration of ${CONTACTS} contacts and deals of HubSpot, killed ${KILLS} times, makes each once`,
  async () => {
    const home = emptyHome()
    const emulator = await startHubSpot({ records: CONTACTS })
    try {
      const to = await startService(['--rate-limit', 'none'])
      await login(home, 'hub', { url: `${emulator.url}/crm/v3`, key: emulator.key }, '--connector', 'hubspot')
      await login(home, 'new', to)
      const words = [
        'migrate',
        '--from',
        'hub',
        '--to',
        'new',
        '--map-stage',
        'Stage 1=Lead',
        '--yes',
        '--concurrency',
        '4',
      ]
      expect(await killed(words, home, to)).toBeGreaterThan(2)
      const { exit, stdout, stderr } = await crm([...words, '-o', 'json'], home)
      expect(exit, stderr).toBe(0)
      const rows: Row[] = JSON.parse(stdout)
      expect(rows).toMatchObject([
        { resource: 'companies', source: 0 },
        { resource: 'contacts', source: CONTACTS, equal: CONTACTS, others: 0 },
        { resource: 'deals', source: CONTACTS, equal: CONTACTS, others: 0 },
        { resource: 'notes', source: 0 },
        { resource: 'tasks', source: 0 },
      ])
      for (const { digest, target_digest: other } of rows) expect(other).toBe(digest)
      for (const noun of ['tickets; the target', 'products; the target'])
        expect(stderr).toContain(`Not migrated: ${noun}: `)
      expect([await total(to, '/v1/contacts'), await total(to, '/v1/deals')]).toEqual([CONTACTS, CONTACTS])
      expect(emulator.effects('contacts', 'created') + emulator.effects('contacts', 'updated')).toBe(0)
    } finally {
      await emulator.close()
    }
  },
  LONGEST_MS,
)
