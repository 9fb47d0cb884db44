import {
  ADA,
  type Answer,
  ATTACK,
  doubtful,
  json,
  listed,
  MIB,
  OK,
  page,
  type Row,
  raw,
  refused,
  rows,
  STOPPED,
  shows,
  sized,
  text,
} from './row.ts'

const to =
  (status: number, location: (at: { path: string; elsewhere: string; key: string }) => string): Answer =>
  (response, { request: { path, headers }, elsewhere }) => {
    const key = encodeURIComponent(headers.authorization ?? '')
    response.writeHead(status, { location: location({ path, elsewhere, key }) }).end()
  }
const ELSEWHERE = /redirects to http:\/\/127\.0\.0\.1:\d+ \(30\d\), and redirects are never followed/
const hostOf = (origin: string) => new URL(origin).host

const REDIRECTS: readonly Row[] = [
  ['list', '301 to itself', to(301, ({ path }) => path), refused(7, /redirects to \/v1\/contacts \(301\)/)],
  ['create', '307 to itself', to(307, ({ path }) => path), refused(7, /redirects to \/v1\/contacts \(307\)/)],
  ['create', '308 to another origin', to(308, ({ path, elsewhere }) => elsewhere + path), refused(7, ELSEWHERE)],
  [
    'import',
    '302 to another origin',
    to(302, ({ path, elsewhere }) => elsewhere + path),
    rows(7, { unsent: 3 }, ELSEWHERE),
  ],
  ['delete', '303 to another origin', to(303, ({ path, elsewhere }) => elsewhere + path), refused(7, ELSEWHERE)],
  [
    'list',
    '302 to another origin without a scheme',
    to(302, ({ path, elsewhere }) => `//${hostOf(elsewhere)}${path}`),
    refused(7, ELSEWHERE),
  ],
  [
    'list',
    '302 to another origin behind a backslash',
    to(302, ({ path, elsewhere }) => `/\\${hostOf(elsewhere)}${path.replace('?', '/?')}`),
    refused(7, ELSEWHERE),
  ],
  [
    'list',
    '302 to another origin behind a user name',
    to(302, ({ path, elsewhere }) => `http://crm.test@${hostOf(elsewhere)}${path}`),
    refused(7, ELSEWHERE),
  ],
  [
    'list',
    '302 to another origin with the key',
    to(302, ({ elsewhere, key }) => `${elsewhere}/?key=${key}`),
    refused(7, ELSEWHERE),
  ],
  ['list', '302 to no address', text(302, '', { location: 'http://[' }), refused(7, /redirects to nowhere/)],
  [
    'list',
    '302 to a script',
    text(302, '', { location: 'javascript:alert(1)' }),
    refused(7, /redirects to javascript:/),
  ],
  [
    'list',
    '302 to a path of 12,000 characters',
    text(302, '', { location: `/${'x'.repeat(12_000)}` }),
    refused(7, /redirects to \/x{98}… \(302\)/),
  ],
  ['list', '300 and a list', json(300, page([ADA])), refused(7, /\(300\)/)],
  ['list', '304', text(304, ''), refused(7, /answered 304$/)],
  ['update', '304', text(304, ''), refused(7, /answered 304$/)],
  ['import', '304', text(304, ''), rows(7, { unsent: 3 }, /answered 304$/)],
]

const SUCCESSES: readonly Row[] = [
  ['create', '202 and a queue', json(202, { status: 'queued' }), doubtful(/accepts the request without confirming it/)],
  ['import', '202', json(202, {}), STOPPED],
  ['list', '202 and no list', json(202, { status: 'running' }), refused(7, /an object with status/)],
  [
    'list',
    '206',
    json(206, page([ADA]), { 'content-range': 'items 0-0/7' }),
    refused(7, /Content-Range states 7 records/),
  ],
  [
    'create',
    '207 and a part that failed',
    json(207, { responses: [{ status: 500, error: 'x' }] }),
    doubtful(/\(207\)/),
  ],
  ['list', '207', json(207, { data: [ADA] }), refused(7, /which show whether there is more/)],
  [
    'delete',
    '204 with a body that denies it',
    raw(`HTTP/1.1 204 No Content\r\ncontent-length: 17\r\n\r\n{"deleted":false}`),
    { exit: 0 },
  ],
]

const ODD: readonly Row[] = [
  [
    'create',
    'the status 999 and a record',
    raw(sized(JSON.stringify(ADA), 'HTTP/1.1 999 Odd\r\n')),
    doubtful(/\(999\)/),
  ],
  ['create', 'the status 000 and a record', raw(sized(JSON.stringify(ADA), 'HTTP/1.1 000 Odd\r\n')), doubtful(/\(0\)/)],
  ['import', 'the status 000', raw(sized('{}', 'HTTP/1.1 000 Odd\r\n')), rows(3, { in_doubt: 3 })],
  [
    'create',
    'the status 2000 and a record',
    raw(sized(JSON.stringify(ADA), 'HTTP/1.1 2000 Odd\r\n')),
    doubtful(/Invalid response status/),
  ],
  ['create', 'HTTP/9.9', raw(sized(JSON.stringify(ADA), 'HTTP/9.9 201 Created\r\n')), doubtful(/Invalid HTTP version/)],
  [
    'list',
    'a reason phrase that a terminal would obey',
    raw(sized('{}', `HTTP/1.1 400 \u001b[2J\u009b31m\r\n`)),
    refused(7, /no reason given \(400\)/),
  ],
  [
    'list',
    'twenty thousand answers of 102 before it',
    raw(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(20_000)}${sized(JSON.stringify(page([ADA])), OK)}`),
    shows([ADA]),
  ],
]

const CLIENT_ERRORS: readonly Row[] = [
  [
    'list',
    '401 and a challenge of nonsense',
    json(401, { detail: 'no' }, { 'www-authenticate': `Bearer realm="${'x'.repeat(3000)}", ,,=, Basic \u009b31m` }),
    refused(4, /no \(401\)/),
  ],
  ['create', '403 and a text that a terminal would obey', text(403, ATTACK), refused(5, /evil.*\(403\)/)],
  ['list', '404 and a page', text(404, '<html><h1>Not Found</h1>'), refused(6, /Not Found \(404\)/)],
  ['delete', '404', json(404, { detail: 'none' }), refused(6, /none \(404\)/)],
  ['delete', '410', json(410, {}), refused(6, /\(410\)/)],
  ['get', '410', json(410, { detail: 'gone' }), refused(6, /there is no contact "con_1"/)],
  ['create', '409 and a record', json(409, ADA), refused(7, /\(409\)/)],
  ['update', '412 and a number', json(412, { detail: 7 }), refused(7, /\(412\)/)],
  ['list', '418 and a list of texts', json(418, { detail: ['short', 'stout'] }), refused(7, /short; stout \(418\)/)],
  [
    'create',
    '422 whose members have wrong types',
    json(422, { type: 5, title: { a: 1 }, status: '200', errors: { name: [[['deep']]] }, code: ['x'] }),
    refused(7, /name: deep \(422\)/),
  ],
  ['create', '422 whose errors are a number', json(422, { errors: 12, detail: false }), refused(7, /\(422\)/)],
  [
    'create',
    '422 and a record that says success',
    json(422, { ...ADA, status: 200, success: true }),
    refused(7, /\(422\)/),
  ],
  [
    'create',
    '422 and texts of 1 MiB',
    json(422, { detail: MIB, title: MIB, code: MIB, errors: [{ field: MIB, code: MIB, detail: MIB }] }),
    refused(7, /x{400}/),
  ],
  [
    'create',
    '422 and texts that a terminal would obey',
    json(422, { detail: ATTACK, code: ATTACK, errors: [{ pointer: ATTACK, detail: ATTACK }] }),
    refused(7, /evil.*\(422\)/),
  ],
  [
    'import',
    '422 and texts that a terminal would obey',
    json(422, { detail: ATTACK, errors: [{ pointer: ATTACK, detail: ATTACK }] }),
    rows(3, { failed: 3 }),
  ],
  [
    'list',
    '400 and the key',
    (response, { request }) =>
      void response.writeHead(400).end(JSON.stringify({ detail: request.headers.authorization })),
    refused(7, /\[redacted\] \(400\)/),
  ],
]

const limited = (after: string, more: object = {}) => json(429, { detail: 'slow' }, { 'retry-after': after, ...more })
const SLOW = /slow \(429\)/

const LIMITS: readonly Row[] = [
  ...[
    '-5',
    'later today',
    '1e9',
    '0',
    'NaN',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Fri, 01 Jan 3000 00:00:00 GMT',
    '9'.repeat(400),
  ].map((after): Row => ['list', `429 and the Retry-After ${after.slice(0, 29)}`, limited(after), refused(8, SLOW)]),
  [
    'list',
    '429, a Retry-After of ten seconds and a Date in the year 3000',
    limited('Fri, 01 Jan 3000 00:00:10 GMT', { date: 'Fri, 01 Jan 3000 00:00:00 GMT' }),
    refused(8, SLOW),
  ],
  ['create', '429 and a Retry-After beyond all time', limited('99999999999999999999'), refused(8, SLOW)],
  [
    'import',
    '429 and a Retry-After of nonsense, for ever',
    limited('NaN'),
    rows(8, { unsent: 3 }, /no request succeeded for \d+ s: slow \(429\)/),
  ],
  [
    'import',
    '429 and a Retry-After of 0, for ever',
    limited('0'),
    rows(8, { unsent: 3 }, /no request succeeded for \d+ s: slow \(429\)/),
  ],
  [
    'list',
    'rate limits of nonsense',
    listed(
      [ADA],
      {},
      {
        'ratelimit-remaining': 'NaN',
        'ratelimit-reset': '-1',
        'ratelimit-limit': '1e99',
        'x-ratelimit-remaining': '-7',
        'x-ratelimit-reset': '9'.repeat(30),
      },
    ),
    shows([ADA]),
  ],
]

const SERVER_ERRORS: readonly Row[] = [
  ['create', '500 and a record', json(500, ADA), doubtful(/\(500\)/)],
  ['import', '500 and a record', json(500, ADA), rows(3, { in_doubt: 3 })],
  ['delete', '500 that confirms it', json(500, { deleted: true }), doubtful(/\(500\)/, 9)],
  ['update', '503 and a negative Retry-After', json(503, {}, { 'retry-after': '-1' }), doubtful(/\(503\)/, 9)],
  ['list', '502 and a page', text(502, '<html><center>nginx</center>'), refused(9, /nginx \(502\)/)],
  ['delete', '599', text(599, ''), doubtful(/answered 599/, 9)],
]

export const STATUSES: readonly Row[] = [
  ...[...REDIRECTS, ...SUCCESSES, ...ODD],
  ...[...CLIENT_ERRORS, ...LIMITS, ...SERVER_ERRORS],
]
