import { describe, expect, test } from 'vitest'
import type { Row } from './emulators/emulator.ts'
import { SERVICE_CARS } from './emulators/zoho/modules.ts'
import { reachZoho } from './reach-zoho.ts'

test('an upsert that finds what another one has just made is no create: its undo deletes nothing', async () => {
  let isTwice = false
  const { json, run, fileOf, emulator } = await reachZoho({
    answers: ({ path }, own) => {
      if (isTwice || !path.endsWith('/Contacts/upsert')) return own()
      isTwice = true
      own()
      return own()
    },
  })
  const file = fileOf('people.csv', ['name,email', 'Ada,ada@x.test', 'Bob,bob@x.test'])
  const { job, ...account } = await json('contacts', 'import', file, '--match', 'email', '--yes')
  expect(account).toMatchObject({ done: 2, failed: 0 })
  const undo = await run('jobs', 'undo', job, '--yes')
  expect([undo.exit, undo.stderr]).toEqual([3, expect.stringContaining('it existed before this row was sent')])
  expect([emulator.effects('Contacts', 'created'), emulator.effects('Contacts', 'deleted')]).toEqual([2, 0])
})

describe('a list', () => {
  test('is read by the token of each next page, in the order of ids', async () => {
    const { json, sent } = await reachZoho({ records: 2500 })
    const ids = (await json('contacts', 'list')).map(({ id }: Row) => id)
    expect([new Set(ids).size, ids.toSorted()]).toEqual([2500, ids])
    expect(sent('GET', '/Contacts')).toHaveLength(13)
  })

  test('without records has no body, and is empty; a body without records is none', async () => {
    const { json } = await reachZoho()
    expect([await json('contacts', 'list'), await json('deals', 'list')]).toEqual([[], []])
    const { run } = await reachZoho({
      answers: ({ path }, own) => (path.endsWith('/Contacts') ? { status: 200 } : own()),
    })
    expect((await run('contacts', 'list')).exit).toBe(7)
  })
})

describe('a plan', () => {
  test('finds an option that a picklist lacks, takes labels of fields, and many options as a list', async () => {
    const { json, run, records, fileOf } = await reachZoho()
    const wrong = fileOf('wrong.csv', ['name,Lead Source', 'Ada,Radio'])
    const { exit, stderr } = await run('contacts', 'import', wrong, '--yes')
    expect([exit, stderr]).toEqual([2, expect.stringContaining('"Radio": expected one of -None-, Cold Call')])
    const right = fileOf('right.csv', ['name,lead source,Badge Number,Languages', 'Ada,trade show,B1,French;german'])
    await json('contacts', 'import', right, '--yes')
    expect(records('Contacts')).toMatchObject([
      { Last_Name: 'Ada', Lead_Source: 'Trade Show', Badge: 'B1', Languages: ['French', 'German'] },
    ])
    expect(await json('fields', 'contacts')).toContainEqual(
      expect.objectContaining({ name: 'Badge', label: 'Badge Number', unique: true }),
    )
  })

  test('takes the headings of what Zoho exports; the name of an account needs to be said', async () => {
    const { json, run, records, fileOf } = await reachZoho()
    await json('companies', 'create', '--set', 'name=Acme')
    const file = fileOf('people.csv', [
      'First Name,Last Name,Email,Phone,Account Name',
      'Ada,King,ada@x.test,+49 30 1,Acme',
    ])
    const words = ['contacts', 'import', file, '--yes']
    const plain = await run(...words)
    expect([plain.exit, plain.stderr]).toEqual([
      2,
      expect.stringContaining('Account_Name of a contact is shown as company_id'),
    ])
    await json(...words, '--map', 'Account Name=company.name')
    const [{ id }] = records('Accounts') as readonly [Row]
    expect(records('Contacts')).toMatchObject([
      { Full_Name: 'Ada King', Email: 'ada@x.test', Phone: '+49 30 1', Account_Name: { id } },
    ])
  })

  test('knows the stages of deals, which are named as Zoho shows them', async () => {
    const { json, run, records } = await reachZoho()
    const deal = ['deals', 'create', '--set', 'name=Fleet', '--set']
    expect((await run(...deal, 'stage=Won')).stderr).toContain(
      'expected one of Qualification, Needs Analysis, Proposal',
    )
    await json(...deal, 'stage=Proposal', '--set', 'close_date=2026-12-24')
    expect(records('Deals')).toMatchObject([{ Stage: 'Proposal/Price Quote', Closing_Date: '2026-12-24' }])
  })
})

describe('a record', () => {
  test('refers to others by their names, is read with them, and loses a reference', async () => {
    const { json, records, fileOf } = await reachZoho()
    await json('companies', 'create', '--set', 'name=Acme')
    const people = fileOf('people.csv', ['name,email,company.name', 'Ada Lovelace,ada@x.test,acme'])
    await json('contacts', 'import', people, '--yes')
    const deals = fileOf('deals.csv', ['name,stage,contact.email,company.name', 'Fleet,Qualification,ada@x.test,Acme'])
    await json('deals', 'import', deals, '--yes')
    const [deal] = await json('deals', 'list', '--with', 'contact,company')
    expect(deal.linked).toMatchObject({ contact: { email: 'ada@x.test' }, company: { name: 'Acme' } })
    expect(deal).not.toHaveProperty('Account_Name')
    const { id } = deal
    const left = await json('deals', 'update', id, '--set', 'company_id:=null')
    expect(left).toMatchObject({ id, company_id: null, contact_id: deal.contact_id })
    expect(records('Deals')).toMatchObject([{ Account_Name: null, Contact_Name: { id: deal.contact_id } }])
    const deleted = await json('deals', 'delete', '--where', 'true', '--yes', '--expect', '1')
    await json('jobs', 'undo', deleted.job, '--yes')
    expect(records('Deals')).toMatchObject([{ Deal_Name: 'Fleet', Contact_Name: { id: deal.contact_id } }])
  })

  test.each([400, 202] as const)(
    'that is refused with %s is refused, alone and among others',
    async (refusedStatus) => {
      const { run, json, records, fileOf, sent } = await reachZoho({ refusedStatus })
      const wrong = await run('contacts', 'create', '--set', 'name=Ada', '--set', 'email=nowhere')
      expect([wrong.exit, wrong.stderr]).toEqual([7, expect.stringContaining(`Email: invalid data (${refusedStatus})`)])
      const badge = ['contacts', 'create', '--set', 'name=Ada', '--set', 'Badge=B1']
      await json(...badge)
      const twice = await run(...badge)
      expect([twice.exit, twice.stderr]).toEqual([
        7,
        expect.stringMatching(/Badge: duplicate data .*\n {2}crm contacts create --help/),
      ])
      const file = fileOf('people.csv', ['name,email', 'Bob,nowhere', 'Cleo,nobody'])
      const { stdout } = await run('contacts', 'import', file, '--yes', '-o', 'json')
      expect(JSON.parse(stdout)).toMatchObject({ done: 0, failed: 2, in_doubt: 0 })
      expect(records('Contacts')).toHaveLength(1)
      // The rows of the file in one request.
      expect(sent('POST', '/Contacts')).toHaveLength(4)
    },
  )

  test('of an own module is found by the label of the module and of its fields', async () => {
    const { json, run, records, fileOf, sent } = await reachZoho({ records: 1, ownModules: [SERVICE_CARS] })
    const file = fileOf('cars.csv', ['Service Car Name,Number Plate,Condition', 'Bus,HB 1,used', 'Van,HB 2,New'])
    await json('service_cars', 'import', file, '--yes')
    expect(records('Service_Cars')).toMatchObject([{ Name: 'Bus', Plate: 'HB 1', State: 'Used' }, { Name: 'Van' }])
    const [van] = await json('service_cars', 'list', '--where', '.Plate == "HB 2"')
    await json('service_cars', 'update', van.id, '--set', 'Condition=Used')
    expect(records('Service_Cars')[1]).toMatchObject({ State: 'Used' })
    expect((await run('service_cars', 'import', file, '--match', 'Plate', '--yes', '-o', 'json')).exit).toBe(0)
    expect(sent('POST', '/Service_Cars')).toHaveLength(1)
    expect(await json('objects')).toContainEqual(expect.objectContaining({ name: 'service_cars' }))
  })

  test('of the other modules is created, listed and deleted', async () => {
    const { json, records } = await reachZoho({ records: 1 })
    const [{ id }] = await json('contacts', 'list')
    const time = '2026-05-01T10:00:00Z'
    const others = [
      ['leads', 'Leads', 'name=Ada King', 'company=Acme'],
      ['products', 'Products', 'name=Pump', 'price:=9.5'],
      ['tasks', 'Tasks', 'title=Call', 'status=open', 'priority=high', `contact_id=${id}`],
      ['calls', 'Calls', 'title=Hello', 'type=Outbound', `started_at=${time}`, `contact_id=${id}`],
      ['meetings', 'Events', 'title=Talk', `started_at=${time}`, 'ends_at=2026-05-01T11:00:00Z'],
    ] as const
    for (const [noun, module, ...fields] of others) {
      const set = fields.flatMap((field) => ['--set', field])
      const made = await json(noun, 'create', ...set)
      expect(await json(noun, 'list')).toMatchObject([{ id: made.id }])
      expect(await json(noun, 'get', made.id)).toEqual(made)
      await json(noun, 'delete', made.id, '--yes')
      expect(records(module)).toEqual([])
    }
  })
})
