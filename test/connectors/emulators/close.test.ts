import { describe, expect, test } from 'vitest'
import { ask, askAll, type Reply } from './ask.ts'
import { startClose } from './close.ts'
import type { EmulatorOptions } from './emulator.ts'

type Ask = (line: string, json?: unknown) => Promise<Reply>

async function withClose(
  options: EmulatorOptions,
  use: (ask: Ask, emulator: Awaited<ReturnType<typeof startClose>>) => Promise<void>,
): Promise<void> {
  await using emulator = await startClose(options)
  const authorization = `Basic ${Buffer.from(`${emulator.key}:`).toString('base64')}`
  await use(
    (line, json) => ask(emulator.url, line.replace(' ', ' /api/v1'), { json, headers: { authorization } }),
    emulator,
  )
}

const EMAILS = [{ email: 'ann@example.com' }]

function byEmail(mode: string, value: string) {
  const field = { type: 'regular_field', object_type: 'contact_email', field_name: 'email' }
  const related_query = { type: 'field_condition', field, condition: { type: 'text', mode, value } }
  const related = { this_object_type: 'contact', related_object_type: 'contact_email', related_query }
  const queries = [
    { type: 'object_type', object_type: 'contact' },
    { type: 'has_related', ...related },
  ]
  return { query: { type: 'and', queries }, _fields: { contact: ['id', 'name'] } }
}

describe('lists', () => {
  test.for([
    ['contact', '', 30],
    ['opportunity', '_limit=99&', 31],
  ] as const)('GET /%s/?%s by pages are complete', ([path, query, pages]) =>
    withClose({ records: 3000 }, async (ask) => {
      let taken = 0
      const list = await askAll(
        (skip) => ask(`GET /${path}/?${query}_skip=${skip ?? 0}`),
        ({ data, has_more }) => {
          taken += (data as unknown[]).length
          return { rows: data as never, next: has_more ? taken : undefined }
        },
      )
      expect(new Set(list.rows.map(({ id }) => id)).size).toBe(3000)
      expect(list.pages).toBe(pages)
    }),
  )

  test('begin with the newest, keep to a lead and show the asked fields', () =>
    withClose({ records: 3 }, async (ask) => {
      const { data, has_more } = (await ask('GET /contact/?_limit=2')).body
      expect([data.map(({ name }: Reply['body']) => name), has_more]).toEqual([['Person 3', 'Person 2'], true])
      const ofLead = await ask(`GET /opportunity/?lead_id=${data[1].lead_id}&_fields=note,value`)
      expect(ofLead.body.data).toEqual([{ note: 'Deal 2', value: 2000 }])
    }))

  test.for([
    ['_limit=101', 'larger than the maximum limit for this resource (max_limit = 100)'],
    ['_skip=250001', 'larger than the maximum skip for this resource (max_skip = 250000)'],
    ['_limit=many', '_limit must be an integer'],
  ] as const)('refuse %s', ([query, error]) =>
    withClose({}, async (ask) => {
      const { status, body } = await ask(`GET /contact/?${query}`)
      expect([status, body.error]).toEqual([400, expect.stringContaining(error)])
    }),
  )
})

describe('refuses', () => {
  test.for([
    ['POST /contact/', { first_name: 'Ann' }, 'first_name'],
    ['POST /contact/', { name: 'Ann', emails: ['ann@example.com'] }, 'emails'],
    ['POST /contact/', { name: 'Ann', emails: [{ email: 'nowhere' }] }, 'emails'],
    ['POST /contact/', { name: 'Ann', phones: [{ phone: '12' }] }, 'phones'],
    ['POST /contact/', { name: 'Ann', lead_id: 'lead_x' }, 'lead_id'],
    ['POST /opportunity/', { name: 'D' }, 'name'],
    ['POST /opportunity/', { value: 1.5 }, 'value'],
    ['POST /opportunity/', { status_id: 'stat_x' }, 'status_id'],
    ['POST /opportunity/', { pipeline_id: 'pipe_x' }, 'pipeline_id'],
    ['PUT /opportunity/{id}/', { value: null }, 'value'],
    ['PUT /opportunity/{id}/', { pipeline_id: 'pipe_x' }, 'pipeline_id'],
    ['POST /activity/note/', { note: 'a' }, 'lead_id'],
    ['POST /lead/', { name: 'A', contacts: [{ name: 'B', phones: [{ phone: '1' }] }] }, 'phones'],
  ] as const)('%s %j for %s, and writes nothing', ([line, json, name]) =>
    withClose({ records: 1 }, async (ask, { records }) => {
      const all = () => [records('contacts'), records('leads'), records('opportunities'), records('notes')]
      const before = structuredClone(all())
      const reply = await ask(line.replace('{id}', String(records('opportunities')[0]?.id)), json)
      expect(reply).toMatchObject({ status: 400, body: { errors: [], 'field-errors': { [name]: expect.any(String) } } })
      expect(all()).toEqual(before)
    }),
  )

  test.for([
    ['GET /contact/cont_x/', 404],
    ['GET /contact', 404],
    ['PATCH /contact/cont_x/', 405],
    ['PUT /contact/', 405],
  ] as const)('%s with %d', ([line, status]) =>
    withClose({}, async (ask) => {
      expect(await ask(line)).toMatchObject({ status, body: { error: expect.any(String) } })
    }),
  )

  test.for(['Bearer the-key', 'Basic dGhlLWtleQ==', `Basic ${Buffer.from('the-key:x').toString('base64')}`])(
    '"%s" with 401',
    async (authorization) => {
      await using emulator = await startClose({ key: 'the-key' })
      expect((await ask(emulator.url, 'GET /api/v1/me/', { headers: { authorization } })).status).toBe(401)
    },
  )

  test('requests above the rate with 429 and the seconds until it ends', () =>
    withClose({ rate: { requests: 1, perMs: 60_000 } }, async (ask, { effects }) => {
      expect((await ask('GET /me/')).headers.get('ratelimit')).toMatch(/^limit=1, remaining=0, reset=(59|60)$/)
      const refused = await ask('POST /contact/', { name: 'Ann' })
      expect([refused.status, effects('contacts', 'created')]).toEqual([429, 0])
      expect(refused.headers.get('ratelimit')).toMatch(/reset=(59|60)$/)
    }))
})

test('every create of a contact without a lead makes a lead of its name; phones are stored in E.164', () =>
  withClose({}, async (ask, { records, effects }) => {
    for (const _ of [1, 2]) {
      const reply = await ask('POST /contact/', { name: 'Ann', emails: EMAILS, phones: [{ phone: '(904) 555-1234' }] })
      const emails = [{ email: 'ann@example.com', type: 'office', is_unsubscribed: false }]
      expect(reply).toMatchObject({ status: 200, body: { name: 'Ann', emails, phones: [{ phone: '+19045551234' }] } })
    }
    expect(records('leads').map(({ name }) => name)).toEqual(['Ann', 'Ann'])
    expect(effects('contacts', 'created')).toBe(2)
  }))

test('PUT changes what is sent alone, and can move a contact to another lead', () =>
  withClose({ records: 2 }, async (ask, { records }) => {
    const [first, second] = records('contacts')
    const { body } = await ask(`PUT /contact/${first?.id}/`, { title: 'CTO', lead_id: second?.lead_id })
    expect(body).toMatchObject({ name: 'Person 1', title: 'CTO', lead_id: second?.lead_id })
    expect((await ask(`PUT /contact/${first?.id}/`, { title: null })).body.title).toBeNull()
    expect((await ask(`GET /lead/${second?.lead_id}/`)).body.contacts).toHaveLength(2)
  }))

test('a lead takes its contacts with it', () =>
  withClose({}, async (ask, { records }) => {
    const lead = await ask('POST /lead/', { name: 'Acme', contacts: [{ name: 'Ann', emails: EMAILS }] })
    const { id } = lead.body
    expect(lead.body).toMatchObject({ display_name: 'Acme', contacts: [{ name: 'Ann', lead_id: id }] })
    await ask('POST /opportunity/', { lead_id: id })
    await ask('POST /activity/note/', { lead_id: id, note: 'a' })
    expect(await ask(`DELETE /lead/${id}/`)).toMatchObject({ status: 200, body: {} })
    expect([records('contacts'), records('opportunities'), records('notes')]).toEqual([[], [], []])
    expect((await ask(`DELETE /lead/${id}/`)).status).toBe(404)
  }))

test('an opportunity is in the first status of its pipeline, created when it says, and won with a date', () =>
  withClose({}, async (ask) => {
    const [sales, renewals] = (await ask('GET /pipeline/')).body.data
    const plain = await ask('POST /opportunity/', { value: 1050 })
    expect(plain.body).toMatchObject({ value: 1050, status_id: sales.statuses[0].id, pipeline_id: sales.id })
    const { body } = await ask('POST /opportunity/', { pipeline_id: renewals.id })
    expect(body).toMatchObject({ status_id: renewals.statuses[0].id, status_type: 'active', date_won: null })
    const other = await ask('POST /opportunity/', { pipeline_id: renewals.id, status_id: sales.statuses[0].id })
    expect([other.status, Object.keys(other.body['field-errors'])]).toEqual([400, ['status_id']])
    const dated = await ask('POST /opportunity/', { date_created: '2020-01-01T00:00:00+00:00' })
    expect(dated.body.date_created).toBe('2020-01-01T00:00:00+00:00')
    const won = await ask(`PUT /opportunity/${body.id}/`, { status_id: sales.statuses[2].id })
    expect(won.body).toMatchObject({ pipeline_id: sales.id, status_type: 'won', date_won: expect.any(String) })
  }))

test('a note belongs to a lead, as plain text or as HTML', () =>
  withClose({ records: 1 }, async (ask, { records }) => {
    const [lead] = records('leads')
    const { body } = await ask('POST /activity/note/', { lead_id: lead?.id, note: 'a < b\nc' })
    expect(body).toMatchObject({ _type: 'Note', note: 'a < b\nc', note_html: 'a &lt; b<br />c' })
    const changed = await ask(`PUT /activity/note/${body.id}/`, { note: 'ignored', note_html: '<p>d</p>' })
    expect(changed.body).toMatchObject({ note: 'd', note_html: '<p>d</p>' })
    expect((await ask(`GET /activity/note/?lead_id=${lead?.id}`)).body.data).toHaveLength(1)
  }))

test('a webhook shows its key once, and a filter of each event', () =>
  withClose({}, async (ask) => {
    const events = [{ object_type: 'contact', action: 'created' }]
    const { status, body } = await ask('POST /webhook/', { url: 'https://x.example/in', events })
    expect([status, body.signature_key]).toEqual([201, expect.stringMatching(/^[0-9a-f]{64}$/)])
    const [listed] = (await ask('GET /webhook/')).body.data
    expect(listed).toMatchObject({ status: 'active', events: [{ ...events[0], extra_filter: null }] })
    expect(listed).not.toHaveProperty('signature_key')
    expect((await ask('POST /webhook/', { url: 'https://x.example/in' })).status).toBe(400)
    expect((await ask(`DELETE /webhook/${body.id}/`)).status).toBe(200)
  }))

describe('searches', () => {
  test.for([
    ['exact_value', ['Person 1']],
    ['phrase', ['Person 1', 'Near']],
    ['full_words', ['Person 1', 'Near']],
  ] as const)('by the %s of an email in any case find %j', ([mode, names]) =>
    withClose({ records: 1 }, async (ask) => {
      await ask('POST /contact/', { name: 'Near', emails: [{ email: 'person1@example.com.au' }] })
      const { body } = await ask('POST /data/search/', byEmail(mode, 'PERSON1@example.com'))
      expect(body.data.map(({ name }: Reply['body']) => name)).toEqual(names)
      expect(body.cursor).toBeNull()
    }),
  )

  test('page by cursor and know a new contact only after their lag', () =>
    withClose({ records: 3, searchLagMs: 60_000 }, async (ask) => {
      await ask('POST /contact/', { name: 'New' })
      const query = { type: 'object_type', object_type: 'contact' }
      const first = (await ask('POST /data/search/', { query, _limit: 2 })).body
      expect(first.data[0]).toEqual({ __object_type: 'contact', id: expect.any(String) })
      const second = (await ask('POST /data/search/', { query, _limit: 2, cursor: first.cursor })).body
      expect([second.data.length, second.cursor]).toEqual([1, null])
      expect((await ask('POST /data/search/', { query, _limit: 201 })).status).toBe(400)
    }))
})
