import { describe, expect, test } from 'vitest'
import { networkFailure } from '../../src/api/errors/network-failure.ts'
import { NoReply } from '../../src/api/transport/exchange.ts'
import { startTcpServer } from './answering-server.ts'
import { TRANSPORTS } from './transports.ts'

const OK = 'HTTP/1.1 200 OK\r\n'
const TWO = 'content-length: 2\r\n\r\n[]'
const CUT = 'closed the connection before its answer was complete'

const READ: readonly (readonly [what: string, answer: string, headers: object])[] = [
  ['a length', `${OK}${TWO}`, {}],
  ['more bytes than its length', `${OK}${TWO}and more`, {}],
  ['a second answer that nothing asked for', `${OK}${TWO}${OK}${TWO}`, {}],
  ['no reason phrase', `HTTP/1.1 200\r\n${TWO}`, {}],
  ['empty lines before it', `\r\n\r\n${OK}${TWO}`, {}],
  ['no length, in HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n[]', {}],
  [
    'chunks, an extension and a trailer',
    `${OK}transfer-encoding: chunked\r\n\r\n2;a=b\r\n[]\r\n0\r\nx-t: 1\r\n\r\n`,
    {},
  ],
  ['an offer to upgrade', `${OK}connection: upgrade\r\nupgrade: h2c\r\n${TWO}`, { upgrade: 'h2c' }],
  ['other answers before it', `HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\n${OK}${TWO}`, {}],
  [
    'repeated headers',
    `${OK}Set-Cookie: a\r\nset-cookie: b\r\nAge: 1\r\nage: 2\r\n${TWO}`,
    { 'set-cookie': ['a', 'b'], age: ['1', '2'] },
  ],
  ['spaces around a value', `${OK}retry-after: \t 2 \t \r\nx-empty:\r\n${TWO}`, { 'retry-after': '2', 'x-empty': '' }],
  ['bytes that are not ASCII', `${OK}x-latin: \xe9\xff\r\n${TWO}`, { 'x-latin': '\xe9\xff' }],
  ['names of every object', `${OK}constructor: a\r\nconstructor: b\r\n${TWO}`, { constructor: ['a', 'b'] }],
  ['1500 headers', `${OK}${Array.from({ length: 1500 }, (_, n) => `a${n}: 1\r\n`).join('')}${TWO}`, { a1499: '1' }],
  ['headers of 16,000 bytes', `${OK}x-long: ${'a'.repeat(16_000)}\r\n${TWO}`, {}],
]

const REFUSED: readonly (readonly [what: string, answer: string, reason: string])[] = [
  ['headers of 17,000 bytes', `${OK}x-long: ${'a'.repeat(17_000)}\r\n${TWO}`, 'sent too many headers'],
  [
    '3000 headers',
    `${OK}${Array.from({ length: 3000 }, (_, n) => `a${n}: 1\r\n`).join('')}${TWO}`,
    'sent too many headers',
  ],
  [
    'a header over several lines',
    `${OK}x-fold: a\r\n b\r\n${TWO}`,
    'does not speak HTTP: Unexpected whitespace after header value',
  ],
  ['a space in a name', `${OK}x y: a\r\n${TWO}`, 'does not speak HTTP: Invalid header token'],
  ['a NUL in a value', `${OK}x: a\0\r\n${TWO}`, 'does not speak HTTP: Invalid header value char'],
  [
    'bare line feeds',
    'HTTP/1.1 200 OK\ncontent-length: 2\n\n[]',
    'does not speak HTTP: Missing expected CR after response line',
  ],
  [
    'a negative length',
    `${OK}content-length: -1\r\n\r\n[]`,
    'does not speak HTTP: Invalid character in Content-Length',
  ],
  [
    'a chunk of no size',
    `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n[]\r\n`,
    'does not speak HTTP: Invalid character in chunk size',
  ],
  ['another protocol', '<html>', 'does not speak HTTP: Expected HTTP/, RTSP/ or ICE/'],
  ['a 100 that nothing asked for', `HTTP/1.1 100 Continue\r\n\r\n${OK}${TWO}`, CUT],
  ['a 101 that nothing asked for', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhi', CUT],
  ['a bare 101', 'HTTP/1.1 101 Switching\r\n\r\n', CUT],
  ['nothing', '', CUT],
  ['half of its headers', `${OK}conte`, CUT],
  ['half of its length', `${OK}content-length: 4\r\n\r\n[]`, CUT],
  ['no last chunk', `${OK}transfer-encoding: chunked\r\n\r\n2\r\n[]\r\n`, CUT],
]

const POST = { method: 'POST', path: '/', headers: [], body: null } as const

describe.each(TRANSPORTS)('over $over', ({ open }) => {
  /** What comes of a POST to a server that sends `answer` and ends. */
  async function outcomeOf(answer: string) {
    const url = await startTcpServer((socket) => void socket.once('data', () => socket.end(answer, 'latin1')))
    const transport = open({ baseUrl: url, timeoutMs: 5000 }, 1)
    const limits = { timeoutMs: 5000, signal: new AbortController().signal }
    const outcome = await transport.exchange({ ...POST, headers: [] }, limits).catch((error: unknown) => error)
    await transport.close()
    return { url, outcome }
  }

  test.each(READ)('an answer with %s is read', async (_what, answer, headers) => {
    const { outcome } = await outcomeOf(answer)
    expect(outcome).toMatchObject({ status: 200, headers, body: Buffer.from('[]') })
  })

  test.each(REFUSED)(
    'an answer with %s is refused with its reason, and the write is in doubt',
    async (_what, answer, reason) => {
      const { url, outcome } = await outcomeOf(answer)
      expect(outcome).toBeInstanceOf(NoReply)
      const call = { method: 'POST', path: '/', action: 'write', command: 'crm', findCommand: undefined } as const
      const failure = networkFailure(call, outcome as NoReply, { url, timeoutMs: 5000 })
      expect(failure.reason).toBe(`${url.host} ${reason}`)
      expect(failure.isInDoubt).toBe(true)
    },
  )

  test('a name of all prototypes is a header like others', async () => {
    const { outcome } = await outcomeOf(`${OK}__proto__: a\r\n__proto__: b\r\n${TWO}`)
    expect(Object.entries((outcome as { headers: object }).headers)).toContainEqual(['__proto__', ['a', 'b']])
  })
})

test('a malformed answer behind its length is malformed over node:http, and a lost answer over undici, which hides the reason', async () => {
  const codes = []
  for (const { open } of TRANSPORTS) {
    const url = await startTcpServer(
      (socket) => void socket.once('data', () => socket.end(`${OK}content-length: 2\r\n${TWO}`)),
    )
    const transport = open({ baseUrl: url, timeoutMs: 5000 }, 1)
    const limits = { timeoutMs: 5000, signal: new AbortController().signal }
    const { cause } = (await transport
      .exchange({ ...POST, headers: [] }, limits)
      .catch((error: NoReply) => error)) as NoReply
    codes.push((cause as { code?: string }).code)
    await transport.close()
  }
  expect(codes).toEqual(['HPE_UNEXPECTED_CONTENT_LENGTH', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])
})
