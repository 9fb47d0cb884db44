import { describe, expect, test } from 'vitest'
import { ask, askAll, type Reply } from './ask.ts'
import { startAttio } from './attio.ts'
import type { EmulatorOptions } from './emulator.ts'

type Ask = (line: string, json?: unknown) => Promise<Reply>

async function withAttio(
  options: EmulatorOptions,
  use: (ask: Ask, emulator: Awaited<ReturnType<typeof startAttio>>) => Promise<void>,
): Promise<void> {
  await using emulator = await startAttio(options)
  const headers = { authorization: `Bearer ${emulator.key}` }
  await use((line, json) => ask(emulator.url, line, { json, headers }), emulator)
}

const PEOPLE = '/v2/objects/people/records'
const DEALS = '/v2/objects/deals/records'
const COMPANIES = '/v2/objects/companies/records'
const NOBODY = '8c6d1ea0-7f0c-4a4b-9b63-0c1b7a7c9a10'
const TASK = {
  content: 'A',
  format: 'plaintext',
  deadline_at: null,
  is_completed: false,
  linked_records: [],
  assignees: [],
}
const MEMBER = { workspace_member_email_address: 'susan@crm.example' }
const DEAL = { name: 'D', stage: 'Lead', owner: 'susan@crm.example' }
const values = (written: object) => ({ data: { values: written } })
const idOf = ({ body }: Reply) => body.data.id.record_id as string
const emails = ({ body }: Reply) =>
  body.data.values.email_addresses.map(({ email_address }: { email_address: string }) => email_address)

describe('queries', () => {
  test.for([
    [500, 7],
    [499, 7],
  ] as const)('with sorts and pages of %d are complete', ([limit, pages]) =>
    withAttio({ records: 3000 }, async (ask) => {
      const sorts = [{ attribute: 'created_at', direction: 'asc' }]
      let offset = 0
      const list = await askAll(
        () => ask(`POST ${PEOPLE}/query`, { sorts, limit, offset }),
        ({ data }) => {
          const rows = data as Reply['body'][]
          offset += limit
          return { rows, next: rows.length === limit ? offset : undefined }
        },
      )
      const ids = list.rows.map(({ id }) => (id as { record_id: string }).record_id)
      expect(new Set(ids).size).toBe(3000)
      expect(list.pages).toBe(pages)
    }),
  )

  test('keep to the order of their sorts', () =>
    withAttio({ records: 9 }, async (ask) => {
      const sorts = [{ attribute: 'value', direction: 'desc' }]
      const { body } = await ask(`POST ${DEALS}/query`, { sorts })
      const amounts = body.data.map((record: Reply['body']) => record.values.value[0].currency_value)
      expect(amounts).toEqual([90, 80, 70, 60, 50, 40, 30, 20, 10])
    }))

  test.for([
    { email_addresses: 'PERSON2@example.com' },
    { name: 'Person 2' },
    { name: { full_name: { $eq: 'Person 2' } } },
    { $and: [{ email_addresses: { email_address: { $starts_with: 'person2' } } }, { $not: { name: 'Person 1' } }] },
    { created_at: { $gt: '2026-01-01T00:00:00.001000000Z' } },
  ])('find by %o', (filter) =>
    withAttio({ records: 2 }, async (ask) => {
      const { body } = await ask(`POST ${PEOPLE}/query`, { filter })
      expect(body.data.map((record: Reply['body']) => record.values.name[0].full_name)).toEqual(['Person 2'])
    }),
  )
})

test('values are read as lists of objects and written as plain text', () =>
  withAttio({}, async (ask) => {
    const written = { name: 'Lee, Ann', email_addresses: ['Ann@Mail.Example.com'], phone_numbers: ['+1 555 867 5309'] }
    const { body } = await ask(`POST ${PEOPLE}`, values(written))
    expect(body.data.values.name).toMatchObject([{ first_name: 'Ann', last_name: 'Lee', full_name: 'Ann Lee' }])
    expect(body.data.values.email_addresses).toMatchObject([
      { email_address: 'ann@mail.example.com', original_email_address: 'Ann@Mail.Example.com', active_until: null },
    ])
    expect(body.data.values.phone_numbers).toMatchObject([{ phone_number: '+15558675309', country_code: 'US' }])
    expect(body.data.values.company).toMatchObject([{ target_object: 'companies' }])
    expect(body.data.id).toEqual({
      workspace_id: expect.any(String),
      object_id: expect.any(String),
      record_id: expect.any(String),
    })
  }))

test('PATCH adds to a list of values, PUT replaces it, an assert adds to the matching one alone', () =>
  withAttio({}, async (ask, { effects }) => {
    const id = idOf(
      await ask(`POST ${PEOPLE}`, values({ email_addresses: ['a@x.com'], phone_numbers: ['+15550000001'] })),
    )
    expect(emails(await ask(`PATCH ${PEOPLE}/${id}`, values({ email_addresses: ['b@x.com'] })))).toEqual([
      'b@x.com',
      'a@x.com',
    ])
    const put = await ask(`PUT ${PEOPLE}/${id}`, values({ email_addresses: ['b@x.com'] }))
    expect(emails(put)).toEqual(['b@x.com'])
    expect(put.body.data.values.phone_numbers).toHaveLength(1)
    const upsert = `PUT ${PEOPLE}?matching_attribute=email_addresses`
    const met = await ask(upsert, values({ email_addresses: ['b@x.com', 'c@x.com'], phone_numbers: [] }))
    expect(idOf(met)).toBe(id)
    expect(emails(met)).toEqual(['b@x.com', 'c@x.com'])
    expect(met.body.data.values.phone_numbers).toEqual([])
    expect(idOf(await ask(upsert, values({ email_addresses: ['d@x.com'] })))).not.toBe(id)
    expect([effects('people', 'created'), effects('people', 'updated')]).toEqual([2, 3])
  }))

describe('refuses', () => {
  test.for([
    [`POST ${PEOPLE}`, { values: { name: 'A' } }, 400, 'validation_type'],
    [`POST ${PEOPLE}`, values({ email: 'a@x.com' }), 400, 'value_not_found'],
    [`POST ${PEOPLE}`, values({ email_addresses: 'a@x.com' }), 400, 'validation_type'],
    [`POST ${PEOPLE}`, values({ email_addresses: ['nobody'] }), 400, 'validation_type'],
    [`POST ${PEOPLE}`, values({ email_addresses: ['Person1@example.com'] }), 400, 'uniqueness_conflict'],
    [`POST ${PEOPLE}`, values({ phone_numbers: ['555 1234'] }), 400, 'validation_type'],
    [`POST ${PEOPLE}`, values({ name: { full_name: 'A B' } }), 400, 'validation_type'],
    [`POST ${PEOPLE}`, values({ job_title: null }), 400, 'validation_type'],
    [`POST ${PEOPLE}`, values({ record_id: '8c6d1ea0-7f0c-4a4b-9b63-0c1b7a7c9a10' }), 400, 'validation_type'],
    [`PUT ${PEOPLE}`, values({ email_addresses: ['a@x.com'] }), 400, 'validation_type'],
    [`PUT ${PEOPLE}?matching_attribute=name`, values({ name: 'A' }), 400, 'matching_attribute_definition_not_unique'],
    [`PUT ${DEALS}?matching_attribute=nothing`, values(DEAL), 400, 'value_not_found'],
    [`POST ${DEALS}`, values({ name: 'A', stage: 'Lead' }), 400, 'missing_value'],
    [`POST ${DEALS}`, values({ ...DEAL, stage: 'Nowhere' }), 400, 'value_not_found'],
    [`POST ${DEALS}`, values({ ...DEAL, owner: 'nobody@crm.example' }), 400, 'value_not_found'],
    [`POST ${DEALS}`, values({ ...DEAL, value: '10' }), 400, 'validation_type'],
    [
      `POST ${PEOPLE}`,
      values({ company: [{ target_object: 'deals', target_record_id: NOBODY }] }),
      400,
      'validation_type',
    ],
    [
      `POST ${PEOPLE}`,
      values({ company: [{ target_object: 'companies', target_record_id: NOBODY }] }),
      400,
      'value_not_found',
    ],
    [`POST ${COMPANIES}`, values({ domains: 'acme.test' }), 400, 'validation_type'],
    [`POST ${COMPANIES}`, values({ domains: ['no domain'] }), 400, 'validation_type'],
    [`POST ${COMPANIES}`, values({ domains: ['EXAMPLE.com'] }), 400, 'uniqueness_conflict'],
    [`POST ${COMPANIES}`, values({ categories: ['SaaS'] }), 400, 'value_not_found'],
    [
      `PUT ${COMPANIES}?matching_attribute=name`,
      values({ name: 'A' }),
      400,
      'matching_attribute_definition_not_unique',
    ],
    ['POST /v2/tasks', { data: { content: 'A', format: 'plaintext', is_completed: false } }, 400, 'validation_type'],
    ['POST /v2/tasks', { data: { ...TASK, format: 'markdown' } }, 400, 'validation_type'],
    ['POST /v2/tasks', { data: { ...TASK, deadline_at: 'soon' } }, 400, 'validation_type'],
    ['POST /v2/tasks', { data: { ...TASK, linked_records: [{ target_object: 'tasks' }] } }, 400, 'validation_type'],
    ['POST /v2/objects', { data: { api_slug: 'people', singular_noun: 'P', plural_noun: 'P' } }, 409, 'slug_conflict'],
    ['GET /v2/objects/nothing/attributes', undefined, 404, 'not_found'],
    ['GET /v2/objects/companies/attributes/name/options', undefined, 404, 'not_found'],
    ['GET /v2/tasks?limit=501', undefined, 400, 'validation_type'],
    [`POST ${PEOPLE}/query`, { limit: 501 }, 400, 'validation_type'],
    [`POST ${PEOPLE}/query`, { filter: { nothing: 1 } }, 400, 'filter_error'],
    [`POST ${PEOPLE}/query`, { sorts: [{ attribute: 'name' }] }, 400, 'validation_type'],
    [`GET ${PEOPLE}`, undefined, 404, 'not_found'],
    [`GET ${PEOPLE}/8c6d1ea0-7f0c-4a4b-9b63-0c1b7a7c9a10`, undefined, 404, 'not_found'],
    ['POST /v2/objects/contacts/records/query', {}, 404, 'not_found'],
    ['GET /objects/people/records/query', undefined, 404, 'not_found'],
    ['GET /v2/notes?limit=51', undefined, 400, 'validation_type'],
    ['GET /v2/webhooks?limit=9', undefined, 400, 'validation_type'],
    ['POST /v2/webhooks', { data: { target_url: 'http://x.com', subscriptions: [] } }, 400, 'validation_type'],
  ] as const)('%s %j with %d %s, and writes nothing', ([line, json, status, code]) =>
    withAttio({ records: 1 }, async (ask, { records }) => {
      const state = () => ['people', 'companies', 'deals', 'tasks'].map(records)
      const before = structuredClone(state())
      expect(await ask(line, json)).toMatchObject({ status, body: { status_code: status, code } })
      expect(state()).toEqual(before)
    }),
  )

  test.for([{}, { authorization: 'the-key' }, { 'x-api-token': 'the-key' }])('%o with 401', async (headers) => {
    await using emulator = await startAttio({ key: 'the-key' })
    const reply = await ask(emulator.url, `POST ${PEOPLE}/query`, {
      json: {},
      headers: headers as Record<string, string>,
    })
    expect(reply).toMatchObject({ status: 401, body: { status_code: 401 } })
  })

  test('requests above the rate with 429 and the second in which it ends', () =>
    withAttio({ rate: { requests: 1, perMs: 60_000 } }, async (ask, { effects }) => {
      await ask('GET /v2/workspace_members')
      const second = await ask(`POST ${DEALS}`, values(DEAL))
      expect(second).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } })
      expect(Date.parse(second.headers.get('retry-after') ?? '')).toBeGreaterThan(Date.now())
      expect(effects('deals', 'created')).toBe(0)
    }))
})

test('deals repeat when they are created twice, have a status and are gone once deleted', () =>
  withAttio({}, async (ask, { records }) => {
    const [lead] = (await ask('GET /v2/objects/deals/attributes/stage/statuses')).body.data
    const stage = lead.id.status_id
    const first = await ask(`POST ${DEALS}`, values({ ...DEAL, stage, value: 10.5 }))
    expect(first.body.data.values).toMatchObject({
      stage: [{ status: { title: 'Lead' } }],
      value: [{ currency_value: 10.5 }],
    })
    const owner = first.body.data.values.owner[0].referenced_actor_id
    const again = { ...DEAL, owner: { referenced_actor_type: 'workspace-member', referenced_actor_id: owner } }
    expect(idOf(await ask(`POST ${DEALS}`, values(again)))).not.toBe(idOf(first))
    expect(await ask(`DELETE ${DEALS}/${idOf(first)}`)).toMatchObject({ status: 200, body: {} })
    expect((await ask(`GET ${DEALS}/${idOf(first)}`)).status).toBe(404)
    expect(records('deals')).toHaveLength(1)
  }))

test('a person belongs to the company of the address, until it is deleted; a task keeps its text', () =>
  withAttio({ records: 1 }, async (ask, { records }) => {
    const [company] = (await ask(`POST ${COMPANIES}/query`, { filter: { domains: 'example.com' } })).body.data
    const target_record_id = company.id.record_id
    const people = () => (records('people') as Reply['body'][]).map((person) => person.values.company)
    expect(people()).toMatchObject([[{ target_object: 'companies', target_record_id }]])
    await ask(`DELETE ${COMPANIES}/${target_record_id}`)
    expect(people()).toEqual([[]])
    const { body } = await ask('POST /v2/tasks', { data: { ...TASK, assignees: [MEMBER] } })
    const path = `/v2/tasks/${body.data.id.task_id}`
    expect((await ask(`PATCH ${path}`, { data: { content: 'B' } })).status).toBe(400)
    const [person] = records('people') as Reply['body'][]
    const linked = { target_object: 'people', email_addresses: [{ email_address: 'person1@example.com' }] }
    const done = await ask(`PATCH ${path}`, { data: { is_completed: true, linked_records: [linked] } })
    expect(done.body.data).toMatchObject({
      content_plaintext: 'A',
      is_completed: true,
      linked_records: [{ target_object_id: 'people', target_record_id: person.id.record_id }],
      assignees: [{ referenced_actor_type: 'workspace-member' }],
    })
    expect((await ask('GET /v2/tasks?is_completed=false')).body.data).toEqual([])
    expect((await ask('GET /v2/tasks?assignee=susan@crm.example')).body.data).toHaveLength(1)
  }))

test('notes belong to a record and come in pages of ten', () =>
  withAttio({ records: 1 }, async (ask, { records }) => {
    const [deal] = records('deals') as Reply['body'][]
    const parent = { parent_object: 'deals', parent_record_id: deal.id.record_id }
    const note = { ...parent, title: '', format: 'plaintext', content: 'a\nb' }
    for (let n = 0; n < 11; n += 1) await ask('POST /v2/notes', { data: note })
    const path = `GET /v2/notes?parent_object=deals&parent_record_id=${parent.parent_record_id}`
    const { body } = await ask(path)
    expect(body.data).toHaveLength(10)
    expect(body.data[0]).toMatchObject({ ...parent, content_plaintext: 'a\nb' })
    expect((await ask(`${path}&offset=10`)).body.data).toHaveLength(1)
    expect(await ask(`DELETE /v2/notes/${body.data[0].id.note_id}`)).toMatchObject({ status: 200, body: {} })
    expect((await ask('POST /v2/notes', { data: { ...note, title: undefined } })).status).toBe(400)
  }))

test('the secret of a webhook is given once', () =>
  withAttio({}, async (ask) => {
    const subscriptions = [{ event_type: 'record.created', filter: null }]
    const made = await ask('POST /v2/webhooks', { data: { target_url: 'https://example.com/in', subscriptions } })
    expect(made.body.data).toMatchObject({ status: 'active', secret: expect.any(String) })
    const path = `/v2/webhooks/${made.body.data.id.webhook_id}`
    expect((await ask(`GET ${path}`)).body.data).not.toHaveProperty('secret')
    const changed = await ask(`PATCH ${path}`, { data: { target_url: 'https://example.com/other' } })
    expect(changed.body.data).toMatchObject({ target_url: 'https://example.com/other', subscriptions })
  }))
