import { describe, expect, test } from 'vitest'
import { ask, askAll, type Reply } from './ask.ts'
import type { EmulatorOptions } from './emulator.ts'
import { startOnePageCrm } from './onepagecrm.ts'

type Ask = (line: string, json?: unknown) => Promise<Reply>

async function withOnePageCrm(
  options: EmulatorOptions,
  use: (ask: Ask, emulator: Awaited<ReturnType<typeof startOnePageCrm>>) => Promise<void>,
): Promise<void> {
  await using emulator = await startOnePageCrm(options)
  const [user] = emulator.records('users')
  const authorization = `Basic ${Buffer.from(`${user?.id}:${emulator.key}`).toString('base64')}`
  await use(
    (line, json) => ask(emulator.url, line.replace(' ', ' /api/v3'), { json, headers: { authorization } }),
    emulator,
  )
}

const contact = async (ask: Ask, json: object) => (await ask('POST /contacts', json)).body.data.contact
const names = ({ body }: Reply): string[] => body.data.contacts.map(({ contact }: Reply['body']) => contact.last_name)

describe('lists', () => {
  test.for([
    ['contacts of the whole team, by pages of 100', '/contacts?team=true&', 3000, 30],
    ['own contacts without team=true', '/contacts?', 270, 3],
    ['times that many records share', '/deals?sort_by=created_at&order=asc&', 3000, 30],
  ] as const)('are complete with %s', ([, path, listed, pages]) =>
    withOnePageCrm({ records: listed === 270 ? 300 : 3000 }, async (ask) => {
      const kind = path.startsWith('/deals') ? 'deal' : 'contact'
      const list = await askAll(
        (page) => ask(`GET ${path}per_page=100&page=${page ?? 1}`),
        ({ data }) => {
          const { page, max_page, [`${kind}s`]: items } = data as Reply['body']
          return { rows: items.map((item: Reply['body']) => item[kind]), next: page < max_page ? page + 1 : undefined }
        },
      )
      expect(new Set(list.rows.map(({ id }) => id)).size).toBe(listed)
      expect(list.pages).toBe(pages)
    }),
  )

  test('end at 10,000, with the number that there are', () =>
    withOnePageCrm({ records: 10_010 }, async (ask) => {
      const { body } = await ask('GET /contacts?team=true&per_page=100&page=101')
      expect(body.data).toMatchObject({ contacts: [], total_count: 10_010, max_page: 100 })
    }))

  test('go on by the last id in the cascade, which has own contacts alone', () =>
    withOnePageCrm({ records: 250 }, async (ask) => {
      const list = await askAll(
        (last) => ask(`GET /contacts/cascade${last ? `/${last}` : ''}`),
        ({ data }) => {
          const { contacts, items_left } = data as Reply['body']
          const rows = contacts.map((item: Reply['body']) => item.contact)
          return { rows, next: items_left > 0 ? rows.at(-1).id : undefined }
        },
      )
      expect(new Set(list.rows.map(({ id }) => id)).size).toBe(225)
      expect([list.rows.length, list.pages]).toEqual([225, 3])
    }))

  test('find contacts by email in any case, those of colleagues with team=true alone', () =>
    withOnePageCrm({ records: 10 }, async (ask) => {
      expect(names(await ask('GET /contacts?email=PERSON2@example.com'))).toEqual(['2'])
      expect(names(await ask('GET /contacts?email=person10@example.com'))).toEqual([])
      expect(names(await ask('GET /contacts?email=person10@example.com&team=true'))).toEqual(['10'])
    }))
})

describe('refuses', () => {
  test.for([
    ['POST /contacts', { first_name: 'Ann' }, 400, 'last_name'],
    ['POST /contacts', { last_name: 'x'.repeat(26) }, 400, 'last_name'],
    ['POST /contacts', { last_name: 'A', emails: ['a@x.com'] }, 400, 'emails/0'],
    ['POST /contacts', { last_name: 'A', emails: [{ type: 'secret', value: 'a@x.com' }] }, 400, 'emails/0/type'],
    ['POST /contacts', { last_name: 'A', owner_id: 'nobody' }, 400, 'owner_id'],
    ['POST /deals', { name: 'D' }, 400, 'contact_id'],
    ['POST /deals', { contact_id: '{contacts}' }, 400, 'name'],
    ['POST /deals', { contact_id: '{contacts}', name: 'D', amount: '1' }, 400, 'amount'],
    ['POST /deals', { contact_id: '{contacts}', name: 'D', stage: 15 }, 400, 'stage'],
    ['PUT /deals/{deals}', { amount: 1 }, 400, 'name'],
    ['POST /notes', { contact_id: '{contacts}' }, 400, 'text'],
    ['GET /contacts?per_page=101', undefined, 400, 'per_page'],
    ['GET /contacts?page=0', undefined, 400, 'page'],
    ['GET /deals?sort_by=name', undefined, 400, 'sort_by'],
  ] as const)('%s %j with %d for %s, and writes nothing', ([line, json, status, name]) =>
    withOnePageCrm({ records: 1 }, async (ask, { records }) => {
      const withIds = (text: string) => text.replace(/\{(contacts|deals)\}/g, (_, kind) => String(records(kind)[0]?.id))
      const before = structuredClone([records('contacts'), records('deals'), records('notes')])
      const reply = await ask(withIds(line), json && JSON.parse(withIds(JSON.stringify(json))))
      expect(reply).toMatchObject({ status, body: { status, error_name: 'invalid_request_data' } })
      expect(Object.keys(reply.body.errors)).toContain(name)
      expect([records('contacts'), records('deals'), records('notes')]).toEqual(before)
    }),
  )

  test.for(['', 'Bearer the-key', `Basic ${Buffer.from('user:the-key').toString('base64')}`])(
    '"%s" with 401',
    async (authorization) => {
      await using emulator = await startOnePageCrm({ key: 'the-key' })
      const reply = await ask(emulator.url, 'GET /api/v3/contacts', { headers: { authorization } })
      expect(reply).toMatchObject({ status: 401, body: { status: 401, error_name: 'authorization_data_not_found' } })
    },
  )

  test('a record that is not there with 404', () =>
    withOnePageCrm({}, async (ask) => {
      expect(await ask('GET /contacts/65f0c0ffee00000000000001')).toMatchObject({ status: 404, body: { status: 404 } })
    }))

  test('requests above the rate with 403 and plain text', () =>
    withOnePageCrm({ rate: { requests: 1, perMs: 60_000 } }, async (ask, { effects }) => {
      expect((await ask('GET /contacts')).status).toBe(200)
      const { status, headers, body } = await ask('POST /contacts', { last_name: 'A' })
      expect([status, headers.get('content-type'), typeof body]).toEqual([403, 'text/plain; charset=utf-8', 'string'])
      expect(effects('contacts', 'created')).toBe(0)
    }))
})

test('a repeated create makes a second contact, and a 2xx has 0 as its status', () =>
  withOnePageCrm({}, async (ask, { effects }) => {
    const ids = [1, 2].map(() => ask('POST /contacts', { last_name: 'Lee', unknown: 1 }))
    const [first, second] = await Promise.all(ids)
    expect(first).toMatchObject({
      status: 201,
      body: { status: 0, message: 'OK', data: { contact: { last_name: 'Lee' } } },
    })
    expect(first?.body.data.contact.id).not.toBe(second?.body.data.contact.id)
    expect(effects('contacts', 'created')).toBe(2)
  }))

test('PUT clears what is left out, with partial=true it does not', () =>
  withOnePageCrm({}, async (ask) => {
    const { id } = await contact(ask, { first_name: 'Ann', last_name: 'Lee', tags: ['a'], company_name: 'Acme' })
    const put = async (query: string, json: object) =>
      (await ask(`PUT /contacts/${id}${query}`, json)).body.data.contact
    const kept = { first_name: 'Ann', job_title: 'CTO', tags: ['a'], company_name: 'Acme' }
    expect(await put('?partial=true', { job_title: 'CTO' })).toMatchObject(kept)
    expect(await put('?partial=true', { job_title: null })).toMatchObject({ ...kept, job_title: null })
    const cleared = { first_name: null, last_name: 'Lee', tags: [], company_id: null, company_name: null }
    expect(await put('', { last_name: 'Lee' })).toMatchObject(cleared)
  }))

test('a new company name renames the company for all of its contacts, that of another company moves', () =>
  withOnePageCrm({}, async (ask) => {
    const ann = await contact(ask, { last_name: 'Ann', company_name: 'Acme' })
    const bob = await contact(ask, { last_name: 'Bob', company_name: 'ACME' })
    expect(bob.company_id).toBe(ann.company_id)
    await ask(`PUT /contacts/${ann.id}?partial=true`, { company_name: 'Beta' })
    const company = async () => (await ask(`GET /contacts/${bob.id}`)).body.data.contact.company_name
    expect(await company()).toBe('Beta')
    await contact(ask, { last_name: 'Cy', company_name: 'Acme' })
    await ask(`PUT /contacts/${ann.id}?partial=true`, { company_name: 'Acme' })
    expect(await company()).toBe('Beta')
  }))

test('a deleted contact comes back with undo=true', () =>
  withOnePageCrm({ records: 2 }, async (ask, { records, effects }) => {
    const [{ id } = {}, other] = records('contacts')
    expect((await ask(`DELETE /contacts/${id}?undo=true`)).status).toBe(404)
    expect((await ask(`DELETE /contacts/${id}`)).body).toMatchObject({ status: 0, data: {} })
    expect((await ask(`GET /contacts/${id}`)).status).toBe(404)
    expect((await ask(`DELETE /contacts/${id}`)).status).toBe(404)
    expect((await ask(`DELETE /contacts/${id}?undo=true`)).status).toBe(200)
    expect(records('contacts')).toHaveLength(2)
    for (const _ of [1, 2]) await ask(`DELETE /contacts/delete?ids=${id},${other?.id},nobody`)
    expect([records('contacts'), effects('contacts', 'deleted')]).toEqual([[], 3])
  }))

test('deals cut their name at 60 and stay with their contact; their notes are gone once deleted', () =>
  withOnePageCrm({ records: 2 }, async (ask, { records }) => {
    const [first, second] = records('contacts')
    const made = await ask('POST /deals', { contact_id: first?.id, name: 'x'.repeat(61), amount: 2, months: 3 })
    const { id, ...deal } = made.body.data.deal
    expect(deal).toMatchObject({ name: 'x'.repeat(60), total_amount: 6, stage: 10, status: 'pending' })
    const moved = await ask(`PUT /deals/${id}?partial=true`, { contact_id: second?.id, stage: 20 })
    expect(moved.body.data.deal).toMatchObject({ contact_id: first?.id, stage: 20, amount: 2 })
    const note = { contact_id: first?.id, text: 'a', linked_deal_id: id }
    const noted = (await ask('POST /notes', note)).body.data.note
    expect(noted).toMatchObject({ ...note, linked_deal_name: 'x'.repeat(60) })
    expect((await ask(`GET /notes?contact_id=${second?.id}`)).body.data.notes).toEqual([])
    await ask(`DELETE /notes/${noted.id}?undo=true`)
    expect(records('notes')).toEqual([])
  }))

test('pipelines have their stages, and webhooks can be deleted', () =>
  withOnePageCrm({}, async (ask) => {
    const { pipelines, max_page } = (await ask('GET /pipelines')).body.data
    expect([pipelines[0].pipeline.stages[0], max_page]).toEqual([{ stage: 10, label: 'Prospect' }, 1])
    const [{ id }] = (await ask('GET /webhooks')).body.data.webhooks
    await ask(`DELETE /webhooks/${id}`)
    expect((await ask(`GET /webhooks/${id}`)).status).toBe(404)
  }))
