import { describe, expect, test, vi } from 'vitest'
import type { Reply } from './ask.ts'
import { keepingLabels, linkingNothing, refusingFor } from './hubspot/faults.ts'
import { type Ask, withHubSpot } from './hubspot/with-hubspot.ts'

// Each part names the page of developers.hubspot.com/docs that says so.

const properties = (written: object) => ({ properties: written })
const NOTED = { hs_timestamp: '2026-05-01T10:00:00Z' }
const MINIMAL: Readonly<Record<string, object>> = {
  contacts: { email: 'a@x.com' },
  companies: { name: 'Acme' },
  deals: { dealname: 'D' },
  tickets: { subject: 'S', hs_pipeline_stage: '1' },
  products: { name: 'P' },
  line_items: { quantity: '2' },
  tasks: NOTED,
  notes: NOTED,
  calls: NOTED,
  meetings: NOTED,
}
const CARS = {
  name: 'cars',
  labels: { singular: 'Car', plural: 'Cars' },
  primaryDisplayProperty: 'model',
  requiredProperties: ['model', 'vin'],
  searchableProperties: ['model'],
  properties: [
    { name: 'model', label: 'Model' },
    { name: 'vin', label: 'VIN', hasUniqueValue: true },
    { name: 'bought', label: 'Bought', type: 'date', fieldType: 'date' },
    { name: 'sold', label: 'Sold', type: 'bool', fieldType: 'booleancheckbox' },
    { name: 'seats', label: 'Seats', type: 'number', fieldType: 'number' },
    {
      name: 'extras',
      label: 'Extras',
      type: 'enumeration',
      fieldType: 'checkbox',
      options: [
        { label: 'Radio', value: 'radio' },
        { label: 'Roof', value: 'roof' },
      ],
    },
  ],
  associatedObjects: ['CONTACT'],
}
const CAR = { model: 'T', vin: '1' }

async function madeCars(ask: Ask): Promise<string> {
  return (await ask('POST /crm/v3/schemas', CARS)).body.objectTypeId
}

const codes = ({ body }: Reply): string[] => body.errors.map(({ code }: Reply['body']) => code)

// api/crm/understanding-the-crm has the ids of object types.
describe('standard objects', () => {
  test.for([
    ['contacts', 'contact', '0-1'],
    ['companies', 'company', '0-2'],
    ['deals', 'deal', '0-3'],
    ['tickets', 'ticket', '0-5'],
    ['products', 'product', '0-7'],
    ['line_items', 'line_item', '0-8'],
    ['tasks', 'task', '0-27'],
    ['notes', 'note', '0-46'],
    ['meetings', 'meeting', '0-47'],
    ['calls', 'call', '0-48'],
  ] as const)('%s are reached by plural, singular and type id', ([name, singular, id]) =>
    withHubSpot({}, async (ask, { records }) => {
      for (const path of [name, singular, id])
        expect(
          (
            await ask(
              `POST /crm/v3/objects/${path}`,
              properties({
                ...MINIMAL[name],
                email: undefined,
                ...(name === 'contacts' && { email: `${path}@x.com` }),
              }),
            )
          ).status,
        ).toBe(201)
      expect(records(name)).toHaveLength(3)
      const { body } = await ask(`GET /crm/v3/objects/${name}`)
      expect(body.results.map((row: Reply['body']) => row.id)).toEqual(['1', '2', '3'])
      expect(Object.keys(body.results[0].properties)).toContain('hs_object_id')
    }),
  )

  test.for([
    ['companies', { phone: '1' }, ['domain', 'name']],
    ['tickets', { subject: 'S' }, ['hs_pipeline_stage']],
    ['tasks', { hs_task_subject: 'Call' }, ['hs_timestamp']],
    ['notes', { hs_note_body: 'a' }, ['hs_timestamp']],
  ] as const)('%s with %j alone lack %j', ([name, written, missing]) =>
    withHubSpot({}, async (ask, { records }) => {
      const reply = await ask(`POST /crm/v3/objects/${name}`, properties(written))
      expect(reply).toMatchObject({
        status: 400,
        body: { category: 'VALIDATION_ERROR', context: { properties: missing } },
      })
      expect(records(name)).toEqual([])
    }),
  )
})

// guides/api/crm/properties and faq/how-should-timestamps-be-formatted-for-hubspots-apis; the codes are from answers.
describe('properties', () => {
  test('are listed with labels, types, options, uniqueness and whether they can be written', () =>
    withHubSpot({}, async (ask) => {
      const { results } = (await ask('GET /crm/v3/properties/tasks')).body
      const byName = Object.fromEntries(results.map((one: Reply['body']) => [one.name, one]))
      expect(byName.hs_task_status).toMatchObject({
        type: 'enumeration',
        options: [{ label: 'Not started', value: 'NOT_STARTED' }, {}, {}, {}, {}],
      })
      expect(byName.hs_timestamp).toMatchObject({ label: 'Due date', type: 'datetime' })
      expect(byName.external_key).toMatchObject({ hasUniqueValue: true, hubspotDefined: false })
      expect(byName.hs_createdate.modificationMetadata).toMatchObject({ readOnlyValue: true })
      expect(byName.hubspot_owner_id).toMatchObject({
        externalOptions: true,
        referencedObjectType: 'OWNER',
        options: [],
      })
    }))

  test('of an account are added, and then taken', () =>
    withHubSpot({}, async (ask) => {
      const tier = {
        name: 'tier',
        label: 'Tier',
        type: 'enumeration',
        fieldType: 'select',
        options: [{ label: 'Gold', value: 'gold' }],
      }
      expect((await ask('POST /crm/v3/properties/companies', tier)).status).toBe(201)
      expect((await ask('GET /crm/v3/properties/companies/tier')).body).toMatchObject({ label: 'Tier' })
      const company = (value: string) => ask('POST /crm/v3/objects/companies', properties({ name: 'A', tier: value }))
      expect([(await company('gold')).status, (await company('Gold')).status]).toEqual([201, 400])
    }))

  test.for([
    [{ nothing: '1' }, 'PROPERTY_DOESNT_EXIST'],
    [{ extras: 'roof;wings' }, 'INVALID_OPTION'],
    [{ sold: 'yes' }, 'INVALID_OPTION'],
    [{ seats: 'four' }, 'INVALID_NUMBER'],
    [{ seats: ' 4' }, 'INVALID_NUMBER'],
    [{ bought: '2026-05-01T10:00:00Z' }, 'INVALID_DATE'],
    [{ bought: 'May' }, 'INVALID_LONG'],
    [{ hs_createdate: '2026-05-01' }, 'READ_ONLY_VALUE'],
    [{ hubspot_owner_id: '1' }, 'INVALID_OPTION'],
    [{ vin: '1' }, 'CONFLICTING_UNIQUE_VALUE'],
  ] as const)('refuse %j with %s', ([wrong, code]) =>
    withHubSpot({}, async (ask, { records }) => {
      const path = `/crm/v3/objects/${await madeCars(ask)}`
      await ask(`POST ${path}`, properties(CAR))
      const reply = await ask(`POST ${path}`, properties({ model: 'T', vin: '2', ...wrong }))
      expect([reply.status, reply.body.category, codes(reply)]).toEqual([400, 'VALIDATION_ERROR', [code]])
      if (code === 'CONFLICTING_UNIQUE_VALUE') expect(reply.body.message).toContain('1 already has that value')
      expect(records('cars')).toHaveLength(1)
    }),
  )

  test('a date is a day, whether it is written as one or as milliseconds', () =>
    withHubSpot({}, async (ask) => {
      const path = `/crm/v3/objects/${await madeCars(ask)}`
      for (const bought of ['2015-05-01', Date.UTC(2015, 4, 1)]) {
        const { body } = await ask(`POST ${path}`, properties({ model: 'T', vin: String(bought), bought }))
        expect(body.properties.bought).toBe('2015-05-01')
      }
    }))

  test('a lifecycle stage goes forward, and back only through none', () =>
    withHubSpot({ records: 1 }, async (ask) => {
      const set = async (lifecyclestage: string) =>
        (await ask('PATCH /crm/v3/objects/contacts/1', properties({ lifecyclestage }))).body.properties.lifecyclestage
      expect([await set('customer'), await set('lead'), await set(''), await set('lead')]).toEqual([
        'customer',
        'customer',
        null,
        'lead',
      ])
    }))
})

// api-reference/legacy/crm/objects/schemas/create-schema
describe('custom objects', () => {
  test('are made, listed, and reached by type id and qualified name', () =>
    withHubSpot({}, async (ask) => {
      expect((await ask('GET /crm/v3/schemas')).body.results).toEqual([])
      const id = await madeCars(ask)
      expect(id).toMatch(/^2-\d+$/)
      const [schema] = (await ask('GET /crm/v3/schemas')).body.results
      expect(schema).toMatchObject({
        objectTypeId: id,
        fullyQualifiedName: 'p1_cars',
        requiredProperties: ['model', 'vin'],
        labels: CARS.labels,
      })
      expect(schema.properties.map(({ name }: Reply['body']) => name)).toEqual(
        expect.arrayContaining(['vin', 'hs_object_id']),
      )
      for (const [n, path] of [id, 'p1_cars', 'p_cars'].entries())
        expect((await ask(`POST /crm/v3/objects/${path}`, properties({ ...CAR, vin: String(n) }))).status).toBe(201)
      expect((await ask('GET /crm/v3/objects/cars')).status).toBe(400)
      expect((await ask('POST /crm/v3/schemas', CARS)).status).toBe(400)
    }))

  test('need their required properties, and are found by a unique one', () =>
    withHubSpot({}, async (ask) => {
      const path = `/crm/v3/objects/${await madeCars(ask)}`
      expect(await ask(`POST ${path}`, properties({ model: 'T' }))).toMatchObject({
        status: 400,
        body: { context: { properties: ['vin'] } },
      })
      const inputs = [{ id: '7', idProperty: 'vin', ...properties({ model: 'T' }) }]
      for (const isNew of [true, false])
        expect((await ask(`POST ${path}/batch/upsert`, { inputs })).body.results).toMatchObject([
          { id: '1', new: isNew },
        ])
      expect((await ask(`GET ${path}/7?idProperty=vin&properties=model`)).body).toMatchObject({
        id: '1',
        properties: { model: 'T' },
      })
    }))
})

// guides/api/crm/owners
test('owners are found by email, and those whose user was deactivated when asked for', () =>
  withHubSpot({}, async (ask) => {
    const ids = async (query: string) =>
      (await ask(`GET /crm/v3/owners?${query}`)).body.results.map(({ id }: Reply['body']) => id)
    expect(await ids('')).toEqual(['701', '702'])
    expect(await ids('archived=true')).toEqual(['703'])
    expect(await ids('email=leaver@crm.example')).toEqual([])
    expect((await ask('GET /crm/v3/owners/703?archived=true')).body).toMatchObject({
      userId: null,
      userIdIncludingInactive: 704,
    })
    expect((await ask('GET /crm/v3/owners/703')).status).toBe(404)
  }))

const LINKS = '/crm/v4/associations/contacts/companies'
const spec = (associationTypeId: number, associationCategory = 'HUBSPOT_DEFINED') => ({
  associationCategory,
  associationTypeId,
})
const pair = (from: string, to: string, ...types: object[]) => ({ from: { id: from }, to: { id: to }, types })

/** Two contacts and two companies. */
function withPairs(options: Parameters<typeof withHubSpot>[0], use: Parameters<typeof withHubSpot>[1]) {
  return withHubSpot({ records: 2, ...options }, async (ask, emulator) => {
    for (const name of ['Acme', 'Bolt']) await ask('POST /crm/v3/objects/companies', properties({ name }))
    await use(ask, emulator)
  })
}

async function types(ask: Ask, line = 'GET /crm/v4/objects/contacts/1/associations/companies') {
  const { results } = (await ask(line)).body
  return results.map(({ toObjectId, associationTypes }: Reply['body']) => [
    toObjectId,
    ...associationTypes.map((one: Reply['body']) => `${one.category[0]}${one.typeId}`),
  ])
}

// reference/api/crm/associations/association-details, and legacy/…/batch/delete-association-labels of api-reference
describe('associations', () => {
  test('have types by category and id, which an account adds to with labels', () =>
    withPairs({}, async (ask) => {
      const labels = async () => (await ask(`GET ${LINKS}/labels`)).body.results
      expect(await labels()).toEqual([
        { category: 'HUBSPOT_DEFINED', typeId: 279, label: null },
        { category: 'HUBSPOT_DEFINED', typeId: 1, label: 'Primary' },
      ])
      const made = await ask(`POST ${LINKS}/labels`, { label: 'Buyer', name: 'buyer', inverseLabel: 'Bought by' })
      expect(made.body.results).toMatchObject([
        { typeId: 1, label: 'Buyer' },
        { typeId: 2, label: 'Bought by' },
      ])
      expect((await labels()).at(-1)).toEqual({ category: 'USER_DEFINED', typeId: 1, label: 'Buyer' })
    }))

  test('are made with a label in batches, seen from both sides, and removed', () =>
    withPairs({}, async (ask, { effects }) => {
      const { status, body } = await ask(`POST ${LINKS}/batch/create`, {
        inputs: [pair('1', '1', spec(1)), pair('2', '1', spec(279))],
      })
      expect([status, body.results.map(({ labels }: Reply['body']) => labels)]).toEqual([201, [['Primary'], []]])
      expect(await types(ask, 'GET /crm/v4/objects/companies/1/associations/contacts')).toEqual([
        [1, 'H280', 'H2'],
        [2, 'H280'],
      ])
      expect(effects('associations', 'created')).toBe(2)
      const read = await ask(`POST ${LINKS}/batch/read`, { inputs: [{ id: '1' }, { id: '9' }] })
      expect(read).toMatchObject({
        status: 207,
        body: {
          results: [{ from: { id: '1' }, to: [{ toObjectId: 1 }] }],
          errors: [{ subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND' }],
        },
      })
      expect(
        (await ask(`POST ${LINKS}/batch/archive`, { inputs: [{ from: { id: '1' }, to: [{ id: '1' }] }] })).status,
      ).toBe(204)
      expect(await types(ask)).toEqual([])
      expect(await types(ask, 'GET /crm/v4/objects/0-2/1/associations/0-1')).toEqual([[2, 'H280']])
    }))

  test('a contact has one primary company', () =>
    withPairs({}, async (ask) => {
      for (const id of ['1', '2']) await ask(`PUT /crm/v4/objects/contacts/1/associations/companies/${id}`, [spec(1)])
      expect(await types(ask)).toEqual([
        [1, 'H279'],
        [2, 'H279', 'H1'],
      ])
    }))

  test('a label is removed by its category and id, and the others stay', () =>
    withPairs({}, async (ask) => {
      await ask(`POST ${LINKS}/labels`, { label: 'Buyer', name: 'buyer' })
      await ask(`POST ${LINKS}/batch/create`, { inputs: [pair('1', '1', spec(1), spec(1, 'USER_DEFINED'))] })
      const remove = (type: object) => ask(`POST ${LINKS}/batch/labels/archive`, { inputs: [pair('1', '1', type)] })
      expect((await remove(spec(1))).status).toBe(204)
      expect(await types(ask)).toEqual([[1, 'H279', 'U1']])
      expect((await remove(spec(1, 'INTEGRATOR_DEFINED'))).status).toBe(204)
      expect(await types(ask)).toEqual([[1, 'H279', 'U1']])
      await remove(spec(279))
      expect(await types(ask)).toEqual([])
    }))

  test('are made with a record, or refuse it', () =>
    withPairs({}, async (ask, { records }) => {
      const make = (id: string, type: object) =>
        ask('POST /crm/v3/objects/deals', {
          ...properties({ dealname: 'D' }),
          associations: [{ to: { id }, types: [type] }],
        })
      const { body } = await make('2', spec(3))
      expect(await types(ask, `GET /crm/v4/objects/deals/${body.id}/associations/contacts`)).toEqual([[2, 'H3']])
      for (const wrong of [make('99', spec(3)), make('2', spec(4)), make('2', spec(3, 'USER_DEFINED'))])
        expect((await wrong).body).toMatchObject({ status: 'error', message: 'One or more associations are not valid' })
      expect(records('deals')).toHaveLength(3)
    }))

  test('of pairs that are wrong fail alone, and without a type nothing is linked', () =>
    withPairs({}, async (ask, { records }) => {
      const inputs = [pair('1', '99', spec(279)), pair('1', '1', spec(280)), pair('2', '2', spec(279))]
      const { status, body } = await ask(`POST ${LINKS}/batch/create`, { inputs })
      expect([status, body.results.length, body.numErrors]).toEqual([207, 1, 2])
      const untyped = await ask(`POST ${LINKS}/batch/create`, { inputs: [pair('1', '1')] })
      expect(untyped).toMatchObject({ status: 201, body: { status: 'COMPLETE', results: [] } })
      expect(records('associations')).toHaveLength(1)
    }))

  test('by default are unlabelled, of custom objects too, and end with the record', () =>
    withPairs({}, async (ask) => {
      const id = await madeCars(ask)
      await ask(`POST /crm/v3/objects/${id}`, properties(CAR))
      const inputs = [{ from: { id: '1' }, to: { id: '1' } }]
      const { body } = await ask(`POST /crm/v4/associations/contacts/${id}/batch/associate/default`, { inputs })
      expect(body.results).toMatchObject([{ associationSpec: { associationCategory: 'USER_DEFINED' } }])
      expect(await types(ask, `GET /crm/v4/objects/contacts/1/associations/${id}`)).toEqual([[1, 'U2']])
      await ask(`DELETE /crm/v3/objects/${id}/1`)
      expect(await types(ask, `GET /crm/v4/objects/contacts/1/associations/${id}`)).toEqual([])
    }))
})

// api-reference/search/guide#limitations
test('a search ends at 10,000 results, of which it says that there are more', { timeout: 20_000 }, () =>
  withHubSpot({ records: 10_001 }, async (ask) => {
    const page = (after: number) => ask('POST /crm/v3/objects/contacts/search', { limit: 200, after: String(after) })
    const last = await page(9800)
    expect([last.body.total, last.body.results.length]).toEqual([10_001, 200])
    expect((await page(Number(last.body.paging.next.after))).status).toBe(400)
  }),
)

describe('faults that a test switches on', () => {
  test('an answer that is lost after the write', () =>
    withHubSpot(
      { faults: ({ method }) => (method === 'POST' ? 'lose-answer' : undefined) },
      async (ask, { records }) => {
        await expect(ask('POST /crm/v3/objects/tasks', properties(NOTED))).rejects.toThrow()
        expect(records('tasks')).toHaveLength(1)
      },
    ))

  test('inputs of a batch that fail, beside others that are written', () =>
    withHubSpot({ refuses: ({ name }) => name === 'Bolt' }, async (ask, { records }) => {
      const inputs = ['Acme', 'Bolt'].map((name) => ({ ...properties({ name }), objectWriteTraceId: name }))
      const { status, body } = await ask('POST /crm/v3/objects/companies/batch/create', { inputs })
      expect([status, body.results.length, body.errors[0].context.objectWriteTraceId]).toEqual([207, 1, ['Bolt']])
      expect(records('companies')).toHaveLength(1)
    }))

  test('a batch of associations that is complete and links nothing', () =>
    withPairs({ answers: linkingNothing }, async (ask, { records }) => {
      const { body } = await ask(`POST ${LINKS}/batch/create`, { inputs: [pair('1', '1', spec(279))] })
      expect(body).toMatchObject({ status: 'COMPLETE', results: [] })
      expect(records('associations')).toEqual([])
    }))

  test('a removal of a label that is done and leaves it', () =>
    withPairs({ answers: keepingLabels }, async (ask) => {
      await ask(`POST ${LINKS}/batch/create`, { inputs: [pair('1', '1', spec(1))] })
      const removed = await ask(`POST ${LINKS}/batch/labels/archive`, { inputs: [pair('1', '1', spec(1))] })
      expect([removed.status, await types(ask)]).toEqual([204, [[1, 'H279', 'H1']]])
    }))

  test('429 with the time to wait', () =>
    withHubSpot({ answers: refusingFor(3, 1) }, async (ask) => {
      const refused = await ask('GET /crm/v3/objects/companies')
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3'])
      expect((await ask('GET /crm/v3/objects/companies')).status).toBe(200)
    }))

  test('an index of search that lags', () =>
    withHubSpot({ searchLagMs: 60_000 }, async (ask) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      try {
        await ask('POST /crm/v3/objects/companies', properties({ name: 'Acme' }))
        const total = async () => (await ask('POST /crm/v3/objects/companies/search', {})).body.total
        expect(await total()).toBe(0)
        vi.setSystemTime(Date.now() + 60_000)
        expect(await total()).toBe(1)
      } finally {
        vi.useRealTimers()
      }
    }))
})
