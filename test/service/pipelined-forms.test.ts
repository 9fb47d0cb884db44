import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSocket } from './raw-request.ts'
import { serveForTest } from './serve-for-test.ts'

/** Stands for the key of the service. */
const KEY = 'crm_key_of_the_test'

interface Post {
  readonly head?: string
  /** After the body. */
  readonly tail?: string
  /** Instead of the header with the right length. */
  readonly length?: string
  readonly version?: '1.0' | '1.1'
  readonly body?: string
  readonly target?: string
}

/** A request that makes a contact; each line of `head` ends with CRLF. */
function post(name: string, { head = '', tail = '', version = '1.1', target = '/v1/contacts', ...more }: Post = {}) {
  const { body = `{"name":"${name}"}` } = more
  const { length = `Content-Length: ${body.length}\r\n` } = more
  const lines = `Host: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n${length}${head}`
  return `POST ${target} HTTP/${version}\r\n${lines}\r\n${body}${tail}`
}

const chunked = (name: string, body: string, head = '') =>
  post(name, { length: `Transfer-Encoding: chunked\r\n${head}`, body })

const CHUNKS = (name: string) => `3\r\n{"n\r\n${(name.length + 8).toString(16)}\r\name":"${name}"}\r\n0\r\n\r\n`

const get = (head = '', body = '') => `GET /healthz HTTP/1.1\r\nHost: x\r\n${head}\r\n${body}`

/** The statuses in their order, whether the connection stays open, and the contacts that exist then. */
type Outcome = readonly [statuses: readonly number[], end: 'open' | 'closed', names: readonly string[]]

interface Form {
  readonly name: string
  readonly bytes: string
  readonly outcome: Outcome
  /** The client ends its side after the bytes. */
  readonly isEnded?: true
}

function form(name: string, bytes: string, ...outcome: Outcome): Form {
  return { name, bytes, outcome }
}

const SOUND: readonly Form[] = [
  form('one request', post('a'), [201], 'open', ['a']),
  form('two requests', post('a') + post('b'), [201, 201], 'open', ['a', 'b']),
  form(
    'a read before, between and after writes',
    get() + post('a') + get() + post('b') + get(),
    [200, 201, 200, 201, 200],
    'open',
    ['a', 'b'],
  ),
  form(
    'thirty requests',
    Array.from({ length: 30 }, (_, at) => post(`n${at}`)).join(''),
    Array(30).fill(201),
    'open',
    Array.from({ length: 30 }, (_, at) => `n${at}`),
  ),
  form(
    'a refused request between others',
    post('a') + post('b', { body: '{"name":5}' }) + post('c'),
    [201, 422, 201],
    'open',
    ['a', 'c'],
  ),
  form(
    'an unknown path and method between others',
    `PUT /v1/contacts HTTP/1.1\r\nHost: x\r\n\r\nGET /nope HTTP/1.1\r\nHost: x\r\n\r\n${post('a')}`,
    [405, 404, 201],
    'open',
    ['a'],
  ),
  form('a body without a key before a request', post('a').replace(KEY, 'none') + post('b'), [401, 201], 'open', ['b']),
  form('empty lines before a request', `\r\n\r\n${post('a')}`, [201], 'open', ['a']),
  form('an absolute address', post('a', { target: 'http://other/v1/contacts' }), [201], 'open', ['a']),
  form('a chunked body', chunked('a', CHUNKS('a')) + post('b'), [201, 201], 'open', ['a', 'b']),
  form(
    'a chunked body with extensions and trailers',
    chunked('a', '0c;x=y\r\n{"name":"a"}\r\n0\r\nX: y\r\n\r\n') + post('b'),
    [201, 201],
    'open',
    ['a', 'b'],
  ),
  form('a body of a read', get('Content-Length: 5\r\n', 'hello') + get(), [200, 200], 'open', []),
  form('Expect: 100-continue', post('a', { head: 'Expect: 100-continue\r\n' }) + post('b'), [100, 201, 201], 'open', [
    'a',
    'b',
  ]),
  form(
    'Expect: 100-continue after another request',
    get() + post('a', { head: 'Expect: 100-continue\r\n' }),
    [200, 100, 201],
    'open',
    ['a'],
  ),
  form(
    'HTTP/1.0 that stays open',
    post('a', { version: '1.0', head: 'Connection: keep-alive\r\n' }) +
      post('b', { version: '1.0', head: 'Connection: keep-alive\r\n' }),
    [201, 201],
    'open',
    ['a', 'b'],
  ),
]

const CLOSING: readonly Form[] = [
  form(
    'an upgrade that is not followed, and a request after it',
    post('a', {
      head: 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n',
    }) + post('b'),
    [201],
    'closed',
    ['a'],
  ),
  form('Connection: close', post('a', { head: 'Connection: close\r\n' }), [201], 'closed', ['a']),
  form('Connection: close, and a CRLF', post('a', { head: 'Connection: close\r\n', tail: '\r\n' }), [201], 'closed', [
    'a',
  ]),
  form('Connection: close, and a LF', post('a', { head: 'Connection: close\r\n', tail: '\n' }), [201], 'closed', ['a']),
  form('a request after Connection: close', post('a', { head: 'Connection: close\r\n' }) + post('b'), [201], 'closed', [
    'a',
  ]),
  form(
    'garbage after Connection: close',
    post('a', { head: 'Connection: close\r\n', tail: 'GARBAGE' }),
    [201],
    'closed',
    ['a'],
  ),
  form('HTTP/1.0', post('a', { version: '1.0' }), [201], 'closed', ['a']),
  form('HTTP/1.0, and a CRLF', post('a', { version: '1.0', tail: '\r\n' }), [201], 'closed', ['a']),
  form('a request after HTTP/1.0', post('a', { version: '1.0' }) + post('b'), [201], 'closed', ['a']),
  form(
    'an unknown expectation, and a request after it',
    post('a', { head: 'Expect: the-moon\r\n' }) + post('b'),
    [417],
    'closed',
    [],
  ),
  form(
    'an unknown expectation after a request',
    post('a') + post('b', { head: 'Expect: the-moon\r\n' }),
    [201, 417],
    'closed',
    ['a'],
  ),
  form(
    'an unknown transfer coding',
    chunked('a', CHUNKS('a')).replace('chunked', 'gzip, chunked') + post('b'),
    [501],
    'closed',
    [],
  ),
  form(
    'an unknown transfer coding after a request',
    post('a') + chunked('b', CHUNKS('b')).replace('chunked', 'gzip, chunked'),
    [201, 501],
    'closed',
    ['a'],
  ),
  form('two hosts, and a request after them', post('a', { head: 'Host: y\r\n' }) + post('b'), [400], 'closed', []),
  form('no host after a request', post('a') + post('b').replace('Host: x\r\n', ''), [201, 400], 'closed', ['a']),
  form('CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', [501], 'closed', []),
  form('CONNECT after a request', `${post('a')}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`, [201, 501], 'closed', ['a']),
  form(
    'a body that is announced as too large after a request',
    post('a') + post('b', { length: 'Content-Length: 2000000\r\n' }),
    [201, 413],
    'closed',
    ['a'],
  ),
]

const BROKEN: readonly Form[] = [
  form('garbage after a request', post('a', { tail: 'GARBAGE\r\n\r\n' }), [201, 400], 'closed', ['a']),
  form('garbage after two requests', post('a') + post('b', { tail: 'GARBAGE\r\n\r\n' }), [201, 201, 400], 'closed', [
    'a',
    'b',
  ]),
  form('a body longer than its length', post('a', { tail: 'XX' }), [201, 400], 'closed', ['a']),
  {
    ...form(
      'a body shorter than its length',
      post('a') + post('b', { length: 'Content-Length: 40\r\n' }),
      [201, 400],
      'closed',
      ['a'],
    ),
    isEnded: true,
  },
  {
    ...form(
      'a chunked body without its end',
      post('a') + chunked('b', '0c\r\n{"name":"b"}\r\n'),
      [201, 400],
      'closed',
      ['a'],
    ),
    isEnded: true,
  },
  { ...form('half a head after a request', `${post('a')}POST /v1/cont`, [201, 400], 'closed', ['a']), isEnded: true },
  form('a chunk without a size', chunked('a', `zz\r\n{"name":"a"}\r\n0\r\n\r\n`), [400], 'closed', []),
  form(
    'a chunk longer than its size',
    post('a') + chunked('b', `5\r\n{"name":"b"}\r\n0\r\n\r\n`) + post('c'),
    [201, 400],
    'closed',
    ['a'],
  ),
  form(
    'a trailer that is none',
    post('a') + chunked('b', `0c\r\n{"name":"b"}\r\n0\r\nno trailer\r\n\r\n`),
    [201, 400],
    'closed',
    ['a'],
  ),
  form(
    'a chunked body of a read that is broken',
    get('Transfer-Encoding: chunked\r\n', 'zz\r\n\r\n'),
    [400],
    'closed',
    [],
  ),
  form('two lengths', post('a') + post('b', { head: 'Content-Length: 40\r\n' }), [201, 400], 'closed', ['a']),
  form('two equal lengths', post('a', { head: 'Content-Length: 12\r\n' }), [400], 'closed', []),
  form('a length after chunks', chunked('a', CHUNKS('a'), 'Content-Length: 12\r\n'), [400], 'closed', []),
  form(
    'chunks after a length',
    post('a') + post('b', { head: 'Transfer-Encoding: chunked\r\n', body: CHUNKS('b') }),
    [201, 400],
    'closed',
    ['a'],
  ),
  form('a length with a sign', post('a', { length: 'Content-Length: +12\r\n' }), [400], 'closed', []),
  form('a length below zero', post('a', { length: 'Content-Length: -1\r\n' }), [400], 'closed', []),
  form(
    'a transfer coding that does not end',
    post('a') + chunked('b', CHUNKS('b')).replace('chunked', 'gzip'),
    [201, 400],
    'closed',
    ['a'],
  ),
  form('a bare LF in the head', post('a') + post('b').replace('Host: x\r\n', 'Host: x\n'), [201, 400], 'closed', ['a']),
  form('a folded header', post('a') + post('b', { head: 'X: y\r\n z\r\n' }), [201, 400], 'closed', ['a']),
  form('a space before a colon', post('a', { length: 'Content-Length : 12\r\n' }), [400], 'closed', []),
  form('a NUL in a header', post('a') + post('b', { head: 'X: a\0b\r\n' }), [201, 400], 'closed', ['a']),
  form(
    'a header larger than 16 KiB',
    post('a') + post('b', { head: `X: ${'y'.repeat(20_000)}\r\n` }),
    [201, 431],
    'closed',
    ['a'],
  ),
  form('the preface of HTTP/2', `${post('a')}PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`, [201, 400], 'closed', ['a']),
  form('an unknown method', post('a') + post('b').replace('POST', 'FETCH'), [201, 400], 'closed', ['a']),
]

/** Sends the bytes in so many parts, and reads until the connection ends or, if it should stay open, answers another request. */
async function outcomeOf({ bytes, isEnded, outcome: [expected, end] }: Form, parts: number): Promise<Outcome> {
  const { url, key, send } = await serveForTest()
  const socket = openSocket(url)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  let received = ''
  let isClosed = false
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  const events = socket.setEncoding('latin1')
  events.on('data', (text: string) => {
    received += text
  })
  const closed = once(socket, 'close').then(() => {
    isClosed = true
  })
  const text = bytes.replaceAll(KEY, key.text)
  const size = Math.ceil(text.length / parts)
  for (let at = 0; at < text.length; at += size) {
    socket.write(text.slice(at, at + size), 'latin1')
    await setImmediate()
  }
  if (isEnded) socket.end()
  if (end === 'open') {
    while (statuses().length < expected.length && !isClosed) await Promise.race([once(socket, 'data'), closed])
    socket.write(get())
    while (statuses().length < expected.length + 1 && !isClosed) await Promise.race([once(socket, 'data'), closed])
  } else await closed
  const answered = statuses()
  if (!isClosed) expect(answered.pop()).toBe(200)
  // Writes are done in order, so that those of the connection are done when this one is.
  await send('POST', '/v1/contacts', { name: 'last' })
  const { data } = (await send('GET', '/v1/contacts?limit=100')).json as { data: { name: string }[] }
  const names = data.map(({ name }) => name).reverse()
  expect(names.pop()).toBe('last')
  return [answered, isClosed ? 'closed' : 'open', names]
}

describe.each([
  ['several requests are answered in order', SOUND],
  ['a request that ends the connection is the last one', CLOSING],
  ['bytes that are no request are answered after what is before them, and leave no record', BROKEN],
])('%s', (_, forms) => {
  test.each(forms)('$name', async (given) => {
    expect(await outcomeOf(given, 1), 'at once').toEqual(given.outcome)
    expect(await outcomeOf(given, 3), 'in parts').toEqual(given.outcome)
  })
})
