import {
  ADA,
  BOB,
  CREATED,
  doubtful,
  drip,
  json,
  listed,
  made,
  OK,
  page,
  type Row,
  raw,
  refused,
  rows,
  shows,
  sized,
  text,
  WHOLE,
} from './row.ts'

const NOT_HTTP = /does not speak HTTP/
const CUT = /closed the connection before its answer was complete/
const HEADERS: readonly Row[] = [
  [
    'create',
    'headers of 100 KB',
    raw(`${CREATED}x: ${'a'.repeat(100_000)}\r\ncontent-length: 2\r\n\r\n{}`),
    doubtful(/sent too many headers/),
  ],
  [
    'list',
    'a header that a carriage return ends',
    raw(sized('{}', `${OK}x-request-id: a\rset-cookie: b\r\n`)),
    refused(7, NOT_HTTP),
  ],
  ['import', 'a header that is none', raw(sized('{}', `${CREATED}x y: z\r\n`)), rows(3, { in_doubt: 3 })],
  [
    'update',
    'a header without an end, byte by byte',
    drip(`${OK}x: `, 'a'),
    doubtful(/did not answer in full within 2 s/, 9),
  ],
  [
    'list',
    'a hundred cookies, a wrong clock and a challenge',
    listed(
      [ADA],
      {},
      {
        'set-cookie': Array(100).fill('a=b; Domain=x.test'),
        date: 'Fri, 01 Jan 3000 00:00:00 GMT',
        'www-authenticate': 'Basic',
      },
    ),
    shows([ADA]),
  ],
  ['update', 'an ETag that is none', json(200, ADA, { etag: '"un"balanced, W/' }), shows(ADA)],
  [
    'list',
    'a request id of 12,000 characters',
    json(500, {}, { 'x-request-id': 'r'.repeat(12_000) }),
    refused(9, /\(500\)/),
  ],
  [
    'create',
    'a Location on another origin and no body',
    (response, { elsewhere }) => void response.writeHead(201, { location: `${elsewhere}/v1/contacts/con_7` }).end(),
    doubtful(/it is empty/),
  ],
  ['create', 'a Location that is a sign-in page', text(201, '', { location: '/login' }), doubtful(/it is empty/)],
  [
    'import',
    'a rate limit that resets in thirty years',
    made((nth) => `con_${nth}`, { ratelimit: '"d";r=0;t=999999999' }),
    rows(8, { done: 1, unsent: 2 }, /asks for a pause of 999999999 s/),
  ],
]

const CONNECTIONS: readonly Row[] = [
  ['list', 'a reset at once', { talk: (socket) => void socket.resetAndDestroy() }, refused(9, CUT)],
  ['create', 'a reset at once', { talk: (socket) => void socket.resetAndDestroy() }, refused(9, CUT)],
  [
    'create',
    'a reset after the request',
    { talk: (socket) => void socket.once('data', () => socket.resetAndDestroy()) },
    doubtful(CUT),
  ],
  ['import', 'a reset after the request', ({ socket }) => void socket?.resetAndDestroy(), rows(3, { in_doubt: 3 })],
  [
    'delete',
    'half of its status and a reset',
    ({ socket }) => void socket?.write('HTTP/1.1 204 No', () => socket.resetAndDestroy()),
    doubtful(CUT, 9),
  ],
  ['create', 'silence', () => {}, doubtful(/did not answer in full within 2 s/)],
  [
    'create',
    'answers of 103 for ever',
    drip('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    doubtful(/did not answer in full within 2 s/),
  ],
  [
    'create',
    'another protocol',
    raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n{"id":"con_1"}'),
    doubtful(CUT),
  ],
  ['list', 'HTTP/0.9', raw(WHOLE), refused(7, NOT_HTTP)],
  [
    'list',
    'TLS',
    { talk: (socket) => void socket.once('data', () => socket.end(Buffer.from('15030300020228', 'hex'))) },
    refused(7, NOT_HTTP),
  ],
  [
    'list',
    'the greeting of SSH',
    { talk: (socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n') },
    refused(7, NOT_HTTP),
  ],
  [
    'import',
    'each record, and one that nothing asked for',
    ({ socket }, { request, nth }) => {
      const own = { ...JSON.parse(request.body), id: `con_${nth}` }
      socket?.write(sized(JSON.stringify(own), CREATED) + sized(JSON.stringify({ id: 'con_x', name: 'X' }), CREATED))
    },
    rows(0, { done: 3 }),
  ],
  [
    'list',
    'each page, and one that nothing asked for',
    ({ socket }, { request }) => {
      const isSecond = request.path.includes('cursor=')
      const own = isSecond ? page([BOB]) : page([ADA], { next_cursor: 'b', has_more: true })
      socket?.write(sized(JSON.stringify(own)) + sized(JSON.stringify(page([{ id: 'con_x' }]))))
    },
    shows([ADA, BOB]),
  ],
]

export const TRANSFERS: readonly Row[] = [...HEADERS, ...CONNECTIONS]
