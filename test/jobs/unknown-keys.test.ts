import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { keysOf, makeJob, sendJob } from './job-fixture.ts'
import { leaveLease } from './left-lease.ts'

const LIFE_MS = 50

const people = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `Person ${at}` }))

interface LossKind {
  readonly hasEffect: boolean
  readonly answer: (response: ServerResponse) => void
}

const reset = (response: ServerResponse) => void response.destroy()
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    sendJson(response, code, {}, headers)

const LOSSES = {
  'reset behind the effect': { hasEffect: true, answer: reset },
  'reset before the effect': { hasEffect: false, answer: reset },
  '500 with effect': { hasEffect: true, answer: status(500) },
  '500 without effect': { hasEffect: false, answer: status(500) },
  '503 without Retry-After': { hasEffect: false, answer: status(503) },
  'an answer that is cut off': {
    hasEffect: true,
    answer: (response) =>
      void response.writeHead(201, { 'content-length': 500 }).write('{"id":', () => response.destroy()),
  },
  '429': { hasEffect: false, answer: status(429, { 'retry-after': '0.01' }) },
  '503 with Retry-After': { hasEffect: false, answer: status(503, { 'retry-after': '0.01' }) },
} as const satisfies Record<string, LossKind>

type Loss = keyof typeof LOSSES | undefined

interface ServerOptions {
  /** Of the nth try of a create. */
  readonly lose: (nth: number) => Loss
  /** Whether its list shows what it has. */
  readonly list?: 'shown' | 'names' | 'empty' | 'missing'
  readonly headers?: Record<string, string>
}

/** A server that ignores idempotency keys: each request that arrives makes a record. */
async function startForgetful({ lose, list = 'shown', headers = {} }: ServerOptions) {
  const records: JsonObject[] = []
  let tries = 0
  const bodies: string[] = []
  const make = (body: string): JsonObject => {
    const record = { id: `con_${records.length + 1}`, ...JSON.parse(body), created_at: new Date().toISOString() }
    records.push(record)
    return record
  }
  const read = (response: ServerResponse, path: string) => {
    if (!path.startsWith('/v1/contacts') || list === 'missing') return sendJson(response, 404, {})
    const data = list === 'names' ? records.map(({ id, name }) => ({ id, name })) : list === 'shown' ? records : []
    sendJson(response, 200, { data, next_cursor: null }, headers)
  }
  const { url, seen } = await startServer((response, { method, path, body }) => {
    if (method === 'GET') return read(response, path)
    bodies.push(body)
    const loss = lose(++tries)
    const record = loss === undefined || LOSSES[loss].hasEffect ? make(body) : {}
    if (loss === undefined) sendJson(response, 201, record, headers)
    else LOSSES[loss].answer(response)
  })
  return { url, seen, records, bodies }
}

const unknown = () => ({ terms: { lifeMs: LIFE_MS, keys: keysOf(undefined) } })

const AMBIGUOUS = [
  'reset behind the effect',
  'reset before the effect',
  '500 with effect',
  '500 without effect',
  '503 without Retry-After',
  'an answer that is cut off',
] as const

test.each(AMBIGUOUS)('%s: a create that may have happened is looked up before it is sent again', async (loss) => {
  const server = await startForgetful({ lose: (nth) => (nth % 5 === 2 ? loss : undefined) })
  const { outcome } = await sendJob(await makeJob(people(12)), server.url, unknown())
  expect(outcome.account).toMatchObject({ rows: 12, done: 12, in_doubt: 0 })
  expect(server.records.map(({ name }) => name).toSorted()).toEqual(
    people(12)
      .map(({ name }) => name)
      .toSorted(),
  )
})

test.each(['429', '503 with Retry-After'] as const)(
  '%s had no effect, so the row is sent again at once, without a look',
  async (loss) => {
    const server = await startForgetful({ lose: (nth) => (nth < 3 ? loss : undefined) })
    const { outcome } = await sendJob(await makeJob(people(5)), server.url, unknown())
    expect(outcome.account).toMatchObject({ done: 5, in_doubt: 0 })
    expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1)
  },
)

test.each(['missing', 'empty'] as const)(
  'where the list is %s, what may have happened is in doubt, and never sent again',
  async (list) => {
    const server = await startForgetful({
      list,
      lose: (nth) => (nth % 4 === 1 ? 'reset behind the effect' : undefined),
    })
    const { outcome } = await sendJob(await makeJob(people(12)), server.url, unknown())
    expect(outcome.account).toMatchObject({ rows: 12, done: 9, in_doubt: 3 })
    expect(new Set(server.bodies).size).toBe(server.bodies.length)
  },
)

test('if the list shows only names, creates that may have happened are in doubt, and others are sent again', async () => {
  const rows = people(12).map(({ name }, at) => ({ name, email: `p${at}@x.test` }))
  const losses: readonly Loss[] = ['reset behind the effect', undefined, 'reset before the effect', undefined]
  const server = await startForgetful({ list: 'names', lose: (nth) => (nth <= 12 ? losses[nth % 4] : undefined) })
  const { outcome } = await sendJob(await makeJob(rows), server.url, unknown())
  expect(outcome.account).toMatchObject({ rows: 12, done: 9, in_doubt: 3 })
  expect(server.records.map(({ email }) => email).toSorted()).toEqual(rows.map(({ email }) => email).toSorted())
})

const TAKEN_ANSWER = { status: 'accepted' }

test.each(['kept', undefined] as const)(
  'a create that is answered with a doubtful 2xx is sent once, keys %s: a resume adopts it where it appeared, and it is otherwise in doubt',
  async (idempotency) => {
    const records: JsonObject[] = []
    const { url, seen } = await startServer((response, { method, body }) => {
      if (method === 'GET') return sendJson(response, 200, { data: records, next_cursor: null })
      const id = `con_${seen.length}`
      const make = () => records.push({ id, ...JSON.parse(body), created_at: new Date().toISOString() })
      if (!body.includes('Person 0')) setTimeout(make, 30)
      sendJson(response, 202, TAKEN_ANSWER)
    })
    const terms = { lifeMs: 600, keys: keysOf(idempotency) }
    const paths = await makeJob(people(3))
    const { outcome } = await sendJob(paths, url, { terms })
    expect(outcome).toMatchObject({ account: { done: 0, in_doubt: 3 }, stop: { why: 'contradicted' } })
    const again = { terms: { ...terms, isDoubtReopened: true } }
    expect((await sendJob(paths, url, again)).outcome.account).toMatchObject({ done: 2, in_doubt: 1 })
    expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(3)
  },
)

test('an empty list proves nothing if it never contained a created record', async () => {
  const server = await startForgetful({ list: 'empty', lose: () => 'reset behind the effect' })
  const { outcome } = await sendJob(await makeJob(people(2)), server.url, unknown())
  expect(outcome.account).toMatchObject({ done: 0, in_doubt: 2 })
  expect(server.records).toHaveLength(2)
})

test('a server that shows that it keeps keys receives lost requests again under the same key', async () => {
  const server = await startForgetful({
    lose: (nth) => (nth === 2 ? 'reset before the effect' : undefined),
    headers: { 'idempotent-replayed': 'false' },
  })
  const { outcome } = await sendJob(await makeJob(people(5)), server.url, unknown())
  expect(outcome.account).toMatchObject({ done: 5 })
  expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1)
})

test('a connector without keys is believed over what the server shows', async () => {
  const server = await startForgetful({
    lose: (nth) => (nth === 2 ? 'reset behind the effect' : undefined),
    headers: { 'idempotent-replayed': 'false' },
  })
  const terms = { lifeMs: LIFE_MS, keys: keysOf('none') }
  const { outcome } = await sendJob(await makeJob(people(5)), server.url, { terms })
  expect(outcome.account).toMatchObject({ done: 5 })
  expect(server.records).toHaveLength(5)
})

test('rows that a killed process may have sent are looked up before they are sent again', async () => {
  const paths = await makeJob(people(4))
  const server = await startForgetful({ lose: () => undefined })
  await leaveLease(paths, { leasedMs: Date.now() - 1000, windowMs: 1_800_000, lifeMs: LIFE_MS, keyMark: '00000000' })
  const created = new Date().toISOString()
  server.records.push({ id: 'con_of_before', name: 'Person 2', created_at: created })
  const { outcome } = await sendJob(paths, server.url, unknown())
  expect(outcome.account).toMatchObject({ done: 4 })
  expect(server.records.map(({ name }) => name).toSorted()).toEqual(people(4).map(({ name }) => name))
})
