import { describe, expect, test } from 'vitest'
import { networkFailure } from '../../src/api/errors/network-failure.ts'
import type { Call } from '../../src/api/transport/call.ts'
import { NoReply } from '../../src/api/transport/exchange.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { freePort } from '../harness/free-port.ts'
import { startServer, startTcpServer } from './answering-server.ts'
import { ALL, allPages, failureOf, NO_KEY } from './client-fixture.ts'
import { TRANSPORTS } from './transports.ts'

const PLACE = { url: new URL('https://crm.example.com'), timeoutMs: 1000 }
const CALL: Call = {
  method: 'POST',
  path: '/v1/contacts',
  action: 'create the contact',
  command: 'crm contacts create',
  findCommand: undefined,
}

test('the port that crm serve takes by itself needs no mention', () => {
  const refused = new NoReply('network', false, Object.assign(new Error('raw'), { code: 'ECONNREFUSED' }))
  const place = { url: new URL('http://127.0.0.1:4243'), timeoutMs: 1000 }
  expect(networkFailure(CALL, refused, { ...place, isServe: true }).hint).toBe('crm serve')
  // Of another server, crm does not know how it starts.
  expect(networkFailure(CALL, refused, place).hint).toBe('crm doctor shows the address in use, and what answers there')
})

const CODES: readonly (readonly [code: string, errorCode: ErrorCode, reason: string])[] = [
  ['ENOTFOUND', 'unreachable', 'no address is known for crm.example.com'],
  ['EAI_AGAIN', 'unreachable', 'the name server does not answer for crm.example.com'],
  ['EHOSTUNREACH', 'unreachable', 'there is no route to crm.example.com:443 (EHOSTUNREACH)'],
  ['ETIMEDOUT', 'unreachable', 'crm.example.com:443 does not answer'],
  ['EMFILE', 'machine', 'too many files are open (EMFILE)'],
  ['EACCES', 'machine', 'this machine forbids connecting to crm.example.com:443 (EACCES)'],
]

test.each(CODES)('%s is explained', (code, errorCode, reason) => {
  const cause = Object.assign(new Error('raw'), { code })
  expect(networkFailure(CALL, new NoReply('network', false, cause), PLACE)).toMatchObject({ code: errorCode, reason })
})

test('an error that is not a network error is rethrown', () => {
  const bug = new TypeError('x is not a function')
  expect(() => networkFailure(CALL, new NoReply('network', false, bug), PLACE)).toThrow(bug)
})

const CUT: readonly (readonly [what: string, answer: string])[] = [
  ['nothing', ''],
  ['half of its headers', 'HTTP/1.1 200 OK\r\nconte'],
  ['half of its length', 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n[]'],
  ['half of its last length', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 4\r\n\r\n[]'],
  ['no last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n'],
  ['no last chunk at all', 'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n'],
]

describe.each(TRANSPORTS)('over $over', ({ openClient }) => {
  test('a refused connection names host and port, is tried four times and points to crm serve', async () => {
    const url = new URL(`http://127.0.0.1:${await freePort()}`)
    const { api, waits } = openClient(url)
    const error = await failureOf(api.contacts.create({}, NO_KEY))
    expect(error.code).toBe('unreachable')
    expect(error.message).toBe(`cannot create the contact: ${url.host} refuses connections, after 4 tries`)
    expect(error.details.hint).toBe(`crm serve --port ${url.port}`)
    expect(error.details.idempotencyKey).toBeUndefined()
    expect(waits).toEqual([250, 500, 1000])
  })

  test('a request without a connection within the timeout was not sent', async () => {
    // A TLS handshake with a server that says nothing never ends by itself.
    const { host } = await startTcpServer(() => {})
    const { api } = openClient(new URL(`https://${host}`), { timeoutMs: 60, maxWaitMs: 0 })
    const error = await failureOf(api.contacts.create({}, NO_KEY))
    expect(error.code).toBe('timeout')
    expect(error.message).toBe(`cannot create the contact: https://${host} could not be reached within 0.06 s`)
  })

  test('a connection that is reset in the body of a write leaves its outcome unknown', async () => {
    const { url } = await startServer((response) => {
      response.writeHead(201, { 'content-length': 100 })
      response.write('{"id"', () => response.destroy())
    })
    const error = await failureOf(openClient(url, { maxWaitMs: 0 }).api.contacts.create({}, NO_KEY))
    expect(error.message).toBe(
      `cannot create the contact: ${url.host} closed the connection before its answer was complete; it is unknown whether the server applied it`,
    )
  })

  test.each(CUT)('an answer that ends early with %s is no answer, and asked for again', async (_what, answer) => {
    const url = await startTcpServer((socket) => {
      socket.once('data', () => socket.end(answer))
    })
    const { api, waits } = openClient(url)
    const error = await failureOf(allPages(api.contacts.list(ALL)))
    expect(error.code).toBe('unreachable')
    expect(waits).toHaveLength(3)
  })

  test.each(['SSH-2.0-OpenSSH_9.2\r\n', '\x15\x03\x01\x00\x02\x02\x28', 'HTTP/9.9 what\r\n\r\n'])(
    'a server that does not speak HTTP is not asked again (%j)',
    async (greeting) => {
      const url = await startTcpServer((socket) => {
        socket.once('data', () => socket.write(greeting, 'latin1'))
      })
      const { api, waits } = openClient(url)
      const error = await failureOf(allPages(api.contacts.list(ALL)))
      expect(error.code).toBe('bad_answer')
      expect(error.message).toContain(`${url.host} does not speak HTTP`)
      expect(error.details.hint).toBe(`is it https://${url.host}?`)
      expect(waits).toEqual([])
    },
  )

  test('headers without end are refused', async () => {
    const { url } = await startServer((response) => {
      response.writeHead(200, { 'x-long': 'x'.repeat(200_000) }).end('[]')
    })
    const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
    expect(error.code).toBe('bad_answer')
  })
})
