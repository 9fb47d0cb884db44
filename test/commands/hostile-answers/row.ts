import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type SeenRequest, sendJson } from '../../api/answering-server.ts'

export const COMMANDS = {
  list: ['contacts', 'list'],
  get: ['contacts', 'get', 'con_1'],
  create: ['contacts', 'create', '--set', 'name=Ada'],
  update: ['contacts', 'update', 'con_1', '--set', 'name=Ada'],
  delete: ['contacts', 'delete', 'con_1', '--yes'],
  import: [
    'contacts',
    'import',
    '-',
    '--format',
    'csv',
    '--run-id',
    'one',
    '--yes',
    '--max-outage',
    '1s',
    '--concurrency',
    '1',
  ],
} as const

export type Command = keyof typeof COMMANDS

/** Of an import. */
export const THREE_ROWS = 'name,email\nAda,ada@x.test\nBob,bob@x.test\nEve,eve@x.test\n'

export const ADA = { id: 'con_1', name: 'Ada' }
export const BOB = { id: 'con_2', name: 'Bob' }
export const MIB = 'x'.repeat(1024 * 1024)

/** A title, a cleared screen, text from right to left, a colour in eight bits, a line of its own, a hidden character. */
export const ATTACK = '\u001b]0;owned\u0007\u001b[2J\u202eevil\u009b31m\r\ncrm: all is well\u200b'

interface Asked {
  readonly request: SeenRequest
  /** Counted from 1, without the reads of a write. */
  readonly nth: number
  /** Another origin, which must be asked nothing. */
  readonly elsewhere: string
}

export type Answer = (response: ServerResponse, asked: Asked) => void

/** What a connection says by itself. */
export interface Talk {
  readonly talk: (socket: Socket) => void
}

export interface Want {
  readonly exit: number
  /** On stdout: exactly this JSON, without its white space. */
  readonly shown?: string
  /** On stdout: these records of a list that ends in the middle, so that no program takes it for a whole one. */
  readonly begun?: string
  /** Of an import. */
  readonly account?: Readonly<Record<'done' | 'failed' | 'in_doubt' | 'unsent', number>>
  /** Of a single write. */
  readonly isInDoubt?: boolean
  /** In the message. */
  readonly says?: RegExp
}

/** `what` continues "answered with". */
export type Row = readonly [command: Command, what: string, answer: Answer | Talk, want: Want]

export const refused = (exit: number, says: RegExp): Want => ({ exit, says })
export const doubtful = (says: RegExp, exit = 3): Want => ({ exit, says, isInDoubt: true })
export const shows = (value: unknown): Want => ({ exit: 0, shown: JSON.stringify(value) })
export const showsText = (shown: string): Want => ({ exit: 0, shown })
export const begins = (records: readonly object[], says: RegExp, exit = 7): Want => ({
  exit,
  begun: JSON.stringify(records).slice(0, -1),
  says,
})

const NONE = { done: 0, failed: 0, in_doubt: 0, unsent: 0 }
/** Rows of an import that are not told are none. */
export const rows = (exit: number, account: Partial<typeof NONE>, says?: RegExp): Want => ({
  exit,
  account: { ...NONE, ...account },
  ...(says && { says }),
})

/** An import whose first row is answered as the connector does not describe. */
export const STOPPED = rows(7, { in_doubt: 1, unsent: 2 })

export const json =
  (status: number, body: unknown, headers: object = {}): Answer =>
  (response) =>
    sendJson(response, status, body, headers)

export const text =
  (status: number, body: string | Buffer, headers: object = {}): Answer =>
  (response) =>
    void response.writeHead(status, { ...headers }).end(body)

/** Bytes that the HTTP library would not send. */
export const raw =
  (bytes: string): Answer =>
  ({ socket }) =>
    void socket?.end(bytes, 'latin1')

/** The beginning, and then the same bytes for ever. */
export const drip =
  (beginning: string, bytes: string): Answer =>
  ({ socket }) => {
    socket?.write(beginning)
    const timer = setInterval(() => socket?.write(bytes), 20)
    socket?.on('close', () => clearInterval(timer))
  }

export const page = (data: unknown, more: object = {}): object => ({
  data,
  next_cursor: null,
  has_more: false,
  ...more,
})
export const listed = (data: unknown, more: object = {}, headers: object = {}): Answer =>
  json(200, page(data, more), headers)

/** A first page of Ada that has a second one, and the answer in its place. */
export const second =
  (answer: Answer): Answer =>
  (response, asked) =>
    asked.request.path.includes('cursor=')
      ? answer(response, asked)
      : sendJson(response, 200, page([ADA], { next_cursor: 'b', has_more: true }))

/** The record that was sent, with this id. */
export const made =
  (id: (nth: number) => unknown, headers: object = {}): Answer =>
  (response, { request, nth }) =>
    sendJson(response, 201, { ...JSON.parse(request.body), id: id(nth) }, headers)

export const OK = 'HTTP/1.1 200 OK\r\n'
export const CREATED = 'HTTP/1.1 201 Created\r\n'
export const WHOLE = JSON.stringify(page([ADA]))

export function sized(body: string, line = OK): string {
  return `${line}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
