import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { ask } from './emulators/ask.ts'
import type { Call, EmulatorOptions, Row } from './emulators/emulator.ts'
import { keepingLabels, linkingNothing } from './emulators/hubspot/faults.ts'
import { batchAnswer, failure } from './emulators/hubspot/rules.ts'
import { connected, SERVERS } from './servers.ts'

// Associations of HubSpot: requests of their own read and write them, and crm shows them as fields.

const [HUBSPOT] = SERVERS.filter(({ connector }) => connector === 'hubspot')

async function portal(options: EmulatorOptions = {}) {
  if (!HUBSPOT) throw new Error('there is no emulator of HubSpot')
  const { env, emulator } = await connected(HUBSPOT, options)
  const fileOf = (name: string, lines: readonly string[]) => {
    const path = join(env.HOME ?? '', name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  const json = async (...args: string[]) => JSON.parse(await crmPrints([...args, '-o', 'json'], env))
  const companies = fileOf('companies.csv', ['name,domain', 'Acme,acme.test', 'Bolt,bolt.test'])
  await crmPrints(['companies', 'import', companies, '--yes'], env)
  const headers = { authorization: `Bearer ${emulator.key}` }
  const label = { json: { label: 'Decision maker', name: 'decision_maker' }, headers }
  await ask(emulator.url, 'POST /crm/v4/associations/contacts/deals/labels', label)
  const deals = fileOf('deals.csv', ['name,stage,pipeline_id', 'Fleet,Stage 1,default', 'Parts,Stage 1,default'])
  await crmPrints(['deals', 'import', deals, '--yes'], env)
  const idOf = (noun: string, member: string, value: string) =>
    String(emulator.records(noun).find(({ properties }) => (properties as Row)[member] === value)?.id)
  return { env, emulator, fileOf, json, idOf, lastJob: async () => String((await json('jobs', 'list'))[0].id) }
}

test('a new contact is linked by the domain of its company and the label of its deal, and shows it', async () => {
  const { env, fileOf, json, idOf } = await portal()
  const people = fileOf('people.csv', [
    'email,company.domain,deals[Decision maker].name',
    'ada@x.test,ACME.test,Fleet',
    'bob@x.test,bolt.test,',
  ])
  const early = fileOf('early.csv', ['email,tickets.subject', 'ada@x.test,Printer'])
  const refused = await crm(['contacts', 'import', early, '--yes'], env)
  expect([refused.exit, refused.stderr]).toEqual([
    2,
    expect.stringContaining('the fields of tickets are not known yet'),
  ])
  const words = ['contacts', 'import', people, '--yes']
  expect((await crm([...words, '--dry-run'], env)).stderr).toContain('(Acme)')
  await crmPrints(words, env)
  const [acme, bolt, fleet] = [
    idOf('companies', 'name', 'Acme'),
    idOf('companies', 'name', 'Bolt'),
    idOf('deals', 'dealname', 'Fleet'),
  ]
  expect(await json('contacts', 'list', '--fields', 'email,company_ids,deal_ids', '--sort', 'email')).toEqual([
    { email: 'ada@x.test', company_ids: [acme], deal_ids: [fleet, `${fleet}[Decision maker]`] },
    { email: 'bob@x.test', company_ids: [bolt], deal_ids: [] },
  ])
  expect(JSON.parse(await crmPrints([...words, '-o', 'json'], env))).toMatchObject({ done: 0, skipped: 2 })
  expect(await json('fields', 'contacts')).toContainEqual(expect.objectContaining({ name: 'deal_ids', to: 'deals' }))
})

test('links are added, taken out, set and undone, and no other link changes', async () => {
  const { env, emulator, fileOf, json, idOf, lastJob } = await portal()
  const [acme, bolt] = [idOf('companies', 'name', 'Acme'), idOf('companies', 'name', 'Bolt')]
  const [fleet, parts] = [idOf('deals', 'dealname', 'Fleet'), idOf('deals', 'dealname', 'Parts')]
  const shown = async () => {
    const [{ company_ids, deal_ids }] = await json('contacts', 'list', '--fields', 'company_ids,deal_ids')
    return [company_ids, deal_ids]
  }
  const change = async (heading: string, cells: string) =>
    crmPrints(
      [
        'contacts',
        'import',
        fileOf(`${Math.random()}.csv`, [`email,${heading}`, `ada@x.test,${cells}`]),
        '--match',
        'email',
        '--yes',
      ],
      env,
    )
  await change('company.domain,deals.name', 'acme.test,Fleet')
  expect(await shown()).toEqual([[acme], [fleet]])
  await change('companies+.domain,deals[decision maker]+.name', 'bolt.test,Fleet;Parts').catch((error) => {
    expect(String(error)).toContain('did you mean "Decision maker"?')
  })
  await change('companies+.domain,deals[Decision maker]+.name', 'bolt.test,Fleet;Parts')
  const labelled = [fleet, `${fleet}[Decision maker]`, parts, `${parts}[Decision maker]`]
  expect(await shown()).toEqual([[acme, bolt], labelled])
  const added = await lastJob()
  // Setting the records alone keeps the labels of the links that stay.
  await change('deals.name', 'Fleet')
  expect(await shown()).toEqual([[acme, bolt], labelled.slice(0, 2)])
  await crmPrints(['jobs', 'undo', await lastJob(), '--yes'], env)
  expect(await shown()).toEqual([[acme, bolt], labelled])
  // A link that someone made since stays.
  const cog = await crmPrints(['companies', 'create', '--set', 'name=Cog', '-o', 'id'], env)
  const ends = { from: { id: String(emulator.records('contacts')[0]?.id) }, to: { id: cog.trim() } }
  await ask(emulator.url, 'POST /crm/v4/associations/contacts/companies/batch/associate/default', {
    json: { inputs: [ends] },
    headers: { authorization: `Bearer ${emulator.key}` },
  })
  await crmPrints(['jobs', 'undo', added, '--yes'], env)
  expect(await shown()).toEqual([[acme, cog.trim()].sort(), [fleet]])
  await change('companies-', cog.trim())
  expect(await shown()).toEqual([[acme], [fleet]])
  await change('deals[Decision maker].name', 'Parts')
  expect(await shown()).toEqual([[acme], [fleet, parts, `${parts}[Decision maker]`]])
  await change('deals[Decision maker]-,companies-', `${parts},${acme}`)
  expect(await shown()).toEqual([[], [fleet, parts]])
  const [contact] = emulator.records('contacts')
  await crmPrints(['contacts', 'update', String(contact?.id), '--set', `company_ids:=["${bolt}"]`], env)
  expect(await shown()).toEqual([[bolt], [fleet, parts]])
})

test('a deleted contact is made again with its links', async () => {
  const { env, fileOf, json, lastJob } = await portal()
  const people = fileOf('people.csv', ['email,company.domain,deals[Decision maker].name', 'ada@x.test,acme.test,Fleet'])
  await crmPrints(['contacts', 'import', people, '--yes'], env)
  const shown = () => json('contacts', 'list', '--fields', 'email,company_ids,deal_ids')
  const before = await shown()
  await crmPrints(['contacts', 'delete', '--where', '.email == "ada@x.test"', '--yes'], env)
  await crmPrints(['jobs', 'undo', await lastJob(), '--yes'], env)
  expect(await shown()).toEqual(before)
})

test('links that the server says it made, and did not, are no success', async () => {
  const state = { answers: undefined as EmulatorOptions['answers'] }
  const { env, fileOf } = await portal({ answers: (call, own) => state.answers?.(call, own) ?? own() })
  const people = (name: string, cells: string) =>
    [
      'contacts',
      'import',
      fileOf(name, [`email,${cells.split('\n')[0]}`, `ada@x.test,${cells.split('\n')[1]}`]),
      '--match',
      'email',
      '--yes',
    ] as const
  await crmPrints([...people('one.csv', 'deals[Decision maker].name\nFleet')], env)
  state.answers = linkingNothing
  const linked = await crm([...people('two.csv', 'company.domain\nacme.test')], env)
  expect([linked.exit, linked.stderr]).toEqual([7, expect.stringContaining('does not include the link to')])
  state.answers = keepingLabels
  const kept = await crm([...people('three.csv', 'deals[Decision maker]-.name\nFleet')], env)
  expect(kept.exit).toBe(7)
  expect(kept.stderr).toContain('[Decision maker] is still in deal_ids')
  const answersNothing = batchAnswer(200, { results: [], errors: [] })
  state.answers = ({ path }, own) => (path.endsWith('companies/batch/read') ? answersNothing : own())
  const listed = await crm(['contacts', 'list', '--fields', 'company_ids'], env)
  expect([listed.exit, listed.stderr]).toEqual([7, expect.stringContaining('the answer does not account for record')])
})

test('a change of links whose answer was lost in the midst is sent again, and is no change by someone else', async () => {
  let left = 0
  const faults = ({ path }: Call) => (path.endsWith('/labels/archive') && left-- > 0 ? 'lose-answer' : undefined)
  const { env, fileOf, json, idOf } = await portal({ faults })
  const words = (name: string, cells: readonly string[]) =>
    ['contacts', 'import', fileOf(name, cells), '--match', 'email', '--yes'] as const
  const first = ['email,deals[Decision maker].name', 'ada@x.test,Fleet', 'bob@x.test,Parts']
  await crmPrints([...words('first.csv', first)], env)
  left = 1
  const second = ['email,deals[Decision maker]-.name,deals+.name', 'ada@x.test,Fleet,Parts', 'bob@x.test,Parts,Fleet']
  await crmPrints([...words('second.csv', second)], env)
  const both = [idOf('deals', 'dealname', 'Fleet'), idOf('deals', 'dealname', 'Parts')].sort()
  expect(await json('contacts', 'list', '--fields', 'deal_ids')).toEqual([{ deal_ids: both }, { deal_ids: both }])
})

test('the winner of a merge has the links of the losers, and its undo gives them back', async () => {
  const { env, fileOf, json, idOf, lastJob } = await portal()
  const people = [
    'email,company.domain,deals[Decision maker].name',
    'ada@x.test,acme.test,',
    'bob@x.test,bolt.test,Fleet',
  ]
  await crmPrints(['contacts', 'import', fileOf('people.csv', people), '--yes'], env)
  const shown = () => json('contacts', 'list', '--fields', 'email,company_ids,deal_ids', '--sort', 'email')
  const before = await shown()
  const [ada, bob] = (await json('contacts', 'list', '--sort', 'email')).map(({ id }: { id: string }) => id)
  await crmPrints(['contacts', 'merge', ada, bob, '--yes', '--expect', '1'], env)
  const fleet = idOf('deals', 'dealname', 'Fleet')
  const both = [idOf('companies', 'name', 'Acme'), idOf('companies', 'name', 'Bolt')].sort()
  expect(await shown()).toEqual([
    { email: 'ada@x.test', company_ids: both, deal_ids: [fleet, `${fleet}[Decision maker]`] },
  ])
  await crmPrints(['jobs', 'undo', await lastJob(), '--yes'], env)
  expect(await shown()).toEqual(before)
})

test('a link that cannot be made fails its row and takes no other away; ids may be numbers, labels must exist', async () => {
  const { env, fileOf, json, idOf, lastJob } = await portal()
  const [acme, fleet] = [idOf('companies', 'name', 'Acme'), idOf('deals', 'dealname', 'Fleet')]
  const importing = (name: string, lines: readonly string[]) =>
    crm(['contacts', 'import', fileOf(name, lines), '--match', 'email', '--yes'], env)
  const shown = () => json('contacts', 'list', '--fields', 'email,company_ids,deal_ids', '--sort', 'email')
  await importing('first.csv', ['email,company.domain,deals.name', 'ada@x.test,acme.test,Fleet', 'bob@x.test,,Fleet'])
  const before = await shown()
  const wrong = await importing('wrong.csv', ['email,phone,deal_ids', 'ada@x.test,123,999', `bob@x.test,456,${fleet}`])
  expect([wrong.exit, wrong.stderr]).toEqual([
    3,
    expect.stringContaining('does not include the link to 999 in deal_ids'),
  ])
  expect(await shown()).toEqual(before)
  await crmPrints(['jobs', 'undo', await lastJob(), '--yes'], env)
  expect((await json('contacts', 'list')).map(({ phone }: { phone: unknown }) => phone)).toEqual([null, null])

  const labels = await importing('labels.csv', ['email,deals+', `ada@x.test,${fleet}[Nope]`])
  expect([labels.exit, labels.stderr]).toEqual([2, expect.stringContaining('no such label: expected one of Decision')])
  const slip = await importing('slip.csv', ['email,compny.domain', 'ada@x.test,acme.test'])
  expect([slip.exit, slip.stderr]).toEqual([2, expect.stringContaining('did you mean "company.domain"')])
  const numbers = fileOf('numbers.jsonl', [`{"email":"bob@x.test","company_ids":[${acme}]}`])
  await crmPrints(['contacts', 'import', numbers, '--match', 'email', '--yes'], env)
  const [{ id }] = await json('contacts', 'list', '--where', '.email == "ada@x.test"')
  await crmPrints(['contacts', 'update', id, '--set', `company_ids=${acme};${acme}`], env)
  await crmPrints(['contacts', 'update', '--where', `.id == "${id}"`, '--set', `deal_ids=${fleet}`, '--yes'], env)
  expect(await shown()).toEqual([before[0], { ...before[1], company_ids: [acme] }])
  expect(await crm(['contacts', 'update', id, '--set', 'company_ids:={"a":1}'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('expected ids, with ; between them or as a list'),
  })
})

test('links that are refused as a whole are halved, until the wrong one is alone', async () => {
  const answers: EmulatorOptions['answers'] = (call, own) =>
    /contacts\/companies\/batch\/create$/.test(call.path) && JSON.stringify(call.body).includes('"77"')
      ? failure(400, 'VALIDATION_ERROR', '77 is not valid')
      : own()
  const { env, fileOf, json, idOf } = await portal({ answers })
  const emails = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@x.test`)
  await crmPrints(['contacts', 'import', fileOf('people.csv', ['email', ...emails]), '--yes'], env)
  const acme = idOf('companies', 'name', 'Acme')
  const links = ['email,company_ids', ...emails.map((email, at) => `${email},${at === 2 ? 77 : acme}`)]
  const { exit, stderr } = await crm(
    ['contacts', 'import', fileOf('links.csv', links), '--match', 'email', '--yes'],
    env,
  )
  expect([exit, stderr]).toEqual([
    3,
    expect.stringContaining('line 4: the answer does not include the link to 77 in company_ids: 77'),
  ])
  const shown = () => json('contacts', 'list', '--fields', 'company_ids', '--sort', 'email')
  expect(await shown()).toEqual(emails.map((_, at) => ({ company_ids: at === 2 ? [] : [acme] })))
  // One row for each link, as reports of databases have them.
  const rows = ['email,companies+.name', 'c@x.test,Acme', 'c@x.test,Bolt', 'a@x.test,Bolt']
  const words = ['contacts', 'import', fileOf('rows.csv', rows), '--match', 'email', '--duplicates', 'merge', '--yes']
  await crmPrints(words, env)
  const both = [acme, idOf('companies', 'name', 'Bolt')].sort()
  expect((await shown()).slice(0, 3).map((one: Row) => one.company_ids)).toEqual([both, [acme], both])
})

test('--create-missing creates the companies that rows name, and links them', async () => {
  const { env, emulator, fileOf, json, idOf } = await portal()
  const people = fileOf('people.csv', ['email,company.domain', 'ada@x.test,new.test', 'bob@x.test,NEW.test'])
  await crmPrints(['contacts', 'import', people, '--create-missing', 'companies', '--yes'], env)
  expect(emulator.records('companies')).toHaveLength(3)
  const made = idOf('companies', 'domain', 'new.test')
  expect(await json('contacts', 'list', '--fields', 'email,company_ids', '--sort', 'email')).toEqual([
    { email: 'ada@x.test', company_ids: [made] },
    { email: 'bob@x.test', company_ids: [made] },
  ])
  const shown = await json('contacts', 'list', '--with', 'company', '--fields', 'email,linked', '--sort', 'email')
  expect(shown).toMatchObject([{ email: 'ada@x.test', linked: { company: [{ domain: 'new.test' }] } }, {}])
  const more = fileOf('more.csv', ['email,companies+.domain', 'ada@x.test,acme.test'])
  const { stderr } = await crm(['contacts', 'import', more, '--match', 'email', '--yes'], env)
  expect(stderr).toContain('Sends 1 request, and those that write links (company_ids 1)')
})

test('--set links by what a record is called, adds links and takes them away, of a new record, of one and of many', async () => {
  const { env, json, idOf, lastJob } = await portal()
  const run = (...words: string[]) => crm(['contacts', ...words], env)
  const [acme, bolt] = [idOf('companies', 'name', 'Acme'), idOf('companies', 'name', 'Bolt')]
  const [fleet, parts] = [idOf('deals', 'dealname', 'Fleet'), idOf('deals', 'dealname', 'Parts')]
  const shown = async () => {
    const [{ company_ids, deal_ids }] = await json('contacts', 'list', '--fields', 'company_ids,deal_ids')
    return [company_ids, deal_ids]
  }
  const made = ['create', '--set', 'email=ada@x.test', '--set', 'company.domain=acme.test']
  const deal = ['--set', 'deals[Decision maker].name=Fleet']
  expect(JSON.stringify(JSON.parse((await run(...made, '--dry-run', '-o', 'json')).stdout))).toContain(acme)
  for (const [set, message] of [
    ['companies+.domain=acme.test', 'this contact is new'],
    ['deals[Nope].name=Fleet', 'there is no label "Nope"'],
    ['deals.name=Flet', 'no deal has this name'],
    ['company_ids:={"a":1}', 'expected ids'],
    ['colour=red', 'contacts have no field of this name'],
  ] as const) {
    expect(await run('create', '--set', set)).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) })
  }
  expect(await json('contacts', 'list')).toEqual([])
  const id = (await crmPrints(['contacts', ...made, ...deal, '-o', 'id'], env)).trim()
  expect(await shown()).toEqual([[acme], [fleet, `${fleet}[Decision maker]`]])
  const one = ['update', id, '--set', 'companies+.domain=bolt.test', '--set', `deals+=${parts}`]
  const dry = await run(...one, '--dry-run', '-o', 'json')
  expect(dry.stderr).toMatch(/_ids: further requests write the links/)
  const planned = JSON.parse(dry.stdout)
  expect(planned.changes.company_ids).toEqual({ from: [acme], to: [acme, bolt].sort() })
  expect(await run(...one)).toMatchObject({ exit: 0 })
  expect(await shown()).toEqual([[acme, bolt].sort(), [fleet, `${fleet}[Decision maker]`, parts]])
  const many = [
    'update',
    '--where',
    'true',
    '--set',
    'deals[Decision maker]-.name=Fleet',
    '--set',
    'companies-.name=Acme;Bolt',
  ]
  expect(await run(...many, '--yes')).toMatchObject({ exit: 0 })
  expect(await shown()).toEqual([[], [fleet, parts]])
  await crmPrints(['jobs', 'undo', await lastJob(), '--yes'], env)
  expect(await shown()).toEqual([[acme, bolt].sort(), [fleet, `${fleet}[Decision maker]`, parts]])
})
