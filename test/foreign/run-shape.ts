import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { JsonObject } from '../../src/core/json.ts'
import { run } from '../../src/program.ts'
import { type SeenRequest, startServer } from '../api/answering-server.ts'
import { type Env, tempFolder } from '../harness/home.ts'
import { hurriedTiming } from '../harness/hurried-timing.ts'
import type { Answered, Asked } from './shape.ts'

/** No request of a test lives for minutes. */
export const KEEPS_NO_KEYS = 'idempotency: { life: 1s }'

export interface Run {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

export interface Foreign {
  /** One command line, in this process, against the server. */
  readonly crm: (argv: readonly string[], stdin?: string, env?: Env) => Promise<Run>
  readonly origin: string
  readonly seen: readonly SeenRequest[]
  readonly folder: string
}

/**
 * A real server that answers so, and an environment that leads to it; a profile where there are settings. `lines`: what a connector
 * says beside the contract. Each command starts to count its requests from 1.
 */
export async function startForeign(
  answer: (asked: Asked) => Answered,
  settings?: Readonly<Record<string, string>>,
  lines?: string,
): Promise<Foreign> {
  let begunAt = 0
  const { url, seen } = await startServer((response, request, nth) => {
    const { pathname, searchParams } = new URL(request.path, 'http://foreign')
    const origin = `http://${request.headers.host}`
    const asked = { ...request, path: pathname, query: searchParams, origin, nth: nth - begunAt }
    const { status = 200, headers = {}, json, text } = answer(asked)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(text ?? (json === undefined ? '' : JSON.stringify(json)))
  })
  const folder = tempFolder()
  const key = `crm_key_${randomBytes(20).toString('hex')}`
  const named = settings === undefined ? { CRM_BASE_URL: url.origin } : { CRM_PROFILE: 'other' }
  const connector = join(folder, 'foreign.yaml')
  writeFileSync(connector, `connector: 2\nname: foreign\nextends: contract\n${lines}\n`)
  const described = lines === undefined ? {} : { CRM_CONNECTOR: connector }
  const env = { HOME: folder, CRM_API_KEY: key, ...named, ...described }
  const crm = (argv: readonly string[], stdin = '', more: Env = {}) => {
    begunAt = seen.length
    return runHere(argv, { ...env, ...more }, stdin)
  }
  const kept: Env = settings === undefined ? {} : { base_url: url.origin, ...settings }
  for (const [name, value] of Object.entries(kept)) {
    const { exit, stderr } = await crm(['config', 'set', name, value, '-p', 'other'])
    if (exit !== 0) throw new Error(stderr)
  }
  return { crm, seen, folder, origin: url.origin }
}

async function runHere(argv: readonly string[], env: Env & { readonly HOME: string }, input: string): Promise<Run> {
  let stdout = ''
  let stderr = ''
  const timing = hurriedTiming()
  const exit = await run([...argv], {
    io: {
      stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]) as never,
      stdout: { write: collect((text) => (stdout += text)) },
      stderr: { write: collect((text) => (stderr += text)) },
    },
    env,
    now: timing.now,
    timing,
    signal: new AbortController().signal,
    version: '0.0.0',
    argv,
    folder: env.HOME,
  })
  return { exit, stdout, stderr }
}

function collect(add: (text: string) => void) {
  return (text: string | Uint8Array, done?: unknown): boolean => {
    add(typeof text === 'string' ? text : Buffer.from(text).toString('utf8'))
    if (typeof done === 'function') done()
    return true
  }
}

export function contactsOf(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `con_${n + 1}`,
    name: `Person ${n + 1}`,
    email: `p${n + 1}@example.com`,
  }))
}

export function fileIn(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
