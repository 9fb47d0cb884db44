import { describe, expect, test } from 'vitest'
import { ask, askAll, type Reply } from './ask.ts'
import type { EmulatorOptions } from './emulator.ts'
import { startPipedrive } from './pipedrive.ts'

type Ask = (line: string, json?: unknown) => Promise<Reply>

async function withPipedrive(
  options: EmulatorOptions,
  use: (ask: Ask, emulator: Awaited<ReturnType<typeof startPipedrive>>) => Promise<void>,
): Promise<void> {
  await using emulator = await startPipedrive(options)
  await use((line, json) => ask(emulator.url, line, { json, headers: { 'x-api-token': emulator.key } }), emulator)
}

const SCHEMA = 'ERR_SCHEMA_VALIDATION_FAILED'

describe('lists', () => {
  test.for([
    ['the default', '', 30],
    ['the maximum', 'limit=500', 6],
    ['times that many records share', 'limit=500&sort_by=add_time&sort_direction=desc', 6],
  ] as const)('are complete with %s', ([, query, pages]) =>
    withPipedrive({ records: 3000 }, async (ask) => {
      const list = await askAll(
        (cursor) => ask(`GET /api/v2/persons?${query}${cursor ? `&cursor=${cursor}` : ''}`),
        (body) => ({ rows: body.data as never, next: (body.additional_data as Record<string, unknown>).next_cursor }),
      )
      expect(new Set(list.rows.map(({ id }) => id)).size).toBe(3000)
      expect(list.pages).toBe(pages)
    }),
  )

  test('miss nothing where a record of an earlier page is deleted meanwhile', () =>
    withPipedrive({ records: 30 }, async (ask) => {
      const first = await ask('GET /api/v2/deals?limit=10')
      await ask('DELETE /api/v2/deals/3')
      const second = await ask(`GET /api/v2/deals?limit=10&cursor=${first.body.additional_data.next_cursor}`)
      expect(second.body.data[0].id).toBe(11)
    }))

  test.for(['limit=501', 'limit=many', 'sort_by=name', 'updated_since=2026-01-01T00:00:00.000Z', 'cursor=x', 'ids=a'])(
    'refuse %s',
    (query) =>
      withPipedrive({ records: 1 }, async (ask) => {
        expect(await ask(`GET /api/v2/persons?${query}`)).toMatchObject({ status: 400, body: { code: SCHEMA } })
      }),
  )

  test('give the asked ids alone, and deals of a stage or a status', () =>
    withPipedrive({ records: 5 }, async (ask) => {
      const ids = async (line: string) => (await ask(line)).body.data.map(({ id }: { id: number }) => id)
      expect(await ids('GET /api/v2/persons?ids=2,4,99')).toEqual([2, 4])
      await ask('PATCH /api/v2/deals/2', { stage_id: 5 })
      await ask('DELETE /api/v2/deals/4')
      expect(await ids('GET /api/v2/deals?stage_id=5')).toEqual([2])
      expect(await ids('GET /api/v2/deals?pipeline_id=1')).toEqual([1, 3, 5])
      expect(await ids('GET /api/v2/deals?status=deleted')).toEqual([4])
    }))
})

describe('refuses', () => {
  test.for([
    ['no token', {}],
    ['a token as bearer', { authorization: 'Bearer the-key' }],
    ['another token', { 'x-api-token': 'another' }],
  ] as const)('%s with 401', async ([, headers]) => {
    await using emulator = await startPipedrive({ key: 'the-key' })
    const reply = await ask(emulator.url, 'GET /api/v2/persons?api_token=the-key', { headers })
    expect(reply).toMatchObject({ status: 401, body: { success: false, error: 'unauthorized access' } })
  })

  test.for([
    ['POST /api/v2/persons', { data: { name: 'A' } }, 400],
    ['POST /api/v2/persons', { name: 'A', email: 'a@example.com' }, 400],
    ['POST /api/v2/persons', { name: 'A', emails: ['a@example.com'] }, 400],
    ['POST /api/v2/persons', { name: 'A', owner_id: '1' }, 400],
    ['POST /api/v2/persons', { name: 'A', custom_fields: { unknown: 'x' } }, 400],
    ['PATCH /api/v2/persons/1', { first_name: 'A' }, 400],
    ['PATCH /api/v2/persons/1', { add_time: '2026-01-01T00:00:00Z' }, 400],
    ['POST /api/v2/deals', { value: 1 }, 400],
    ['POST /api/v2/deals', { title: 'A', value: '1' }, 400],
    ['POST /api/v2/deals', { title: 'A', pipeline_id: 1, stage_id: 5 }, 400],
    ['POST /api/v2/deals', { title: 'A', lost_reason: 'price' }, 400],
    ['PATCH /api/v2/deals/1', { update_time: '2026-01-01T00:00:00Z' }, 400],
    ['POST /api/v1/notes', { content: 'A' }, 400],
    ['POST /api/v1/webhooks', { subscription_url: 'https://example.com', event_action: 'create' }, 400],
    ['PUT /api/v2/persons/1', { name: 'A' }, 405],
    ['PATCH /api/v1/notes/1', { content: 'A' }, 405],
    ['GET /v2/persons', undefined, 404],
    ['GET /api/v2/persons/99', undefined, 404],
    ['GET /api/v2/persons/search?term=a', undefined, 400],
  ] as const)('%s %o with %d, and writes nothing', ([line, json, status]) =>
    withPipedrive({ records: 1 }, async (ask, { records }) => {
      const before = structuredClone([records('persons'), records('deals')])
      expect(await ask(line, json)).toMatchObject({ status, body: { success: false } })
      expect([records('persons'), records('deals')]).toEqual(before)
    }),
  )
})

test('a repeated create makes a second record', () =>
  withPipedrive({}, async (ask, { effects }) => {
    for (const id of [1, 2]) {
      const { body } = await ask('POST /api/v2/persons', { name: 'Ann Lee', emails: [{ value: 'ann@example.com' }] })
      expect(body.data).toMatchObject({ id, first_name: 'Ann', last_name: 'Lee', is_deleted: false })
    }
    expect(effects('persons', 'created')).toBe(2)
  }))

test('a search finds the whole email in any case', () =>
  withPipedrive({ records: 20 }, async (ask) => {
    const { body } = await ask('GET /api/v2/persons/search?term=PERSON1@EXAMPLE.COM&fields=email&exact_match=true')
    expect(body.data.items.map(({ item }: { item: { id: number } }) => item.id)).toEqual([1])
  }))

test('a search knows a new record only after its lag', () =>
  withPipedrive({ records: 1, searchLagMs: 60_000 }, async (ask) => {
    await ask('POST /api/v2/persons', { name: 'Person 2' })
    const { body } = await ask('GET /api/v2/persons/search?term=person')
    expect(body.data.items.map(({ item }: { item: { id: number } }) => item.id)).toEqual([1])
    expect((await ask('GET /api/v2/persons')).body.data).toHaveLength(2)
  }))

test('a deleted deal is marked, and comes back with the mark taken away', () =>
  withPipedrive({ records: 1 }, async (ask, { records }) => {
    expect((await ask('DELETE /api/v2/deals/1')).body).toEqual({ success: true, data: { id: 1 } })
    expect((await ask('GET /api/v2/deals/1')).body.data.is_deleted).toBe(true)
    expect(records('deals')).toEqual([])
    expect((await ask('PATCH /api/v2/deals/1', { is_deleted: false })).body.data).toMatchObject({ title: 'Deal 1' })
    expect(records('deals')).toHaveLength(1)
  }))

test('notes page by start, take HTML and are gone once deleted', () =>
  withPipedrive({ records: 1 }, async (ask) => {
    for (let n = 0; n < 3; n += 1) await ask('POST /api/v1/notes', { content: `a & <b>${n}</b>`, deal_id: 1, other: 1 })
    const { body } = await ask('GET /v1/notes?deal_id=1&limit=2')
    expect(body.data[0]).toMatchObject({ content: 'a &amp; <b>0</b>', deal: { title: 'Deal 1' } })
    expect(body.data[0].add_time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(body.additional_data.pagination).toEqual({
      start: 0,
      limit: 2,
      more_items_in_collection: true,
      next_start: 2,
    })
    expect((await ask('DELETE /api/v1/notes/3')).body.data).toBe(true)
    expect((await ask('GET /api/v1/notes/3')).status).toBe(404)
  }))

test('webhooks are created with 201 and refused with errors by member', () =>
  withPipedrive({}, async (ask) => {
    const hook = { subscription_url: 'https://example.com/in', event_action: '*', event_object: 'deal', name: 'crm' }
    expect(await ask('POST /api/v1/webhooks', hook)).toMatchObject({ status: 201, body: { status: 'ok', data: hook } })
    const wrong = await ask('POST /api/v1/webhooks', { ...hook, subscription_url: 'nowhere' })
    expect(wrong).toMatchObject({ status: 400, body: { errors: { subscription_url: [expect.any(String)] } } })
    expect((await ask('DELETE /api/v1/webhooks/9')).status).toBe(404)
  }))

test('requests above the rate are refused with 429 and say when the window ends', () =>
  withPipedrive({ rate: { requests: 1, perMs: 60_000 } }, async (ask, { effects }) => {
    await ask('GET /api/v2/stages')
    const second = await ask('POST /api/v2/persons', { name: 'A' })
    expect(second.status).toBe(429)
    expect(Number(second.headers.get('x-ratelimit-reset'))).toBeGreaterThan(0)
    expect(effects('persons', 'created')).toBe(0)
  }))

test.for([
  ['lose-answer', 1, 200],
  ['reset-before', 0, 'reset-before'],
] as const)('%s ends the connection with %d effect', ([fault, effect, status]) =>
  withPipedrive({ faults: (_, n) => (n === 1 ? fault : undefined) }, async (ask, { effects, requests }) => {
    await expect(ask('POST /api/v2/persons', { name: 'A' })).rejects.toThrow()
    expect(effects('persons', 'created')).toBe(effect)
    expect(requests).toEqual([{ method: 'POST', path: '/api/v2/persons', status, fault }])
  }),
)

test('error-500-after answers 500 and has taken effect', () =>
  withPipedrive({ faults: () => 'error-500-after' }, async (ask, { effects }) => {
    expect((await ask('POST /api/v2/persons', { name: 'A' })).status).toBe(500)
    expect(effects('persons', 'created')).toBe(1)
  }))
