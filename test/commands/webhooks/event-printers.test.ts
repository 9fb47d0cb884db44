import { expect, test } from 'vitest'
import { createTablePrinter } from '../../../src/commands/webhooks/choose-printer.ts'
import { createJsonlPrinter } from '../../../src/commands/webhooks/jsonl-printer.ts'
import type { ForwardResult, ReceivedEvent, RejectedRequest } from '../../../src/core/webhook-events.ts'
import { createStyles } from '../../../src/output/terminal-text.ts'
import { readEvent } from '../../../src/webhooks/read-event.ts'

const RECEIVED_AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 6)

function event(body: string | Buffer, more: Partial<ReceivedEvent> = {}): ReceivedEvent {
  const { body: read, facts } = readEvent(Buffer.from(body))
  const { name, recordId } = facts
  return {
    type: 'event',
    id: 'evt_1',
    name,
    recordId,
    receivedAtMs: RECEIVED_AT_MS,
    isVerified: true,
    isDuplicate: false,
    scheme: 'standard-webhooks',
    subscriptionId: undefined,
    body: read,
    delivery: { url: 'http://127.0.0.1:4242/', headers: [], bytes: Buffer.from(body) },
    ...more,
  }
}

const rejected: RejectedRequest = {
  type: 'rejected',
  reason: 'stale',
  status: 401,
  detail: 'signed 301 s ago, expected 300 s at most',
  receivedAtMs: RECEIVED_AT_MS,
  method: 'POST',
  path: '/\x1b[2J',
  headerNames: ['host', 'webhook-id'],
}

const READY = {
  url: 'http://127.0.0.1:4242/',
  publicUrl: undefined,
  isVerifying: true,
  subscriptionId: undefined,
  folder: '/log',
}

const forwarded: ForwardResult = {
  type: 'forwarded',
  id: 'evt_1',
  name: 'a.b',
  target: 'http://localhost:3000/',
  receivedAtMs: RECEIVED_AT_MS,
  startedAtMs: RECEIVED_AT_MS,
  tookMs: 12,
  attempt: 2,
  status: 500,
  failure: 'answered 500',
  retryInMs: 4000,
  response: '\x1b[2Jno',
}

const jsonl = createJsonlPrinter()
const piped = createTablePrinter({ write: () => true }, createStyles(false))

test('jsonl has these members, in this order', () => {
  expect(jsonl.ready({ ...READY, subscriptionId: 'wh_1' })).toBe(
    '{"type":"ready","url":"http://127.0.0.1:4242/","verifies":true,"subscription_id":"wh_1","public_url":null,"log":"/log"}\n',
  )
  expect(jsonl.line(event('{"type":"a.b","data":{"id":"x"}}'))).toBe(
    '{"type":"event","id":"evt_1","event":"a.b","record_id":"x","received_at":"2026-01-02T03:04:05.006Z",' +
      '"verified":true,"duplicate":false,"scheme":"standard-webhooks","body":{"type":"a.b","data":{"id":"x"}}}\n',
  )
  expect(jsonl.line(rejected)).toBe(
    '{"type":"rejected","reason":"stale","status":401,"detail":"signed 301 s ago, expected 300 s at most",' +
      '"received_at":"2026-01-02T03:04:05.006Z","method":"POST","path":"/\\u001b[2J","headers":["host","webhook-id"]}\n',
  )
})

test('jsonl states the outcome of a forwarded event', () => {
  expect(jsonl.line(forwarded)).toBe(
    '{"type":"forwarded","id":"evt_1","event":"a.b","target":"http://localhost:3000/","status":500,"failure":"answered 500",' +
      '"attempt":2,"retry_in_ms":4000,"started_at":"2026-01-02T03:04:05.006Z","took_ms":12,"response":"\\u001b[2Jno"}\n',
  )
  const { response: _, ...executed } = forwarded
  expect(JSON.parse(jsonl.line({ ...executed, type: 'executed', status: 1, response: undefined }))).toMatchObject({
    type: 'executed',
    exit: 1,
  })
  const simulated = { type: 'simulated', id: 'evt_1', name: 'a.b', status: 500, delayMs: 5 } as const
  expect(jsonl.line({ ...simulated, atMs: RECEIVED_AT_MS })).toBe(
    '{"type":"simulated","id":"evt_1","event":"a.b","status":500,"delay_ms":5,"at":"2026-01-02T03:04:05.006Z"}\n',
  )
})

test('a table shows below an event its target, the time taken, and the next step', () => {
  expect(piped.line(forwarded)).toBe(
    '2026-01-02T03:04:05Z  a.b              evt_1            ' +
      '-> 500 http://localhost:3000/ 12 ms (try 2): answered 500, again in 4 s \\x1b[2Jno\n',
  )
  const unanswered = { ...forwarded, status: undefined, attempt: 1, failure: 'nothing listens there' }
  expect(piped.line({ ...unanswered, retryInMs: undefined, response: undefined })).toBe(
    '2026-01-02T03:04:05Z  a.b              evt_1            -> no answer http://localhost:3000/ 12 ms: nothing listens there\n',
  )
})

test('jsonl leaves numbers, order and doubled members of a body as they were written, on one line', () => {
  const text = '{\r\n "b": 12345678901234567890,\n "a": 1.10, "a": 1e400 }\n'
  const line = jsonl.line(event(text))
  expect(line).toContain('"body":{  "b": 12345678901234567890,  "a": 1.10, "a": 1e400 }}\n')
  expect(line.trimEnd()).not.toContain('\n')
})

test('jsonl escapes what a terminal obeys, and the value stays the same', () => {
  const value = { name: 'a\u202eb\u2028c\u009bd\\', 'k\u2066': ['\u007f'] }
  const line = jsonl.line(event(JSON.stringify(value)))
  expect(line).toMatch(/^[\x20-\x7e]+\n$/)
  expect(JSON.parse(line).body).toEqual(value)
})

test('jsonl of a body nested a hundred thousand deep is a line that any reader of JSON takes: its body is text', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const line = JSON.parse(jsonl.line(event(`{"type":"deal.updated","data":${deep}}`)))
  expect(line).toMatchObject({ event: 'deal.updated', body_text: `{"type":"deal.updated","data":${deep}}` })
  expect(Object.keys(line)).not.toContain('body')
})

test('a body that is no JSON is text, or else base64', () => {
  expect(JSON.parse(jsonl.line(event('a=1\n')))).toMatchObject({ event: null, record_id: null, body_text: 'a=1\n' })
  const line = JSON.parse(jsonl.line(event(Buffer.from([0xff]))))
  expect(line).toMatchObject({ body_base64: '/w==' })
  expect(Object.keys(line)).not.toContain('body')
})

test('a table line states the time, the event, its id, and the changes or the name of its record', () => {
  expect(piped.ready(READY)).toBe('TIME                  EVENT            ID               SUMMARY\n')
  const data = { id: 'con_0s9nf8t2c00', name: 'Ada', email: 'ada@example.test' }
  expect(piped.line(event(JSON.stringify({ type: 'contact.created', data })))).toBe(
    '2026-01-02T03:04:05Z  contact.created  evt_1            Ada, ada@example.test [con_0s9nf8t2c00]\n',
  )
  const update = { type: 'deal.updated', data: { id: 'deal_1', stage: 'Won' }, previous: { stage: 'Lead', owner: 'o' } }
  expect(piped.line(event(JSON.stringify(update), { isDuplicate: true }))).toBe(
    '2026-01-02T03:04:05Z  deal.updated     evt_1            (duplicate) stage: Lead -> Won, owner: o -> none [deal_1]\n',
  )
})

test('a table marks every unverified event, and shows why a request was rejected', () => {
  expect(piped.line(event(Buffer.from([0xff, 0x1b]), { isVerified: false }))).toBe(
    '2026-01-02T03:04:05Z  -                evt_1            (UNVERIFIED) 2 bytes, not read as JSON\n',
  )
  expect(piped.line(rejected)).toBe(
    '2026-01-02T03:04:05Z  rejected         401              ' +
      'stale: signed 301 s ago, expected 300 s at most (POST /\\x1b[2J)\n',
  )
})

test('a table shows no control character of an event, wherever it stands', () => {
  const evil = '\x1b]0;x\x07\u202e\n'
  const data = { id: evil, name: evil, [evil]: 1 }
  for (const previous of [undefined, { name: evil, [evil]: evil }]) {
    const line = piped.line(event(JSON.stringify({ type: evil, data, previous })))
    expect(line).toMatch(/^[\x20-\x7e]+\n$/)
  }
})

test('a table shows any body quickly: nested a hundred thousand deep, a text of 1 MiB, very many changes', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const long = JSON.stringify('👩‍👩‍👧'.repeat(60_000))
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at])))
  const startMs = performance.now()
  expect(piped.line(event(deep))).toMatch(/ 200000 bytes, not read as JSON\n$/)
  expect(piped.line(event('{"data":{"name":[[1]],"stage":{"a":1}}}'))).toMatch(/\[1 items\], \{1 members\}\n$/)
  expect(piped.line(event(`{"type":${long},"data":{"id":${long},"name":${long}}}`)).length).toBeLessThan(1000)
  expect(piped.line(event(`{"data":{},"previous":${many}}`))).toMatch(/k7: 7 -> none, …\n$/)
  expect(performance.now() - startMs).toBeLessThan(10_000)
})

test('in a terminal a line is cut to its width', () => {
  const terminal = createTablePrinter({ write: () => true, isTTY: true, columns: 60 }, createStyles(false))
  const line = terminal.line(
    event(JSON.stringify({ type: 'contact.created', data: { id: 'con_1', name: '漢字'.repeat(20) } })),
  )
  expect(line).toBe('2026-01-02T03:04:05Z  contact.created  evt_1            漢…\n')
})

test('numbers as an id and an amount are shown with all their digits', () => {
  const line = piped.line(event('{"type":"deal.created","data":{"id":9007199254740993,"amount":12345678901234567890}}'))
  expect(line).toContain('12345678901234567890')
  expect(line).toContain('9007199254740993')
})
