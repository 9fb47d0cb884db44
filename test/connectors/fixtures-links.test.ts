import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { connected, SERVERS } from './servers.ts'

const FILE = `version: 1
companies:
  acme: { name: Acme, domain: "acme-\${run.id}.test" }
contacts:
  ada: { name: Ada, email: "ada-\${run.id}@x.test", company_ids: ["\${companies.acme.id}"] }
notes:
  n: { contact: "\${contacts.ada.id}", body: Prefers mornings }
expect:
  - { record: contacts.ada, has: { company_ids: ["\${companies.acme.id}"] } }
`

test('a server with links and with notes on contacts: fixtures make them, verify and snapshots see them', async () => {
  const server = SERVERS.find(({ connector }) => connector === 'hubspot')
  if (!server) throw new Error('there is no emulator of HubSpot')
  const { env } = await connected(server, {})
  const file = join(env.HOME ?? '', 'demo.yaml')
  writeFileSync(file, FILE)
  const json = async (...words: string[]) => JSON.parse(await crmPrints([...words, '-o', 'json'], env))
  const fixtures = async (verb: string): Promise<string[]> =>
    (await json('fixtures', verb, file, '--run-id', 'r1')).map(
      (row: { record: string; action: string }) => `${row.record} ${row.action}`,
    )
  expect(await fixtures('apply')).toEqual(['companies.acme created', 'contacts.ada created', 'notes.n created'])
  expect(await fixtures('apply')).toEqual(['companies.acme unchanged', 'contacts.ada unchanged', 'notes.n unchanged'])
  expect(await crm(['fixtures', 'verify', file, '--run-id', 'r1'], env)).toMatchObject({ exit: 0 })

  const before = join(env.HOME ?? '', 'before.ndjson')
  writeFileSync(before, await crmPrints(['snapshot', '--notes'], env))
  expect((await crm(['diff', before, 'live'], env)).exit).toBe(0)
  const [ada] = await json('contacts', 'list', '--fields', 'id,company_ids', '--where', '.email == "ada-r1@x.test"')
  await crmPrints(['contacts', 'update', ada.id, '--set', `company_ids-=${ada.company_ids[0]}`], env)
  await crmPrints(['notes', 'add', ada.id, '--on', 'contacts', '--body', 'Moved'], env)
  const { exit, stdout } = await crm(['diff', before, 'live', '-o', 'json'], env)
  expect([exit, JSON.parse(stdout)]).toMatchObject([
    10,
    [
      { change: 'changed', type: 'contact', fields: { company_ids: { from: ada.company_ids, to: [] } } },
      { change: 'changed', type: 'company', fields: { contact_ids: { from: [ada.id], to: [] } } },
      { change: 'added', type: 'note', record: { body: 'Moved', contact_id: ada.id } },
    ],
  ])
  expect((await crm(['fixtures', 'verify', file, '--run-id', 'r1'], env)).exit).toBe(10)
  expect(new Set((await fixtures('destroy')).map((line) => line.split(' ')[1]))).toEqual(new Set(['deleted']))
})
