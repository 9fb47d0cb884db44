import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { type CleanUp, CRM, type Env, emptyHome } from './crm.ts'
import { behindPrism } from './prism.ts'

export interface Serving {
  readonly url: string
  readonly database: string
  /** What it said on stderr so far. */
  said(): string
  /** Its exit code, or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/** `crm serve` as a process of its own on a free port, once it is ready; rejects with its stderr when it ends instead. */
export async function serve(args: readonly string[], env: Env, cleanUp: CleanUp = onTestFinished): Promise<Serving> {
  const port = args.includes('--port') ? [] : ['--port', '0']
  const child = spawn(process.execPath, [CRM, 'serve', '--ready-json', ...port, ...args], { env, stdio: 'pipe' })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  child.stdin.end()
  const ended = once(child, 'close').then(([exit, signal]) => (exit ?? signal) as number | string)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  cleanUp(async () => {
    await stop('SIGKILL')
  })
  const { url, database } = JSON.parse(await readyLine(child, ended, () => stderr))
  return { url, database, said: () => stderr, stop }
}

export interface Service extends Serving {
  readonly key: string
  /** An empty HOME with CRM_BASE_URL and CRM_API_KEY pointing here. */
  readonly env: Env & { readonly HOME: string }
  /** Of the service itself, when a prism stands before it. */
  readonly ownUrl: string
}

/** A service with a key of its own, on a database in memory unless `args` say otherwise. */
export async function startService(args: readonly string[] = [], cleanUp: CleanUp = onTestFinished): Promise<Service> {
  const home = emptyHome({}, cleanUp)
  const key = newKey()
  const keyFile = join(emptyHome({}, cleanUp).HOME, 'key')
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 })
  const where = args.includes('--database') ? [] : ['--database', ':memory:']
  const service = await serve(['--key-file', keyFile, ...where, ...args], home, cleanUp)
  const url = await behindPrism(service.url, home, cleanUp)
  const env = { ...home, CRM_BASE_URL: url, CRM_API_KEY: key }
  return { ...service, url, ownUrl: service.url, key, env }
}

/** For requests that break the document on purpose, and for tests that look at the end of the process. */
export function pastPrism(service: Service): Service {
  return { ...service, url: service.ownUrl, env: { ...service.env, CRM_BASE_URL: service.ownUrl } }
}

export function newKey(): string {
  return `crm_key_${randomBytes(32).toString('base64url')}`
}

async function readyLine(child: ChildProcess, ended: Promise<number | string>, said: () => string): Promise<string> {
  if (!child.stdout) throw new Error('crm serve was started without a stdout')
  const ready = once(createInterface(child.stdout), 'line').then(([text]) => String(text))
  const failed = ended.then((exit): never => {
    throw new Error(`crm serve ended with ${exit}: ${said()}`)
  })
  return Promise.race([ready, failed])
}
