import { brotliCompressSync, gzipSync } from 'node:zlib'
import {
  ADA,
  CREATED,
  doubtful,
  drip,
  listed,
  OK,
  type Row,
  raw,
  refused,
  STOPPED,
  shows,
  showsText,
  text,
  WHOLE,
} from './row.ts'

const utf16 = (body: string) => Buffer.from(`\ufeff${body}`, 'utf16le')
const latin1 = (body: string) => Buffer.from(body, 'latin1')
const gzip = (body: string) => gzipSync(Buffer.from(body))
const listOf = (record: string) => `{"data":[${record}],"next_cursor":null}`
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n'
const NOT_HTTP = /does not speak HTTP/
const NOT_JSON = /the answer is not JSON/
const NOT_UTF8 = /the answer is not UTF-8/
const SIGN_IN = '<html><title>Sign in to the hotel</title>'
const HTML = { 'content-type': 'text/html' }

const LENGTHS: readonly Row[] = [
  [
    'list',
    'a body shorter than its Content-Length',
    raw(`${OK}content-length: 500\r\n\r\n${WHOLE}`),
    refused(9, /closed the connection/),
  ],
  [
    'list',
    'a body longer than its Content-Length',
    raw(`${OK}content-length: 20\r\n\r\n${WHOLE}`),
    refused(7, NOT_JSON),
  ],
  [
    'create',
    'a Content-Length that cuts its record',
    raw(`${CREATED}content-length: 8\r\n\r\n{"id":"con_1"}`),
    doubtful(NOT_JSON),
  ],
  [
    'list',
    'two Content-Lengths',
    raw(`${OK}content-length: 2\r\ncontent-length: 60\r\n\r\n${WHOLE}`),
    refused(7, NOT_HTTP),
  ],
  ['list', 'a Content-Length and chunks', raw(`${OK}content-length: 4\r\n${CHUNKED}0\r\n\r\n`), refused(7, NOT_HTTP)],
  ['list', 'a chunk longer than its size', raw(`${OK}${CHUNKED}5\r\n${WHOLE}\r\n0\r\n\r\n`), refused(7, NOT_HTTP)],
  [
    'create',
    'a chunk size beyond 64 bits',
    raw(`${CREATED}${CHUNKED}FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n`),
    doubtful(/Chunk size overflow/),
  ],
  ['delete', 'a negative chunk size', raw(`${OK}${CHUNKED}-1\r\n{}\r\n0\r\n\r\n`), doubtful(NOT_HTTP)],
  [
    'update',
    'a chunk that ends early',
    raw(`${OK}${CHUNKED}50\r\n{"id":"con_1"`),
    doubtful(/closed the connection/, 9),
  ],
  [
    'list',
    'a body without an end, byte by byte',
    drip(`${OK}content-length: 5000\r\n\r\n`, ' '),
    refused(9, /did not answer in full within 2 s/),
  ],
]

const CODINGS: readonly Row[] = [
  [
    'create',
    'a gzip bomb',
    text(201, gzipSync(Buffer.alloc(65 * 1024 * 1024, 0x20)), { 'content-encoding': 'gzip' }),
    doubtful(/larger than 64 MiB/),
  ],
  [
    'list',
    'plain JSON that is said to be gzip',
    text(200, WHOLE, { 'content-encoding': 'gzip' }),
    refused(7, /but is not compressed/),
  ],
  [
    'update',
    'gzip that is said to be br',
    text(200, gzip(JSON.stringify(ADA)), { 'content-encoding': 'br' }),
    doubtful(/but is not compressed/),
  ],
  ['list', 'gzip that is not said', text(200, gzip(WHOLE)), refused(7, NOT_UTF8)],
  [
    'list',
    'gzip in gzip that is said once',
    text(200, gzipSync(gzip(WHOLE)), { 'content-encoding': 'gzip' }),
    refused(7, NOT_UTF8),
  ],
  [
    'list',
    'two codings',
    text(200, gzipSync(brotliCompressSync(Buffer.from(WHOLE))), { 'content-encoding': 'br, gzip' }),
    refused(7, /unknown content encoding \(br, gzip\)/),
  ],
  [
    'list',
    'two hundred codings',
    text(200, WHOLE, { 'content-encoding': Array(200).fill('gzip').join() }),
    refused(7, /unknown content encoding \([gzip,]{59}…\)$/),
  ],
]

const CHARSETS: readonly Row[] = [
  ['list', 'UTF-16 without a label', text(200, utf16(WHOLE)), refused(7, NOT_UTF8)],
  ['create', 'UTF-16 without a label', text(201, utf16(JSON.stringify(ADA))), doubtful(NOT_UTF8)],
  [
    'list',
    'UTF-16 with its label',
    text(200, utf16(WHOLE).swap16(), { 'content-type': 'application/json; charset=utf-16be' }),
    shows([ADA]),
  ],
  [
    'list',
    'a charset that nobody knows',
    text(200, latin1(listOf('{"id":"\xe9"}')), { 'content-type': 'application/json; charset=klingon' }),
    refused(7, NOT_UTF8),
  ],
  ['delete', 'Latin-1 that confirms it', text(200, latin1('{"deleted":true,"name":"\xe9"}')), doubtful(NOT_UTF8)],
  ['get', 'overlong UTF-8', text(200, latin1(listOf('{"id":"con_1","name":"\xc0\xaf"}'))), refused(7, NOT_UTF8)],
  [
    'list',
    'half of a surrogate pair',
    text(200, listOf('{"id":"con_1","name":"\\ud800"}')),
    showsText('[{"id":"con_1","name":"\\ud800"}]'),
  ],
  ['list', 'a NUL before the JSON', text(200, `\0${WHOLE}`), refused(7, NOT_JSON)],
  ['list', 'a NUL in a text', listed([{ id: 'con_1', name: 'a\0b' }]), shows([{ id: 'con_1', name: 'a\0b' }])],
]

const JSON_TEXTS: readonly Row[] = [
  [
    'import',
    'records that are nested too deep',
    text(201, `{"id":"con_1","a":${'['.repeat(5000)}${']'.repeat(5000)}}`),
    STOPPED,
  ],
  ['import', 'truncated JSON', text(201, '{"id":"con_'), STOPPED],
  [
    'list',
    'numbers beyond a double',
    text(200, listOf('{"id":"con_1","a":1e400,"b":-0}')),
    showsText('[{"id":"con_1","a":1e400,"b":-0}]'),
  ],
  [
    'create',
    'an id of 64 bits',
    text(201, '{"id":9223372036854775807,"name":"Ada"}'),
    showsText('{"id":9223372036854775807,"name":"Ada"}'),
  ],
  [
    'list',
    'two ids that are the same double',
    text(200, listOf('{"id":9007199254740993},{"id":9007199254740992}')),
    showsText('[{"id":9007199254740993},{"id":9007199254740992}]'),
  ],
  [
    'create',
    'two ids in one record, of which JSON has the last',
    text(201, '{"id":"con_8","id":"con_9","name":"Ada"}'),
    shows({ id: 'con_9', name: 'Ada' }),
  ],
  [
    'list',
    'members named after prototypes',
    text(200, listOf('{"id":"con_1","__proto__":{"name":"x"},"constructor":1}')),
    showsText('[{"id":"con_1","__proto__":{"name":"x"},"constructor":1}]'),
  ],
  ['list', 'a list below __proto__', text(200, `{"__proto__":${WHOLE}}`), refused(7, /an object with __proto__/)],
  [
    'create',
    'a record below __proto__',
    text(201, `{"__proto__":${JSON.stringify(ADA)}}`),
    doubtful(/has no id at id/),
  ],
  [
    'create',
    'a problem in members named after prototypes',
    text(422, '{"__proto__":{"detail":"x"},"constructor":"y","errors":{"toString":["taken"]}}'),
    refused(7, /toString: taken \(422\)/),
  ],
  ['list', 'NaN', text(200, listOf('{"id":NaN}')), refused(7, NOT_JSON)],
  ['list', 'two documents', text(200, `${WHOLE}\n${WHOLE}`), refused(7, NOT_JSON)],
  ['create', 'lines of records', text(201, '{"id":"con_1"}\n{"id":"con_2"}\n'), doubtful(NOT_JSON)],
  ['list', 'a prefix against scripts', text(200, `)]}',\n${WHOLE}`), refused(7, NOT_JSON)],
]

const PORTALS: readonly Row[] = [
  [
    'create',
    'the sign-in page of a hotel',
    text(200, SIGN_IN, HTML),
    doubtful(/an HTML page instead of JSON: "Sign in to the hotel"/),
  ],
  ['update', 'the sign-in page of a hotel', text(200, SIGN_IN, HTML), doubtful(/an HTML page/)],
  ['import', 'the sign-in page of a hotel', text(200, SIGN_IN, HTML), STOPPED],
  ['list', '511 and a sign-in page', text(511, SIGN_IN, HTML), refused(9, /Sign in to the hotel \(511\)/)],
]

export const BODIES: readonly Row[] = [...LENGTHS, ...CODINGS, ...CHARSETS, ...JSON_TEXTS, ...PORTALS]
