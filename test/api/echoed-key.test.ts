import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createSender } from '../../src/api/writes/sender.ts'
import { CrmError } from '../../src/core/errors.ts'
import { sample } from '../harness/sample.ts'
import { MARK, NOTATIONS, partsIn } from '../marked-secret.ts'
import { sendJson, startServer } from './answering-server.ts'
import { ALL, allPages, CRM, failureOf, NO_KEY, openClient, SERVER_TERMS } from './client-fixture.ts'

const LENGTHS = sample(
  Array.from({ length: 600 }, (_, at) => at + 1),
  7,
)

/** Everything that an error carries, its causes included. */
function wordsOf(error: CrmError): string {
  const { message, details, cause } = error
  return [message, JSON.stringify(details), cause instanceof Error ? (cause.stack ?? '') : JSON.stringify(cause)].join()
}

/** A page of an outage that quotes the key behind so many characters, and one that the server itself cuts off there. */
const PAGES: Readonly<Record<string, (chars: number) => string>> = {
  'a text': (chars) => 'x'.repeat(chars) + MARK,
  'a text of nothing else, cut off': (chars) => MARK.repeat(20).slice(0, chars),
  'an HTML page': (chars) =>
    `<title>${'x'.repeat(chars)}${MARK.replaceAll(/[<"&]/g, (char) => `&#${char.charCodeAt(0)};`)}`,
  'a problem': (chars) => JSON.stringify({ detail: 'x '.repeat(chars) + MARK }),
  'a list of errors': (chars) => JSON.stringify({ errors: [{ field: 'x'.repeat(chars) + MARK, message: MARK }] }),
}

test.each(Object.entries(PAGES))(
  'an outage that answers with %s of any length shows no part of the key',
  async (_, page) => {
    const { url } = await startServer((response, { path }) => {
      const chars = Number(path.split('/').at(-1))
      response.writeHead(500, { 'x-request-id': 'x'.repeat(chars % 250) + MARK }).end(page(chars))
    })
    const { api, debugLines } = openClient(url, { key: MARK, maxWaitMs: 0 })
    for (const chars of LENGTHS) {
      const error = await failureOf(api.contacts.delete(String(chars), { ifMatch: undefined }))
      expect(partsIn(wordsOf(error)), `${chars} characters`).toEqual([])
    }
    expect(partsIn(debugLines.join('\n'))).toEqual([])
  },
)

/** The answers to a write that quote the key; `text` is one notation of it. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse, text: string) => void>> = {
  'a refusal': (response, text) => void response.writeHead(422).end(`{"detail":"no ${text}"}`),
  'a refused member': (response, text) => sendJson(response, 422, { errors: [{ pointer: `/${text}`, code: text }] }),
  'a text': (response, text) => void response.writeHead(400).end(text),
  'a header': (response, text) =>
    sendJson(
      response,
      409,
      {},
      {
        'x-request-id': Buffer.from(text)
          .toString('latin1')
          .replaceAll(/[^ -~]/g, ''),
      },
    ),
  'a redirect': (response) => void response.writeHead(302, { location: `/x/${MARK}` }).end(),
  'a success that is none': (response, text) => void response.writeHead(200).end(`{"data": ${text}`),
  'an error of GraphQL': (response, text) => sendJson(response, 200, { errors: [{ message: text }], data: null }),
}

for (const [name, answer] of Object.entries(ANSWERS)) {
  test(`${name} that quotes the key, in whatever notation, leaves nothing of it in an error or a failure`, async () => {
    const texts = Object.values(NOTATIONS)
    const { url } = await startServer((response, _, nth) => answer(response, texts[Math.floor((nth - 1) / 2)] ?? ''))
    const { api, debugLines } = openClient(url, { key: MARK, maxWaitMs: 0 })
    const options = {
      baseUrl: url,
      key: MARK,
      terms: SERVER_TERMS,
      connector: CRM(url, SERVER_TERMS),
      timeoutMs: 5000,
      userAgent: 'crm',
      now: Date.now,
    }
    const sender = createSender({ ...options, debug: (line) => debugLines.push(line), connections: 1 })
    for (const text of texts) {
      const error = await failureOf(api.contacts.create({}, NO_KEY))
      expect(partsIn(wordsOf(error)), text).toEqual([])
      const write = { kind: 'create', resource: 'contact', body: Buffer.from('{}'), ifMatch: undefined } as const
      const {
        cause: _,
        body,
        ...outcome
      } = { body: undefined, cause: undefined, ...(await sender.send({ ...write, idempotencyKey: 'a', action: 'x' })) }
      expect(partsIn(JSON.stringify(outcome) + body), text).toEqual([])
    }
    await sender.close()
    expect(partsIn(debugLines.join('\n'))).toEqual([])
  })
}

test('a record that holds the very key has it taken out, and keeps what only looks like a secret', async () => {
  const record = {
    id: 'con_1',
    note: `told: ${MARK}.`,
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    part: MARK.slice(0, 20),
  }
  const { url } = await startServer((response) => sendJson(response, 200, { data: [record], next_cursor: null }))
  const { api } = openClient(url, { key: MARK })
  const [page] = await allPages(api.contacts.list(ALL))
  expect(page?.items).toEqual([{ ...record, note: 'told: [redacted].' }])
})

test('crm api receives the answer unchanged, and its error redacted', async () => {
  const { url } = await startServer((response) => sendJson(response, 422, { detail: MARK }, { 'x-echo': 'Marked' }))
  const { api } = openClient(url, { key: MARK })
  const path = { method: 'GET', path: '/echo', headers: [], bytes: undefined, idempotencyKey: undefined } as const
  const { reply, error } = await api.raw.send(path)
  expect(JSON.parse(String(reply?.body))).toEqual({ detail: MARK })
  expect(reply?.headers).toMatchObject({ 'x-echo': 'Marked' })
  expect(error).toBeInstanceOf(CrmError)
  expect(partsIn(wordsOf(error as CrmError))).toEqual([])
})
