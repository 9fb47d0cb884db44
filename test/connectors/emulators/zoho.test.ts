import { describe, expect, test } from 'vitest'
import { ask, askAll, type Reply } from './ask.ts'
import type { Row } from './emulator.ts'
import { startZoho, type ZohoOptions } from './zoho.ts'

// Each part names the page of the API documentation (version 8) that says so.

type Ask = (line: string, json?: unknown) => Promise<Reply>

async function withZoho(
  options: ZohoOptions,
  use: (ask: Ask, emulator: Awaited<ReturnType<typeof startZoho>>) => Promise<void>,
): Promise<void> {
  await using emulator = await startZoho(options)
  const headers = { authorization: `Zoho-oauthtoken ${emulator.key}` }
  await use((line, json) => ask(emulator.url, line.replace(' ', ' /crm/v8'), { json, headers }), emulator)
}

const rows = (...data: readonly object[]) => ({ data })
const coql = (where: string, columns = 'Last_Name') => ({
  select_query: `select ${columns} from Contacts where ${where}`,
})
const codes = ({ status, body }: Reply) => [status, ...(body.data ?? [body]).map(({ code }: Row) => code)]
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ Last_Name: `N${n}` }))

// Get Records
describe('a list', () => {
  test('leads on by tokens behind 2,000 records, and has no body without any', () =>
    withZoho({ records: 2100 }, async (send) => {
      const { rows: all, pages } = await askAll(
        (token) => send(`GET /Contacts?fields=Email&per_page=200${token ? `&page_token=${token}` : ''}`),
        ({ data, info }) => {
          const { next_page_token: next, more_records: hasMore } = info as Row
          expect(hasMore).toBe(next !== null)
          return { rows: data as Row[], next }
        },
      )
      expect([new Set(all.map(({ id }) => id)).size, pages]).toEqual([2100, 11])
      // Newest first, unless it says otherwise.
      expect(all[0]).toEqual({ id: expect.any(String), Email: 'person2100@example.com' })
      expect(await send('GET /Leads?fields=Email')).toMatchObject({ status: 204, body: undefined })
    }))

  test.for([
    ['/Contacts', 'REQUIRED_PARAM_MISSING'],
    [`/Contacts?fields=${Array(51).fill('Email').join(',')}`, 'LIMIT_EXCEEDED'],
    ['/Contacts?fields=Nothing', 'INVALID_DATA'],
    ['/Contacts?fields=Email&per_page=201', 'LIMIT_EXCEEDED'],
    ['/Contacts?fields=Email&sort_by=Email', 'INVALID_DATA'],
    ['/Contacts?fields=Email&page=11', 'DISCRETE_PAGINATION_LIMIT_EXCEEDED'],
    ['/Contacts?fields=Email&page_token=none', 'INVALID_DATA'],
    ['/Contacts?fields=Email&page=1&page_token=token0', 'AMBIGUITY_DURING_PROCESSING'],
    ['/Contacts?fields=Phone&page_token=token0', 'TOKEN_BOUND_DATA_MISMATCH'],
    ['/Nothing?fields=Email', 'INVALID_MODULE'],
    ['/Contacts/17', 'INVALID_DATA'],
    ['/settings/fields', 'REQUIRED_PARAM_MISSING'],
  ] as const)('GET %s is refused with %s', ([path, code]) =>
    withZoho({ records: 2 }, async (send) => {
      await send('GET /Contacts?fields=Email&per_page=1')
      expect(codes(await send(`GET ${path}`))).toEqual([400, code])
    }),
  )

  test('needs its own word before the token', () =>
    withZoho({}, async (_, { url, key }) => {
      const headers = { authorization: `Bearer ${key}` }
      expect(codes(await ask(url, 'GET /crm/v8/users', { headers }))).toEqual([401, 'INVALID_TOKEN'])
    }))
})

// Insert, Update, Upsert and Delete Records
describe('rows', () => {
  test('have their outcomes in the order of the request', () =>
    withZoho({}, async (send) => {
      const first = { Last_Name: 'King', Email: 'ada@x.test', Badge: 'B1' }
      const made = await send('POST /Contacts', rows(first, { Email: 'a@x.test' }, { ...first, Badge: 'b1' }))
      expect(codes(made)).toEqual([207, 'SUCCESS', 'MANDATORY_NOT_FOUND', 'DUPLICATE_DATA'])
      const [{ details }] = made.body.data
      expect(made.body.data[2].details.duplicate_record).toMatchObject({ id: details.id })
      expect(codes(await send('POST /Contacts', rows({ Last_Name: 'Lee' })))).toEqual([201, 'SUCCESS'])
      const changed = await send('PUT /Contacts', rows({ id: details.id, Email: null }, { id: '4876876000000000000' }))
      expect(codes(changed)).toEqual([207, 'SUCCESS', 'INVALID_DATA'])
      const by = { duplicate_check_fields: ['Badge'] }
      const upserted = await send('POST /Contacts/upsert', {
        ...rows({ Last_Name: 'Q', Badge: 'B1' }, { Last_Name: 'R', Badge: 'B2' }),
        ...by,
      })
      expect(upserted.body.data.map(({ action }: Row) => action)).toEqual(['update', 'insert'])
      const removed = await send(`DELETE /Contacts?ids=${details.id},${details.id}`)
      expect([...codes(removed), removed.body.data[1].message]).toEqual([
        207,
        'SUCCESS',
        'INVALID_DATA',
        'record not deleted',
      ])
      expect((await send(`GET /Contacts/${details.id}`)).status).toBe(204)
    }))

  test.for([
    ['POST /Contacts', rows(...many(101)), 'LIMIT_EXCEEDED'],
    ['POST /Contacts', {}, 'MANDATORY_NOT_FOUND'],
    ['POST /Contacts', rows({ Last_Name: 'A', Nothing: 1 }), 'INVALID_DATA'],
    ['POST /Contacts', rows({ Last_Name: 'A', Full_Name: 'A' }), 'INVALID_DATA'],
    ['POST /Contacts', rows({ Last_Name: 'A', Languages: 'French' }), 'INVALID_DATA'],
    ['POST /Contacts', rows({ Last_Name: 'A', Lead_Source: 'Radio' }), 'INVALID_DATA'],
    ['POST /Contacts', rows({ Last_Name: 'A', Account_Name: 'Acme' }), 'INVALID_DATA'],
    ['POST /Contacts', rows({ Last_Name: 'A', Account_Name: { id: null } }), 'INVALID_DATA'],
    ['POST /Contacts', rows({ Last_Name: 'A'.repeat(81) }), 'INVALID_DATA'],
    ['POST /Tasks/upsert', rows({ Subject: 'A' }), 'NOT_SUPPORTED'],
    ['POST /Contacts/upsert', { ...rows({ Last_Name: 'A' }), duplicate_check_fields: ['Phone'] }, 'INVALID_DATA'],
    [`DELETE /Contacts?ids=${Array(101).fill('1').join(',')}`, undefined, 'LIMIT_EXCEEDED'],
    ['DELETE /Contacts', undefined, 'REQUIRED_PARAM_MISSING'],
  ] as const)('%s with %o is refused with %s', ([line, body, code]) =>
    withZoho({}, async (send, emulator) => {
      expect(codes(await send(line, body))).toEqual([400, code])
      expect(emulator.effects('Contacts', 'created')).toBe(0)
    }),
  )
})

// Get Records through a COQL Query, its limitations, and Kaizen 171
test.for([
  ["Last_Name in ('o''brien', 'x')", ["O'Brien"]],
  ["Email = 'A@x.test'", ["O'Brien"]],
  ['Email is not null limit 1 offset 1', ['Two']],
  ["Last_Name in ('nobody')", 204],
  ["Last_Name in ('o'brien')", 'SYNTAX_ERROR'],
  ["Last_Name in ('O\\'Brien')", 'SYNTAX_ERROR'],
  [`Last_Name in (${Array(51).fill("'a'").join(',')})`, 'LIMIT_EXCEEDED'],
  ["Last_Name = 'a' limit 2001", 'LIMIT_EXCEEDED'],
  ["Nothing = 'a'", 'INVALID_QUERY'],
  ["Description = 'a'", 'INVALID_QUERY'],
  ["Last_Name = 'a'", 'LIMIT_EXCEEDED', Array(51).fill('Email').join(', ')],
] as const)('a query where %s has %s', ([where, wanted, columns]) =>
  withZoho({}, async (send) => {
    await send(
      'POST /Contacts',
      rows({ Last_Name: "O'Brien", Email: 'a@x.test' }, { Last_Name: 'Two', Email: 'b@x.test' }),
    )
    const found = await send('POST /coql', coql(where, columns))
    const shown = found.status === 200 ? found.body.data.map(({ Last_Name }: Row) => Last_Name) : found.body?.code
    expect(shown ?? found.status).toEqual(wanted)
  }),
)
