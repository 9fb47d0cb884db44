import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Row = Record<string, unknown>

export interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** `json` only with a JSON content type and text that parses. */
  readonly body: { readonly type: 'none' | 'unreadable' } | { readonly type: 'json'; readonly value: unknown }
}

export interface Answer {
  readonly status: number
  /** Text is sent as it is, an object as JSON. */
  readonly body?: string | object
  readonly headers?: Readonly<Record<string, string>>
}

/** `lose-answer` and `error-500-after` carry the effect out, `reset-before` and `refuse-in-200` do not. */
export type Fault = 'lose-answer' | 'reset-before' | 'error-500-after' | 'refuse-in-200'

export interface Rate {
  readonly requests: number
  readonly perMs: number
}

export interface EmulatorOptions {
  readonly key?: string
  /** How many contacts, and how many deals, are there at the start. */
  readonly records?: number
  /** A smaller maximum of a page than the vendor's. */
  readonly pageMax?: number
  /** How long a record that was written is missing from searches, where the vendor has one beside its lists. */
  readonly searchLagMs?: number
  readonly rate?: Rate
  /** Of searches alone, where the vendor counts them apart. */
  readonly searchRate?: Rate
  /** `n` counts the requests from 1. */
  readonly faults?: (request: Call, n: number) => Fault | undefined
  /** An answer in place of the vendor's, without its effect; or one that shows less than it did. */
  readonly answers?: (request: Call, own: () => Answer) => Answer
}

export interface LoggedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** What the server decided, also where the client never saw it. */
  readonly status: number | 'reset-before'
  readonly fault: Fault | undefined
}

export type EffectType = 'created' | 'updated' | 'deleted'

export interface Emulator<Kind extends string> extends AsyncDisposable {
  /** The origin; the base path is the vendor's. */
  readonly url: string
  readonly key: string
  readonly requests: readonly LoggedRequest[]
  /** In the vendor's form, without deleted ones. */
  records(kind: Kind): readonly Row[]
  /** How many writes took effect, those of the start left out. */
  effects(kind: Kind, type: EffectType): number
  /** Rejects with an error of the emulator itself. */
  close(): Promise<void>
}

export interface Window {
  readonly limit: number
  readonly perMs: number
  /** Below zero, the request is refused. */
  readonly remaining: number
  readonly resetAt: number
}

/** What one vendor's file says of its server. */
export interface Vendor<Kind extends string> {
  readonly tables: Readonly<Record<Kind, Table>>
  readonly routes: readonly Route[]
  /** Throws a Refusal where the credentials are missing or wrong. */
  authenticate(call: Call): void
  refuse: Readonly<Record<'unknownPath' | 'wrongMethod' | 'internal', (call: Call) => Answer>>
  /** The body of a refusal in a 200, where the vendor's bodies say whether they are one. */
  readonly refusalIn200?: object
  limited(window: Window, call: Call): Answer
  limitHeaders(window: Window, call: Call): Readonly<Record<string, string>>
  /** Windows are fixed and begin with their first request; rolling ones end with each request. */
  readonly hasRollingWindows?: boolean
  /** Searches that `searchRate` counts. */
  isSearch?: (call: Call) => boolean
}

export type Params = Readonly<Record<string, string>>

export interface Route {
  readonly method: string
  /** Segments; `:name` is any one. Of two that fit, the first is taken. */
  readonly path: string
  readonly answer: (call: Call, params: Params) => Answer
}

/** Ends the handling of a request with this answer. */
export class Refusal extends Error {
  readonly answer: Answer
  constructor(answer: Answer) {
    super(`refused with ${answer.status}`)
    this.answer = answer
  }
}

/** The records of one kind by id, and how often they were written. */
export class Table {
  readonly rows = new Map<string, Row>()
  readonly effects: Record<EffectType, number> = { created: 0, updated: 0, deleted: 0 }
  readonly #isDeleted: (row: Row) => boolean
  readonly #writtenAt = new Map<string, number>()
  #lastId = 0

  constructor(isDeleted: (row: Row) => boolean = () => false) {
    this.#isDeleted = isDeleted
  }

  /** For vendors that count their records. */
  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  write(type: EffectType, id: string | number, row: Row): Row {
    this.effects[type] += 1
    this.#writtenAt.set(String(id), Date.now())
    this.rows.set(String(id), row)
    return row
  }

  remove(id: string | number): void {
    this.effects.deleted += 1
    this.rows.delete(String(id))
  }

  get present(): Row[] {
    return [...this.rows.values()].filter((row) => !this.#isDeleted(row))
  }

  /** What a search knows: records as they were made at the start, or written at least this long ago. */
  indexed(lagMs: number): Row[] {
    return this.present.filter(({ id }) => Date.now() - (this.#writtenAt.get(String(id)) ?? 0) >= lagMs)
  }

  /** The records until now are those of the start. */
  forgetWrites(): void {
    this.#writtenAt.clear()
    Object.assign(this.effects, { created: 0, updated: 0, deleted: 0 })
  }
}

/** A vendor's REST interface on a free port of 127.0.0.1, with its state in memory. */
export async function startEmulator<Kind extends string>(
  vendor: Vendor<Kind>,
  { key, rate, searchRate, faults, answers = (_, own) => own() }: EmulatorOptions & { readonly key: string },
): Promise<Emulator<Kind>> {
  const requests: LoggedRequest[] = []
  const bugs: unknown[] = []
  const windowNow = countWindows(rate, vendor.hasRollingWindows)
  const searchWindowNow = countWindows(searchRate, vendor.hasRollingWindows)
  for (const table of Object.values<Table>(vendor.tables)) table.forgetWrites()

  function decide(call: Call): Answer {
    const window = vendor.isSearch?.(call) ? searchWindowNow() : windowNow()
    const answer =
      window && window.remaining < 0 ? vendor.limited(window, call) : answers(call, () => handle(vendor, call))
    if (!window) return answer
    return { ...answer, headers: { ...vendor.limitHeaders(window, call), ...answer.headers } }
  }

  let received = 0
  const server = createServer(async (request, response) => {
    try {
      const call = await readCall(request)
      received += 1
      const fault = faults?.(call, received)
      const { method } = call
      const path = request.url ?? ''
      if (fault === 'reset-before') {
        requests.push({ method, path, status: fault, fault })
        request.socket.resetAndDestroy()
        return
      }
      const answer = fault === 'refuse-in-200' ? { status: 200, body: vendor.refusalIn200 ?? {} } : decide(call)
      requests.push({ method, path, status: answer.status, fault })
      if (fault === 'lose-answer') request.socket.resetAndDestroy()
      else send(response, fault === 'error-500-after' ? vendor.refuse.internal(call) : answer)
    } catch (error) {
      if (request.errored !== error) bugs.push(error)
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    if (server.listening) await closed
    if (bugs.length > 0) throw new AggregateError(bugs, 'The emulator itself failed')
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    requests,
    records: (kind) => vendor.tables[kind].present,
    effects: (kind, type) => vendor.tables[kind].effects[type],
    close,
    [Symbol.asyncDispose]: close,
  }
}

function handle<Kind extends string>(vendor: Vendor<Kind>, call: Call): Answer {
  try {
    vendor.authenticate(call)
    const fitting = vendor.routes.flatMap((route) => {
      const params = matchPath(route.path, call.path)
      return params ? [{ route, params }] : []
    })
    if (fitting.length === 0) return vendor.refuse.unknownPath(call)
    const found = fitting.find(({ route }) => route.method === call.method)
    return found ? found.route.answer(call, found.params) : vendor.refuse.wrongMethod(call)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

function matchPath(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ''
    if (segment.startsWith(':') && value !== '') params[segment.slice(1)] = decoded(value)
    else if (segment !== value) return undefined
  }
  return params
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Refused requests are not counted. */
export function countWindows(rate: Rate | undefined, isRolling = false): () => Window | undefined {
  if (!rate) return () => undefined
  const { requests: limit, perMs } = rate
  let taken: number[] = []
  return () => {
    const now = Date.now()
    const isOver = (since = now) => now - since >= perMs
    if (isRolling) taken = taken.filter((time) => !isOver(time))
    else if (isOver(taken[0])) taken = []
    const isRefused = taken.length >= limit
    if (!isRefused) taken.push(now)
    const remaining = isRefused ? -1 : limit - taken.length
    return { limit, perMs, remaining, resetAt: (taken[0] ?? now) + perMs }
  }
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://emulator')
  const { method = '', headers } = request
  return { method, path: pathname, query: searchParams, headers, body: parseBody(headers, await text(request)) }
}

function parseBody(headers: IncomingHttpHeaders, written: string): Call['body'] {
  if (written === '') return { type: 'none' }
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return { type: 'unreadable' }
  try {
    return { type: 'json', value: JSON.parse(written) }
  } catch {
    return { type: 'unreadable' }
  }
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json'
  const content = body === undefined ? {} : { 'content-type': `${type}; charset=utf-8` }
  response.writeHead(status, { ...content, ...headers })
  response.end(typeof body === 'object' ? JSON.stringify(body) : body)
}
