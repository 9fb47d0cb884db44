import { afterEach, describe, expect, test, vi } from 'vitest'
import { ask, askAll, type Reply } from './ask.ts'
import { withHubSpot } from './hubspot/with-hubspot.ts'

afterEach(() => void vi.useRealTimers())

const CONTACTS = '/crm/v3/objects/contacts'
const DEALS = '/crm/v3/objects/0-3'
const properties = (written: object) => ({ properties: written })
const named = (email: string, trace?: string) => ({
  ...properties({ email }),
  ...(trace !== undefined && { objectWriteTraceId: trace }),
})
const upserted = (id: string, trace?: string) => ({ ...named(id, trace), id, idProperty: 'email' })
const filtered = (filter: object, others: object = {}) => ({ filterGroups: [{ filters: [filter] }], ...others })
const emails = ({ body }: Reply): string[] => body.results.map(({ properties: { email } }: Reply['body']) => email)

describe('lists', () => {
  test.for([
    ['the default', '', 30, 3],
    ['the maximum', 'limit=100', 3000, 30],
  ] as const)('are complete with %s', ([, query, records, pages]) =>
    withHubSpot({ records }, async (ask) => {
      const list = await askAll(
        (after) => ask(`GET ${CONTACTS}?${query}${after ? `&after=${after}` : ''}`),
        ({ results, paging }) => ({ rows: results as never, next: (paging as Reply['body'])?.next.after }),
      )
      expect(new Set(list.rows.map(({ id }) => id)).size).toBe(records)
      expect(list.pages).toBe(pages)
    }),
  )

  test('show the default properties, or those asked for with null where there is no value', () =>
    withHubSpot({ records: 1 }, async (ask) => {
      const names = async (query: string) => Object.keys((await ask(`GET ${CONTACTS}/1?${query}`)).body.properties)
      const always = ['createdate', 'hs_object_id', 'lastmodifieddate']
      expect(await names('')).toEqual([
        'createdate',
        'email',
        'firstname',
        'hs_object_id',
        'lastmodifieddate',
        'lastname',
      ])
      expect(await names('properties=phone,nothing')).toEqual([...always, 'phone'])
      expect((await ask(`GET ${CONTACTS}/1?properties=phone`)).body.properties.phone).toBeNull()
    }))
})

describe('refuses', () => {
  test.for([
    [`POST ${CONTACTS}`, properties({ nothing: 'x' }), 400, 'VALIDATION_ERROR'],
    [`POST ${CONTACTS}`, properties({ email: 'nowhere' }), 400, 'VALIDATION_ERROR'],
    [`POST ${CONTACTS}`, properties({ phone: '1' }), 400, 'VALIDATION_ERROR'],
    [`POST ${CONTACTS}`, properties({ email: 'PERSON1@example.com' }), 409, 'CONFLICT'],
    [`POST ${CONTACTS}`, { email: 'a@x.com' }, 400, 'VALIDATION_ERROR'],
    [`PATCH ${CONTACTS}/1`, properties({ lastmodifieddate: '0' }), 400, 'VALIDATION_ERROR'],
    [`PATCH ${CONTACTS}/1`, properties({ phone: null }), 400, 'VALIDATION_ERROR'],
    [`PATCH ${CONTACTS}/99`, properties({ phone: '1' }), 404, 'OBJECT_NOT_FOUND'],
    [`POST ${DEALS}`, properties({ amount: '1' }), 400, 'VALIDATION_ERROR'],
    [`POST ${DEALS}`, properties({ dealname: 'D', amount: 'many' }), 400, 'VALIDATION_ERROR'],
    [`POST ${DEALS}`, properties({ dealname: 'D', dealstage: '75e28847' }), 400, 'VALIDATION_ERROR'],
    [
      `POST ${DEALS}/batch/upsert`,
      { inputs: [{ id: 'D', idProperty: 'dealname', properties: {} }] },
      400,
      'VALIDATION_ERROR',
    ],
    [
      `POST ${CONTACTS}/batch/upsert`,
      { inputs: ['a@x.com', 'A@X.com'].map((id) => upserted(id)) },
      400,
      'VALIDATION_ERROR',
    ],
    [`POST ${CONTACTS}/batch/create`, { inputs: [named('a@x.com'), named('nowhere')] }, 400, 'VALIDATION_ERROR'],
    [
      `POST ${CONTACTS}/batch/create`,
      { inputs: [named('a@x.com', '1'), named('person1@example.com')] },
      409,
      'CONFLICT',
    ],
    [`POST ${CONTACTS}/batch/create`, { inputs: [named('a@x.com'), named('A@X.com')] }, 409, 'CONFLICT'],
    [`POST ${CONTACTS}/batch/create`, { inputs: Array(101).fill(named('a@x.com')) }, 400, 'VALIDATION_ERROR'],
    [`GET ${CONTACTS}?limit=101`, undefined, 400, 'VALIDATION_ERROR'],
    [`GET ${CONTACTS}/99`, undefined, 404, 'OBJECT_NOT_FOUND'],
    ['GET /crm/v3/objects/people', undefined, 400, 'VALIDATION_ERROR'],
    [`POST ${CONTACTS}/search`, { limit: 201 }, 400, 'VALIDATION_ERROR'],
    [`POST ${CONTACTS}/search`, { limit: 200, after: '9801' }, 400, 'VALIDATION_ERROR'],
    [
      `POST ${CONTACTS}/search`,
      filtered({ propertyName: 'nothing', operator: 'EQ', value: '' }),
      400,
      'VALIDATION_ERROR',
    ],
    [
      `POST ${CONTACTS}/search`,
      filtered({ propertyName: 'email', operator: 'IN', values: Array(101).fill('a') }),
      400,
      'VALIDATION_ERROR',
    ],
  ] as const)('%s %j with %d %s, and writes nothing', ([line, json, status, category]) =>
    withHubSpot({ records: 1 }, async (ask, { records }) => {
      const before = structuredClone([records('contacts'), records('deals')])
      expect(await ask(line, json)).toMatchObject({ status, body: { status: 'error', category } })
      expect([records('contacts'), records('deals')]).toEqual(before)
    }),
  )

  test('an unknown property by its name', () =>
    withHubSpot({}, async (ask) => {
      const { body } = await ask(`POST ${CONTACTS}`, properties({ firstname: 'A', nothing: 'x' }))
      expect(body.errors).toMatchObject([{ code: 'PROPERTY_DOESNT_EXIST', context: { propertyName: ['nothing'] } }])
    }))

  test('a request without the key with 401', () =>
    withHubSpot({}, async (_, { url }) => {
      expect(await ask(url, `GET ${CONTACTS}`)).toMatchObject({ status: 401, body: { status: 'error' } })
    }))
})

test('values are text, the answer to an update has the written ones alone, and empty text clears', () =>
  withHubSpot({}, async (ask, { records }) => {
    const made = await ask(`POST ${DEALS}`, properties({ dealname: 'D', amount: 1.5 }))
    expect(made).toMatchObject({ status: 201, body: { id: '1', properties: { amount: '1.5', pipeline: 'default' } } })
    const changed = await ask('PATCH /crm/v3/objects/deals/1', properties({ amount: '' }))
    expect(changed.body.properties).not.toHaveProperty('dealname')
    expect(records('deals')[0]?.properties).not.toHaveProperty('amount')
  }))

test('a deleted contact is archived, its email is free, and deleting it again does nothing', () =>
  withHubSpot({ records: 1 }, async (ask, { effects }) => {
    for (const _ of [1, 2]) expect((await ask(`DELETE ${CONTACTS}/1`)).status).toBe(204)
    expect(effects('contacts', 'deleted')).toBe(1)
    expect((await ask(`GET ${CONTACTS}/1`)).status).toBe(404)
    expect((await ask(`GET ${CONTACTS}/1?archived=true`)).body).toMatchObject({ archived: true })
    expect((await ask(`POST ${CONTACTS}`, named('person1@example.com'))).body.id).toBe('2')
  }))

describe('batches', () => {
  test('with a trace for every input write the valid ones and name the others', () =>
    withHubSpot({ records: 1 }, async (ask, { effects }) => {
      const inputs = [named('a@x.com', 'p'), named('person1@example.com', 'q'), named('A@x.com', 'r'), named('b', 's')]
      const { status, body } = await ask(`POST ${CONTACTS}/batch/create`, { inputs })
      expect(status).toBe(207)
      expect(body.results).toMatchObject([{ id: '2', objectWriteTraceId: 'p' }])
      expect(body).toMatchObject({ status: 'COMPLETE', numErrors: 3 })
      expect(body.errors).toMatchObject([
        {
          message: 'Contact already exists. Existing ID: 1',
          context: { objectWriteTraceId: ['q'], existingId: ['1'] },
        },
        { category: 'CONFLICT', context: { objectWriteTraceId: ['r'], existingId: ['2'] } },
        { category: 'VALIDATION_ERROR', context: { objectWriteTraceId: ['s'] } },
      ])
      expect(effects('contacts', 'created')).toBe(1)
    }))

  test('upsert by email, once made or changed, in an order of their own', () =>
    withHubSpot({ records: 1 }, async (ask, { effects }) => {
      const inputs = [upserted('Person1@example.com', '1'), upserted('new@x.com', '2')]
      for (const [status, isNew] of [
        [200, true],
        [200, false],
      ] as const) {
        const reply = await ask(`POST ${CONTACTS}/batch/upsert`, { inputs })
        expect(reply).toMatchObject({
          status,
          body: {
            results: [
              { id: '2', new: isNew },
              { id: '1', new: false },
            ],
          },
        })
        expect(emails(reply)).toEqual(['new@x.com', 'person1@example.com'])
      }
      expect([effects('contacts', 'created'), effects('contacts', 'updated')]).toEqual([1, 3])
    }))

  test('read by email or id and list what is missing', () =>
    withHubSpot({ records: 2 }, async (ask) => {
      const inputs = [{ id: 'PERSON1@example.com' }, { id: 'nobody@x.com' }]
      const byEmail = await ask(`POST ${CONTACTS}/batch/read`, { inputs, idProperty: 'email', properties: ['email'] })
      expect(byEmail).toMatchObject({ status: 207, body: { errors: [{ context: { ids: ['nobody@x.com'] } }] } })
      expect(emails(byEmail)).toEqual(['person1@example.com'])
      const byId = await ask(`POST ${CONTACTS}/batch/read`, { inputs: [{ id: '2' }], properties: ['email'] })
      expect(byId).toMatchObject({ status: 200, body: { results: [{ id: '2' }] } })
    }))

  test('update what is there, and archive what is there', () =>
    withHubSpot({ records: 2 }, async (ask, { records }) => {
      const inputs = ['1', '99'].map((id) => ({ id, ...properties({ phone: '1' }), objectWriteTraceId: `t${id}` }))
      const { status, body } = await ask(`POST ${CONTACTS}/batch/update`, { inputs })
      expect([status, body.results[0].id]).toEqual([207, '1'])
      expect(body.errors[0].context).toEqual({ ids: ['99'], objectWriteTraceId: ['t99'] })
      expect((await ask(`POST ${CONTACTS}/batch/archive`, { inputs: [{ id: '1' }, { id: '99' }] })).status).toBe(204)
      expect(records('contacts').map(({ id }) => id)).toEqual(['2'])
    }))
})

describe('searches', () => {
  test.for([
    [{ propertyName: 'email', operator: 'EQ', value: 'PERSON2@example.com' }, ['person2@example.com']],
    [{ propertyName: 'email', operator: 'IN', values: ['person2@example.com', 'no@x.com'] }, ['person2@example.com']],
    [{ propertyName: 'email', operator: 'IN', values: ['PERSON2@example.com'] }, []],
    [{ propertyName: 'hs_object_id', operator: 'GT', value: '2' }, ['person3@example.com']],
    [{ propertyName: 'phone', operator: 'HAS_PROPERTY' }, []],
  ] as const)('find by %o', ([filter, found]) =>
    withHubSpot({ records: 3 }, async (ask) => {
      expect(emails(await ask(`POST ${CONTACTS}/search`, filtered(filter)))).toEqual(found)
    }),
  )

  test('page by offset and know a new record only after their lag', () =>
    withHubSpot({ records: 3, searchLagMs: 60_000 }, async (ask) => {
      await ask(`POST ${CONTACTS}`, named('a@x.com'))
      const { body } = await ask(`POST ${CONTACTS}/search`, { limit: 2, sorts: ['-hs_object_id'] })
      expect(body).toMatchObject({ total: 3, results: [{ id: '3' }, { id: '2' }], paging: { next: { after: '2' } } })
      expect((await ask(`GET ${CONTACTS}`)).body.results).toHaveLength(4)
    }))
})

test('requests above the rate are refused with 429 until one has left the window', () =>
  withHubSpot({ rate: { requests: 2, perMs: 10_000 } }, async (ask) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const after = (ms: number) => {
      vi.setSystemTime(Date.now() + ms)
      return ask(`GET ${CONTACTS}`)
    }
    expect((await after(0)).headers.get('x-hubspot-ratelimit-remaining')).toBe('1')
    expect((await after(6000)).status).toBe(200)
    const refused = await after(3000)
    expect(refused).toMatchObject({ status: 429, body: { policyName: 'TEN_SECONDLY_ROLLING' } })
    expect(refused.headers.get('x-hubspot-ratelimit-interval-milliseconds')).toBe('10000')
    expect([(await after(1000)).status, (await after(1000)).status]).toEqual([200, 429])
  }))

test('searches have a rate of their own, which no header states', () =>
  withHubSpot({ rate: { requests: 1, perMs: 60_000 }, searchRate: { requests: 1, perMs: 60_000 } }, async (ask) => {
    await ask(`GET ${CONTACTS}`)
    const first = await ask(`POST ${CONTACTS}/search`, {})
    expect([first.status, first.headers.get('x-hubspot-ratelimit-max')]).toEqual([200, null])
    expect(await ask(`POST ${CONTACTS}/search`, {})).toMatchObject({ status: 429, body: { policyName: 'SECONDLY' } })
  }))

test('pipelines have their stages, and owners are found by email', () =>
  withHubSpot({}, async (ask) => {
    const { body } = await ask('GET /crm/v3/pipelines/deals')
    expect(body.results[0]).toMatchObject({ id: 'default', stages: [{ id: 'appointmentscheduled' }, {}, {}, {}, {}] })
    expect((await ask('GET /crm/v3/pipelines/deals/75e28846/stages')).body.results).toHaveLength(2)
    expect((await ask('GET /crm/v3/owners?email=ada@crm.example')).body.results).toMatchObject([{ id: '702' }])
  }))
