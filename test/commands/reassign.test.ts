import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { tempFolder } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { type Service, startService } from '../harness/service.ts'

/** Two contacts and three deals of u_anna, one of each of u_bernd, and one that nobody owns. */
async function withOwners() {
  const service = await startService(['--rate-limit', 'none'])
  const env = { ...service.env, CRM_STATE_HOME: tempFolder() }
  const contact = (name: string, owner_id?: string) => ({ name, ...(owner_id !== undefined && { owner_id }) })
  await make(service, '/v1/contacts', [
    contact('Ada', 'u_anna'),
    contact('Grace', 'u_anna'),
    contact('Alan', 'u_bernd'),
  ])
  await make(service, '/v1/contacts', [contact('Nobody')])
  const deal = (name: string, stage: string, owner_id: string, amount: number) => ({ name, stage, owner_id, amount })
  await make(service, '/v1/deals', [
    deal('Renewal', 'Lead', 'u_anna', 0.1),
    deal('Fleet', 'Proposal', 'u_anna', 0.2),
    deal('Old', 'Won', 'u_anna', 10),
    deal('Other', 'Lead', 'u_bernd', 5),
  ])
  return { service, env }
}

async function ownersOf(service: Service): Promise<Record<string, unknown>> {
  const records = [...(await all(service, '/v1/contacts')), ...(await all(service, '/v1/deals'))]
  return Object.fromEntries(records.map(({ name, owner_id: owner }) => [name, owner ?? null]))
}

const BEFORE = {
  ...{ Ada: 'u_anna', Grace: 'u_anna', Alan: 'u_bernd', Nobody: null },
  ...{ Renewal: 'u_anna', Fleet: 'u_anna', Old: 'u_anna', Other: 'u_bernd' },
}

const AFTER = Object.fromEntries(Object.entries(BEFORE).map(([name, owner]) => [name, owner && 'u_bernd']))

const WORDS = ['reassign', '--from', 'u_anna', '--to', 'u_bernd']

test('one plan shows what changes of every object, one question sends it, and one undo takes all back', async () => {
  const { service, env } = await withOwners()
  const dry = await crm([...WORDS, '--dry-run', '-o', 'json'], env)
  expect(dry.exit).toBe(0)
  expect(JSON.parse(dry.stdout)).toMatchObject([
    { object: 'contacts', update: 2, requests: 2, amount: null, records: [{ name: 'Grace' }, { name: 'Ada' }] },
    {
      ...{ object: 'deals', update: 3, requests: 3, amount: 10.3 },
      records: [{ name: 'Old', stage: 'Won', amount: 10 }, { name: 'Fleet' }, { name: 'Renewal', amount: 0.1 }],
    },
  ])
  expect(dry.stderr).toContain('  3 deals, amount 10.3\n')
  expect(dry.stderr).toMatch(/^ {4}deal_\w+ {2}Fleet {2}Proposal {2}0\.2$/m)
  expect((await crm([...WORDS, '--dry-run', '-q'], env)).stderr).toBe('')
  const refused = await crm(WORDS, env)
  expect(refused).toMatchObject({ exit: 11, stdout: '' })
  expect(refused.stderr).toContain('change the owner of 2 contacts and 3 deals')
  expect(await ownersOf(service)).toEqual(BEFORE)
  expect(await crmPrints(['jobs', 'list', '-o', 'id'], env)).toBe('')

  const sent = JSON.parse(await crmPrints([...WORDS, '--yes', '-o', 'json'], env))
  expect(sent).toMatchObject([
    { object: 'contacts', rows: 2, done: 2 },
    { object: 'deals', rows: 3, done: 3 },
  ])
  expect(await ownersOf(service)).toEqual(AFTER)
  const chain = sent[0].job
  const listed = JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))
  expect(listed).toMatchObject([
    { noun: 'deals', chain },
    { id: chain, noun: 'contacts', chain },
  ])

  const undo = await crm(['jobs', 'undo', sent[1].job, '--yes', '-o', 'json'], env)
  expect(undo.exit, undo.stderr).toBe(0)
  expect(JSON.parse(undo.stdout)).toMatchObject([
    { object: 'deals', done: 3 },
    { object: 'contacts', done: 2 },
  ])
  expect(await ownersOf(service)).toEqual(BEFORE)
})

test('an owner of no record is refused as the target, with the nearest one, unless --to-new says that it is meant', async () => {
  const { service, env } = await withOwners()
  const wrong = await crm(['reassign', '--from', 'u_anna', '--to', 'u_brend', '--yes'], env)
  expect(wrong).toMatchObject({ exit: 2, stdout: '' })
  expect(wrong.stderr).toContain(
    '--to u_brend: no record has this owner, and the server lists no users; --to-new takes it all the same; the nearest is u_bernd',
  )
  expect(wrong.stderr).toContain('crm reassign --from u_anna --yes --to u_bernd')
  expect(await crmPrints(['jobs', 'list', '-o', 'id'], env)).toBe('')
  const same = await crm(['reassign', '--from', 'u_anna', '--to', 'u_anna', '--yes'], env)
  expect(same).toMatchObject({ exit: 2, stderr: expect.stringContaining('it is the same owner') })
  const typo = await crm(['reassign', '--from', 'u_ana', '--to', 'u_bernd', '--yes'], env)
  expect(typo).toMatchObject({ exit: 0, stderr: expect.stringContaining('the nearest owner is u_anna') })
  expect(await ownersOf(service)).toEqual(BEFORE)
  const meant = await crm(['reassign', '--from', 'u_anna', '--to', 'u_new', '--to-new', '--yes'], env)
  expect(meant.exit, meant.stderr).toBe(0)
  expect(await ownersOf(service)).toMatchObject({ Ada: 'u_new', Old: 'u_new', Other: 'u_bernd' })
})

test('--only, --open and --where choose records, and --expect is of all objects', async () => {
  const { service, env } = await withOwners()
  const wrong = await crm([...WORDS, '--only', 'deal'], env)
  expect(wrong).toMatchObject({ exit: 2, stderr: expect.stringContaining('contacts, deals') })
  const counted = await crm([...WORDS, '--yes', '--expect', '4'], env)
  expect(counted).toMatchObject({ exit: 11, stderr: expect.stringContaining('--expect 4') })
  await crmPrints([...WORDS, '--only', 'deals', '--open', '--where', '.amount > 0.1', '--yes', '--expect', '1'], env)
  expect(await ownersOf(service)).toEqual({ ...BEFORE, Fleet: 'u_bernd' })
  await crmPrints([...WORDS, '--open', '--yes'], env)
  expect(await ownersOf(service)).toEqual({ ...AFTER, Old: 'u_anna' })
  // Without a job of contacts, of which none is left.
  const [{ object, job }] = JSON.parse(await crmPrints([...WORDS, '--yes', '-o', 'json'], env))
  expect(object).toBe('deals')
  expect(JSON.parse(await crmPrints(['jobs', 'show', job, '-o', 'json'], env))).toMatchObject({ id: job, chain: job })
})

test('what a person has is counted for every object, with the deals that are not won or lost', async () => {
  const { env } = await withOwners()
  expect(await crmPrints(['report', 'owners', '--of', 'u_anna', '-o', 'csv'], env)).toBe(
    [
      'object,records,open,amount,open_amount',
      'contacts,2,2,,',
      'deals,3,2,10.3,0.3',
      'companies,0,0,,',
      'tasks,0,0,,',
      '',
    ].join('\r\n'),
  )
})

test('records that the server cannot change are named before any other is sent', async () => {
  const { service, env } = await withOwners()
  const nine = { ...env, CRM_CONNECTOR: 'contract' }
  const refused = await crm([...WORDS, '--yes'], nine)
  expect(refused).toMatchObject({ exit: 7, stdout: '' })
  expect(refused.stderr).toContain(
    '3 deals of u_anna cannot be changed: contract has no update of them; nothing was sent',
  )
  expect(refused.stderr).toContain('crm reassign --from u_anna --to u_bernd --yes --only contacts')
  expect(await ownersOf(service)).toEqual(BEFORE)
  expect(await crmPrints(['jobs', 'list', '-o', 'id'], nine)).toBe('')
  await crmPrints([...WORDS, '--yes', '--only', 'contacts'], nine)
  expect(await ownersOf(service)).toEqual({ ...BEFORE, Ada: 'u_bernd', Grace: 'u_bernd' })
})

test('an undo that is repeated undoes nothing more, and an undo of the undo sends the chain again', async () => {
  const { service, env } = await withOwners()
  const [{ job }] = JSON.parse(await crmPrints([...WORDS, '--yes', '-o', 'json'], env))
  const [{ job: undo }] = JSON.parse(await crmPrints(['jobs', 'undo', job, '--yes', '-o', 'json'], env))
  const again = await crm(['jobs', 'undo', job, '--yes'], env)
  expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining(`was undone by ${undo}.`) })
  expect(await ownersOf(service)).toEqual(BEFORE)
  await crmPrints(['jobs', 'undo', undo, '--yes'], env)
  expect(await ownersOf(service)).toEqual(AFTER)
})
