import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { screenAt } from './screen-at.ts'
import { type ConnectedServer, connected, SERVERS } from './servers.ts'

// A server that shows only the members that a request names: what nothing maps must survive a job and its undo.

const [HUBSPOT] = SERVERS.filter(({ connector }) => connector === 'hubspot')

async function withJobTitle(): Promise<ConnectedServer> {
  if (!HUBSPOT) throw new Error('there is no emulator of HubSpot')
  const server = await connected(HUBSPOT, { records: 3 })
  await crmPrints(['contacts', 'update', '1', '--set', 'jobtitle=Boss'], server.env)
  return server
}

function titles({ contacts }: ConnectedServer): readonly (readonly unknown[])[] {
  return contacts().map(({ properties }) => {
    const { email, jobtitle = null, city = null } = properties as Record<string, unknown>
    return [email, jobtitle, city]
  })
}

async function jobOf(args: readonly string[], { env }: ConnectedServer): Promise<string> {
  return JSON.parse(await crmPrints([...args, '--yes', '-o', 'json'], env)).job
}

const OTHERS = [
  ['person2@example.com', null, null],
  ['person3@example.com', null, null],
] as const
const BOSS = ['person1@example.com', 'Boss', null] as const

test('an update shows the members that it wrote', async () => {
  const { env } = await withJobTitle()
  const shown = JSON.parse(await crmPrints(['contacts', 'update', '1', '--set', 'city=Bonn', '-o', 'json'], env))
  expect(shown).toMatchObject({ city: 'Bonn' })
})

test('--fields and --where show members that nothing maps', async () => {
  const { env } = await withJobTitle()
  const listing = ['contacts', 'list', '--where', '.jobtitle == "Boss"', '--fields', 'id,jobtitle', '-o', 'jsonl']
  expect(JSON.parse(await crmPrints(listing, env))).toEqual({ id: '1', jobtitle: 'Boss' })
})

test('the undo of a deletion restores every member that can be written', async () => {
  const server = await withJobTitle()
  const job = await jobOf(['contacts', 'delete', '--where', '.id == "1"'], server)
  expect(titles(server)).toEqual(OTHERS)
  const undo = await jobOf(['jobs', 'undo', job], server)
  expect(titles(server)).toEqual([...OTHERS, BOSS])
  await jobOf(['jobs', 'undo', undo], server)
  expect(titles(server)).toEqual(OTHERS)
})

test('the undo of a change restores what --set wrote', async () => {
  const server = await withJobTitle()
  const change = ['--set', 'jobtitle=CEO', '--set', 'city=Bonn']
  const job = await jobOf(['contacts', 'update', '--where', '.jobtitle == "Boss"', ...change], server)
  expect(titles(server)).toEqual([['person1@example.com', 'CEO', 'Bonn'], ...OTHERS])
  await jobOf(['jobs', 'undo', job], server)
  expect(titles(server)).toEqual([BOSS, ...OTHERS])
})

test('the undo of an import restores members of any record, and those of --compute', async () => {
  const server = await withJobTitle()
  const file = join(server.env.HOME ?? '', 'people.jsonl')
  // The members of the first batch are known before the others are read.
  const blank = Array.from({ length: 5000 }, (_, n) => ({ email: `new${n}@import.test` }))
  const rows = [...blank, { email: 'person1@example.com', jobtitle: 'VP' }]
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'))
  const onlyMatched = ['--match', 'email', '--mode', 'update', '--compute', 'city="Rome"']
  const job = await jobOf(['contacts', 'import', file, ...onlyMatched], server)
  expect(titles(server)).toEqual([['person1@example.com', 'VP', 'Rome'], ...OTHERS])
  await jobOf(['jobs', 'undo', job], server)
  expect(titles(server)).toEqual([BOSS, ...OTHERS])
})

test('a deletion of a record as a screen shows it keeps every member, unless the record was changed since', async () => {
  const server = await withJobTitle()
  const { ui, jobs, rows, overlay } = await screenAt(server, 'contacts')
  const shown = rows.find(({ id }) => id === '1') ?? {}
  expect(shown).not.toHaveProperty('jobtitle')
  const kept = async (row: CrmRecord) => {
    const made = await jobs.plan('chosen', { noun: 'contacts', kind: 'delete', changes: [{ row, patch: null }] })
    return made.type === 'made' ? [...jobs.of(made.job.paths).changes()].map(({ before }) => before) : made
  }
  expect(await kept(shown)).toMatchObject([{ id: '1', jobtitle: 'Boss' }])
  await ui.background.sendChanges({ name: 'contacts', changes: [{ row: shown, patch: null }] })
  expect(titles(server)).toEqual(OTHERS)
  ui.press('u')
  await expect.poll(overlay).toMatchObject({ type: 'confirm' })
  ui.press('y')
  await expect.poll(() => titles(server)).toEqual([...OTHERS, BOSS])
  // What is compared before the request is what the person saw.
  expect(await kept({ ...shown, email: 'seen@example.com' })).toEqual([{ ...shown, email: 'seen@example.com' }])
})

test('a plan is applied by a process that was not asked for its members', async () => {
  const server = await withJobTitle()
  const plan = join(server.env.HOME ?? '', 'plan.ndjson')
  await crmPrints(['contacts', 'delete', '--where', '.id == "1"', '--plan', plan], server.env)
  const job = await jobOf(['apply', plan], server)
  await jobOf(['jobs', 'undo', job], server)
  expect(titles(server)).toEqual([...OTHERS, BOSS])
})

test('a snapshot has every member that can be written, and a diff shows its change', async () => {
  const { env } = await withJobTitle()
  const file = join(env.HOME ?? '', 'before.ndjson')
  const text = await crmPrints(['snapshot'], env)
  expect(text).toContain('"jobtitle":"Boss"')
  writeFileSync(file, text)
  await crmPrints(['contacts', 'update', '1', '--set', 'jobtitle=CEO'], env)
  const ignore = 'updated_at,lastmodifieddate,hs_lastmodifieddate'
  const { exit, stdout } = await crm(['diff', file, 'live', '--ignore', ignore, '-o', 'json'], env)
  expect([exit, JSON.parse(stdout)]).toEqual([10, [expect.objectContaining({ id: '1', change: 'changed' })]])
  expect(stdout).toContain('CEO')
})

test('without a list of names, the plan and the undo state that members are lost', async () => {
  const server = await withJobTitle()
  const file = join(server.env.HOME ?? '', 'own.yaml')
  const removed = 'objects: { contacts: { select: { names: null } } }'
  writeFileSync(file, `connector: 2\nname: own\nextends: hubspot\n${removed}\n`)
  const env = { ...server.env, CRM_CONNECTOR: file }
  expect((await crm(['snapshot'], env)).stderr).toContain('The snapshot lacks of contacts members')
  const deleted = await crm(['contacts', 'delete', '--where', '.id == "1"', '--yes', '-o', 'json'], env)
  const lost = 'members that crm has no field for, which this server shows only by name and does not list'
  expect(deleted.stderr).toContain(`An undo cannot restore ${lost}.`)
  const undone = await crm(['jobs', 'undo', JSON.parse(deleted.stdout).job, '--yes'], env)
  expect(undone.stderr).toContain(`Not restored: ${lost}.`)
})
