import { describe, expect, test } from 'vitest'
import { ask, askAll, type Reply } from './ask.ts'
import { type SalesforceOptions, startSalesforce } from './salesforce.ts'

// Each part names the page of the REST API Developer Guide or of the SOQL and SOSL Reference that says so.

type Ask = (line: string, json?: unknown) => Promise<Reply>

const BASE = '/services/data/v62.0'

async function withSalesforce(
  options: SalesforceOptions,
  use: (ask: Ask, emulator: Awaited<ReturnType<typeof startSalesforce>>) => Promise<void>,
): Promise<void> {
  await using emulator = await startSalesforce(options)
  const headers = { authorization: `Bearer ${emulator.key}` }
  await use((line, json) => ask(emulator.url, line.replace(' ', ` ${BASE}`), { json, headers }), emulator)
}

const soql = (text: string) => `GET /query?q=${encodeURIComponent(text)}`
const names = ({ body }: Reply): string[] => body.records.map(({ Name }: Reply['body']) => Name)
const codes = ({ body }: Reply): string[] => body.map(({ errorCode }: Reply['body']) => errorCode)
const rowCodes = ({ body }: Reply): string[] =>
  body.map(({ success, errors: [error] }: Reply['body']) => (success ? 'done' : error.statusCode))
const rows = (all: readonly object[], type = 'Contact') => ({
  allOrNone: false,
  records: all.map((row) => ({ attributes: { type }, ...row })),
})

const OPEN = { Name: 'D', StageName: 'Prospecting', CloseDate: '2026-05-01' }

// Query, and Query More Results
describe('queries', () => {
  test('have 2,000 records in a page, and the address of the next one until they are done', () =>
    withSalesforce({ records: 4500 }, async (send) => {
      const found = await askAll(
        (next) => send(next === undefined ? soql('SELECT Id, Name FROM Contact ORDER BY Id') : `GET ${next}`),
        ({ records, nextRecordsUrl, done, totalSize }) => {
          expect([totalSize, done]).toEqual([4500, nextRecordsUrl === undefined])
          return { rows: records as never, next: String(nextRecordsUrl ?? '').replace(BASE, '') || undefined }
        },
      )
      expect([new Set(found.rows.map(({ Id }) => Id)).size, found.pages]).toEqual([4500, 3])
      expect((await send('GET /query/01g5g00000000009-2000')).status).toBe(400)
    }))

  test('show each record with its type and the asked fields, times without a colon in the zone', () =>
    withSalesforce({ records: 1 }, async (send) => {
      const [record] = (await send(soql('select id, createddate from contact'))).body.records
      expect(record).toEqual({
        attributes: { type: 'Contact', url: `${BASE}/sobjects/Contact/${record.Id}` },
        Id: record.Id,
        CreatedDate: '2026-01-01T00:00:01.000+0000',
      })
    }))

  // Quoted String Escape Sequences, fieldExpression Syntax, LIMIT, OFFSET
  test.for([
    [String.raw`LastName = 'o\'brien'`, ["Pat O'Brien"]],
    ["Email IN ('A@X.test', 'nobody@x.test')", ['Ann']],
    ["NOT (LastName = 'Ann' OR Email = null)", ["Pat O'Brien"]],
    ["LastName LIKE '%n' AND Score__c >= 2.5", ['Ann']],
    ["LastName NOT IN ('Ann') AND DoNotCall = false", ["Pat O'Brien", 'Zoe']],
    ['CreatedDate >= 2026-01-01T00:00:00Z ORDER BY LastName DESC LIMIT 2', ['Zoe', "Pat O'Brien"]],
    ['Score__c = null ORDER BY LastName LIMIT 1 OFFSET 1', ['Zoe']],
  ] as const)('WHERE %s', ([where, expected]) =>
    withSalesforce({}, async (send) => {
      for (const row of [
        { FirstName: 'Pat', LastName: "O'Brien", Email: 'o@x.test' },
        { LastName: 'Ann', Email: 'a@x.test', Score__c: 2.5 },
        { LastName: 'Zoe' },
      ])
        await send('POST /sobjects/Contact', row)
      const found = names(await send(soql(`SELECT Name FROM Contact WHERE ${where}`)))
      expect(where.includes('ORDER') ? found : found.toSorted()).toEqual(
        where.includes('ORDER') ? expected : expected.toSorted(),
      )
    }),
  )

  test.for([
    ["SELECT Id FROM Contact WHERE LastName = 'O'Brien'", 'MALFORMED_QUERY'],
    ["SELECT Id FROM Contact WHERE LastName = 'O", 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact WHERE LastName = Ann', 'INVALID_FIELD'],
    ["SELECT Id FROM Contact WHERE CreatedDate > '2026-01-01T00:00:00Z'", 'INVALID_FIELD'],
    ['SELECT Id, FROM Contact', 'MALFORMED_QUERY'],
    ['SELECT Nope FROM Contact', 'INVALID_FIELD'],
    ['SELECT Id FROM Nope', 'INVALID_TYPE'],
    ["SELECT Id FROM Contact WHERE Id = 'nope'", 'INVALID_QUERY_FILTER_OPERATOR'],
    ["SELECT Id FROM Note WHERE Body = 'a'", 'INVALID_FIELD'],
    ['SELECT Id FROM Contact ORDER BY Id OFFSET 2001', 'NUMBER_OUTSIDE_VALID_RANGE'],
    ['SELECT Id FROM Contact WHERE', 'MALFORMED_QUERY'],
  ] as const)('%s is refused with %s', ([text, code]) =>
    withSalesforce({}, async (send) => {
      const reply = await send(soql(text))
      expect([reply.status, codes(reply)]).toEqual([400, [code]])
    }),
  )

  test('of a longer address than 16,384 characters are refused', () =>
    withSalesforce({}, async (send) => {
      const emails = Array.from({ length: 700 }, (_, n) => `'person${n}@example.com'`)
      expect((await send(soql(`SELECT Id FROM Contact WHERE Email IN (${emails})`))).status).toBe(431)
    }))
})

// Describe Global, sObject Describe
test('objects and fields are described: what is required, set by the server, restricted, an external id', () =>
  withSalesforce({}, async (send) => {
    const { sobjects } = (await send('GET /sobjects')).body
    expect(sobjects.map(({ name }: Reply['body']) => name)).toEqual(
      expect.arrayContaining(['Account', 'Contact', 'Opportunity', 'Task', 'Note']),
    )
    const { fields } = (await send('GET /sobjects/contact/describe')).body
    const byName = Object.fromEntries(fields.map((field: Reply['body']) => [field.name, field]))
    expect(byName.LastName).toMatchObject({ createable: true, nillable: false, defaultedOnCreate: false, length: 80 })
    expect(byName.Name).toMatchObject({ createable: false, updateable: false })
    expect(byName.Key__c).toMatchObject({ externalId: true, unique: true, custom: true, idLookup: true })
    expect(byName.Email).toMatchObject({ type: 'email', externalId: false, idLookup: true })
    expect(byName.AccountId).toMatchObject({ type: 'reference', referenceTo: ['Account'] })
    expect(byName.Level__c).toMatchObject({ type: 'picklist', restrictedPicklist: true })
    expect(byName.Level__c.picklistValues).toMatchObject([{ value: 'Primary' }, {}, {}])
    expect((await send('GET /sobjects/Nope/describe')).status).toBe(404)
  }))

// sObject Rows; Status Codes and Error Responses
describe('records', () => {
  test('are created, read by an id of 15 or 18 characters, changed and deleted', () =>
    withSalesforce({}, async (send, { effects }) => {
      const made = await send('POST /sobjects/Contact', { LastName: ' Ann ', Email: 'Ann@X.test' })
      expect([made.status, made.body]).toEqual([201, { id: expect.any(String), success: true, errors: [] }])
      const { id } = made.body
      expect(id).toMatch(/^003.{15}$/)
      const read = await send(`GET /sobjects/Contact/${id.slice(0, 15)}?fields=LastName,Email`)
      expect(read.body).toMatchObject({ LastName: 'Ann', Email: 'ann@x.test' })
      expect((await send(`PATCH /sobjects/Contact/${id}`, { LastName: 'Bea', Email: null })).status).toBe(204)
      expect((await send(`GET /sobjects/Contact/${id}`)).body).toMatchObject({ Name: 'Bea', Email: null })
      expect((await send(`DELETE /sobjects/Contact/${id}`)).status).toBe(204)
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const gone = await send(`${method} /sobjects/Contact/${id}`, method === 'PATCH' ? { LastName: 'C' } : undefined)
        expect([gone.status, codes(gone)]).toEqual([404, ['ENTITY_IS_DELETED']])
      }
      expect(codes(await send('GET /sobjects/Contact/0035g00000000ZZ'))).toEqual(['NOT_FOUND'])
      expect(effects('Contact', 'created') + effects('Contact', 'updated') + effects('Contact', 'deleted')).toBe(3)
    }))

  test.for([
    ['Contact', { FirstName: 'A' }, 'REQUIRED_FIELD_MISSING', ['LastName']],
    ['Contact', { LastName: 'A', Email: 'nowhere' }, 'INVALID_EMAIL_ADDRESS', ['Email']],
    ['Contact', { LastName: 'A', Level__c: 'Purple' }, 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', ['Level__c']],
    ['Contact', { LastName: 'A', FirstName: 'x'.repeat(41) }, 'STRING_TOO_LONG', ['FirstName']],
    ['Contact', { LastName: 'A', Name: 'A' }, 'INVALID_FIELD_FOR_INSERT_UPDATE', ['Name']],
    ['Contact', { LastName: 'A', AccountId: 'x' }, 'MALFORMED_ID', ['AccountId']],
    ['Contact', { LastName: 'A', AccountId: '0015g00000000ZZ' }, 'INVALID_CROSS_REFERENCE_KEY', ['AccountId']],
    ['Contact', { LastName: 'A', OwnerId: '0055g0000000003AAA' }, 'INACTIVE_OWNER_OR_USER', []],
    ['Contact', { LastName: 'A', Key__c: 'K1' }, 'DUPLICATE_VALUE', []],
    ['Contact', { LastName: 'A', Nope__c: 1 }, 'INVALID_FIELD', undefined],
    ['Contact', { LastName: 'A', Birthdate: 'May' }, 'JSON_PARSER_ERROR', undefined],
    ['Account', {}, 'REQUIRED_FIELD_MISSING', ['Name']],
    ['Opportunity', { Name: 'D' }, 'REQUIRED_FIELD_MISSING', ['StageName', 'CloseDate']],
    ['Note', { Title: 'N' }, 'REQUIRED_FIELD_MISSING', ['ParentId']],
  ] as const)('%s %j is refused with %s', ([object, row, code, fields]) =>
    withSalesforce({}, async (send, { records }) => {
      await send('POST /sobjects/Contact', { LastName: 'First', Key__c: 'k1' })
      const before = records(object).length
      const reply = await send(`POST /sobjects/${object}`, row)
      expect([reply.status, codes(reply), reply.body[0].fields]).toEqual([400, [code], fields])
      expect(records(object)).toHaveLength(before)
    }),
  )

  test('an unrestricted picklist takes any value, and a task has its usual status', () =>
    withSalesforce({}, async (send, { records }) => {
      await send('POST /sobjects/Opportunity', { ...OPEN, StageName: 'Nowhere' })
      await send('POST /sobjects/Task', { Subject: 'Call', ActivityDate: '2026-05-01' })
      expect(records('Opportunity')).toMatchObject([{ StageName: 'Nowhere', IsClosed: false }])
      expect(records('Task')).toMatchObject([{ Status: 'Not Started', Priority: 'Normal' }])
    }))

  test('rules of the organization refuse them: validation, duplicates, a locked row', () =>
    withSalesforce(
      {
        records: 1,
        hasDuplicateRule: true,
        validates: (_, { Phone }) => (Phone === '0' ? { message: 'A phone has digits.', field: 'Phone' } : undefined),
        locks: (_, { Title }) => Title === 'locked',
      },
      async (send) => {
        const create = async (row: object) => codes(await send('POST /sobjects/Contact', { LastName: '1', ...row }))
        expect(await create({ Phone: '0' })).toEqual(['FIELD_CUSTOM_VALIDATION_EXCEPTION'])
        expect(await create({ Email: 'person1@example.com' })).toEqual(['DUPLICATES_DETECTED'])
        expect(await create({ Title: 'locked' })).toEqual(['UNABLE_TO_LOCK_ROW'])
      },
    ))

  test('without a session, and beyond the limit of a day, every request is refused', () =>
    withSalesforce({ rate: { requests: 1, perMs: 60_000 } }, async (send, { url }) => {
      const nobody = await ask(url, `GET ${BASE}/sobjects`, { headers: { authorization: 'Bearer x' } })
      expect([nobody.status, codes(nobody)]).toEqual([401, ['INVALID_SESSION_ID']])
      const limited = await send('GET /sobjects')
      expect([limited.status, codes(limited)]).toEqual([403, ['REQUEST_LIMIT_EXCEEDED']])
      expect(limited.headers.get('sforce-limit-info')).toBe('api-usage=1/1')
    }))
})

// sObject Rows by External ID
test('an upsert by external id creates, changes, or names the several records that have it', () =>
  withSalesforce({ records: 1 }, async (send) => {
    const put = (path: string, row: object) => send(`PATCH /sobjects/Contact/${path}`, row)
    expect(await put('Key__c/7', { LastName: 'A' })).toMatchObject({ status: 201, body: { created: true } })
    expect(await put('Key__c/7', { LastName: 'B' })).toMatchObject({ status: 200, body: { created: false } })
    expect((await send('GET /sobjects/Contact/Key__c/7')).body).toMatchObject({ LastName: 'B', Key__c: '7' })
    expect(codes(await put('Key__c/7', { Key__c: '7', LastName: 'B' }))).toEqual(['INVALID_FIELD'])
    expect(codes(await put('Title/x', { LastName: 'B' }))).toEqual(['NOT_FOUND'])
    await send('POST /sobjects/Contact', { LastName: '1', Email: 'person1@example.com' })
    const several = await put('Email/person1@example.com', { LastName: 'C' })
    expect([several.status, several.body.length]).toEqual([300, 2])
  }))

// sObject Collections: create, update, upsert, delete
describe('collections', () => {
  test('have a result for each row, in the order of the request, and write the rows that are right', () =>
    withSalesforce({ records: 2 }, async (send, { records }) => {
      const created = await send(
        'POST /composite/sobjects',
        rows([{ LastName: 'A' }, { FirstName: 'B' }, { LastName: 'C', Level__c: 'Purple' }, { LastName: 'D' }]),
      )
      expect(created.status).toBe(200)
      expect(rowCodes(created)).toEqual([
        'done',
        'REQUIRED_FIELD_MISSING',
        'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
        'done',
      ])
      const [first, second] = records('Contact').map(({ Id }) => String(Id))
      const changes = [
        { id: second, LastName: 'Z' },
        { id: first, Email: 'x' },
        { id: 'nope', LastName: 'Y' },
      ]
      expect(rowCodes(await send('PATCH /composite/sobjects', rows(changes)))).toEqual([
        'done',
        'INVALID_EMAIL_ADDRESS',
        'MALFORMED_ID',
      ])
      const deletion = `DELETE /composite/sobjects?ids=${first},nope,${second}&allOrNone=false`
      expect(rowCodes(await send(deletion))).toEqual(['done', 'MALFORMED_ID', 'done'])
      expect(rowCodes(await send(deletion))).toEqual(['ENTITY_IS_DELETED', 'MALFORMED_ID', 'ENTITY_IS_DELETED'])
      expect(records('Contact').map(({ LastName }) => LastName)).toEqual(['A', 'D'])
    }))

  test('upsert by an external id or a field that looks records up, and say which rows they created', () =>
    withSalesforce({ records: 1 }, async (send) => {
      await send('POST /sobjects/Contact', { LastName: 'X', Email: 'twice@x.test' })
      await send('POST /sobjects/Contact', { LastName: 'Y', Email: 'twice@x.test' })
      const upserted = await send(
        'PATCH /composite/sobjects/Contact/Email',
        rows([
          { LastName: 'A', Email: 'PERSON1@example.com' },
          { LastName: 'B', Email: 'new@x.test' },
          { LastName: 'C', Email: 'twice@x.test' },
          { LastName: 'D' },
          { LastName: 'E', Email: 'same@x.test' },
          { LastName: 'F', Email: 'same@x.test' },
        ]),
      )
      const outcomes = [
        'done',
        'done',
        'DUPLICATE_EXTERNAL_ID',
        'MISSING_ARGUMENT',
        'DUPLICATE_VALUE',
        'DUPLICATE_VALUE',
      ]
      expect(rowCodes(upserted)).toEqual(outcomes)
      expect(upserted.body.slice(0, 2)).toMatchObject([{ created: false }, { created: true }])
    }))

  test.for([
    ['an unknown column', [{ LastName: 'A' }, { LastName: 'B', Nope__c: 1 }], 'INVALID_FIELD'],
    ['a value of another type', [{ LastName: 'A' }, { LastName: 'B', Score__c: 'x' }], 'JSON_PARSER_ERROR'],
    ['more than 200 rows', Array.from({ length: 201 }, () => ({ LastName: 'A' })), 'EXCEEDED_MAX_SIZE_REQUEST'],
  ] as const)('%s refuses them whole', ([_, all, code]) =>
    withSalesforce({}, async (send, { records }) => {
      const reply = await send('POST /composite/sobjects', rows(all))
      expect([reply.status, codes(reply), records('Contact')]).toEqual([400, [code], []])
    }),
  )

  test('of all or none, one wrong row takes the others back', () =>
    withSalesforce({}, async (send, { records }) => {
      const all = { ...rows([{ LastName: 'A' }, { FirstName: 'B' }]), allOrNone: true }
      const outcomes = ['ALL_OR_NONE_OPERATION_ROLLED_BACK', 'REQUIRED_FIELD_MISSING']
      expect(rowCodes(await send('POST /composite/sobjects', all))).toEqual(outcomes)
      expect(records('Contact')).toEqual([])
    }))
})

test('a request whose answer is lost was carried out', () =>
  withSalesforce(
    { faults: ({ method }) => (method === 'POST' ? 'lose-answer' : undefined) },
    async (send, emulator) => {
      await expect(send('POST /composite/sobjects', rows([{ LastName: 'A' }]))).rejects.toThrow()
      expect([emulator.records('Contact').length, emulator.effects('Contact', 'created')]).toEqual([1, 1])
    },
  ))
