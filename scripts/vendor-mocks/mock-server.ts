import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json.ts'
import { PRISM } from '../../test/harness/prism.ts'
import type { Vendor } from './vendors.ts'

/** A request as the mock received it, and what the mock found wrong with it. */
export interface Exchange {
  readonly line: string
  readonly status: number
  readonly answer: JsonObject
  /** Where the request breaks the document. */
  readonly violations: readonly string[]
}

export interface MockServer {
  readonly url: string
  /** The exchanges since it was called with `forget`. */
  exchanges(forget?: 'forget'): readonly Exchange[]
  close(): Promise<void>
}

interface Mock {
  readonly prefix: string
  readonly url: URL
  readonly child: ChildProcess
}

/** One origin with a Prism mock for each document, chosen by the path. */
export async function startMocks(folder: string, vendor: Vendor): Promise<MockServer> {
  const mocks: Mock[] = []
  let exchanges: Exchange[] = []
  const end = () => Promise.all(mocks.map(({ child }) => ended(child)))
  try {
    for (const { file, prefix } of vendor.documents) mocks.push({ prefix, ...(await startPrism(join(folder, file))) })
  } catch (error) {
    await end()
    throw error
  }
  const server = createServer((asked, answer) => {
    void pass(asked, answer, { mocks, vendor }).then(
      (exchange) => exchanges.push(exchange),
      (error: unknown) => answer.destroy(error instanceof Error ? error : undefined),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges: (forget) => {
      const kept = exchanges
      if (forget) exchanges = []
      return kept
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await end()
    },
  }
}

async function startPrism(file: string): Promise<Omit<Mock, 'prefix'>> {
  const child = spawn(process.execPath, [PRISM, 'mock', '--port', '0', file], {
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  const url = await new Promise<URL>((resolve, reject) => {
    child.once('exit', (exit) => reject(new Error(`prism ended with ${exit} while it read ${file}`)))
    lines.on('line', (line) => {
      const address = /listening on (http:\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(new URL(address))
    })
  })
  return { url, child }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

interface Behind {
  readonly mocks: readonly Mock[]
  readonly vendor: Vendor
}

/** Sends the request to the mock of its path, and the answer back. */
async function pass(asked: IncomingMessage, answer: ServerResponse, { mocks, vendor }: Behind): Promise<Exchange> {
  const line = `${asked.method} ${asked.url}`
  const body = await text(asked)
  const mock = mocks.find(({ prefix }) => asked.url?.startsWith(`${prefix}/`))
  if (!mock) {
    const problem = { error: 'no document has this path' }
    answer.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(problem))
    return { line, status: 404, answer: problem, violations: [problem.error] }
  }
  const { host: _host, connection: _connection, ...headers } = asked.headers
  const url = new URL(asked.url?.slice(mock.prefix.length) ?? '/', mock.url)
  const sent = forward(url, { method: asked.method, headers })
  sent.end(body)
  const [received] = (await once(sent, 'response')) as [IncomingMessage]
  const example = jsonOf(await text(received))
  const ofRequest = { path: url.pathname, query: url.searchParams, body: jsonOf(body) }
  const shown = vendor.completed(ofRequest, withFreshTimes(example))
  const { statusCode: status = 0, headers: its } = received
  const { 'transfer-encoding': _encoding, 'content-length': _length, connection: _, ...passed } = its
  answer.writeHead(status, passed).end(status === 204 ? undefined : JSON.stringify(shown))
  return { line, status, answer: shown, violations: violationsOf(its['sl-violations'], status, example) }
}

/** Empty for a body without one. */
function jsonOf(body: string): JsonObject {
  const json = body === '' ? {} : JSON.parse(body)
  return isJsonObject(json) ? json : {}
}

interface Violation {
  readonly location?: readonly string[]
  readonly message: string
}

/** Prism names them in a header, and in the body where it has no answer for a wrong request. */
function violationsOf(header: string | string[] | undefined, status: number, body: JsonObject): readonly string[] {
  const listed: readonly Violation[] = typeof header === 'string' ? JSON.parse(header) : []
  const isOwn = status >= 400 && String(body.type).startsWith('https://stoplight.io/prism/errors')
  const { validation = [] } = (isOwn ? body : {}) as { validation?: readonly Violation[] }
  const found = [...listed, ...validation].filter(({ location }) => location?.[0] !== 'response')
  const texts = found.map(({ location = [], message }) => `${location.join('.')}: ${message}`)
  return texts.length === 0 && isOwn ? [String(body.title)] : [...new Set(texts)]
}

const MADE = /creat|add|updat|modif/i
const TIME = /^\d{4}-\d\d-\d\d(?<separator>[T ])\d\d:\d\d:\d\d(?:\.\d+)?(?<zone>Z|[+-]\d\d:?\d\d)?$/

/** The example with its times of creation and change at this moment: a record of years ago is none that was just made. */
function withFreshTimes(example: JsonObject, now = new Date()): JsonObject {
  const members = Object.entries(example).map(([name, value]) => [name, freshened(name, value, now)] as const)
  return Object.fromEntries(members)
}

function freshened(name: string, value: JsonValue, now: Date): JsonValue {
  if (Array.isArray(value)) return value.map((element) => freshened(name, element, now))
  if (isJsonObject(value)) return withFreshTimes(value, now)
  const { separator, zone } = (MADE.test(name) && typeof value === 'string' && TIME.exec(value)?.groups) || {}
  if (separator === undefined) return value
  return now.toISOString().slice(0, 19).replace('T', separator) + (zone === undefined ? '' : 'Z')
}
