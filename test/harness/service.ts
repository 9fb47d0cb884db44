import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startRun } from './crm.ts'
import { memoryDatabase } from './database.ts'
import { type CleanUp, type Env, emptyHome } from './home.ts'
import { behindPrism } from './prism.ts'

export interface Serving {
  readonly url: string
  readonly database: string
  /** Its stderr up to now. */
  said(): string
  /** Its exit code, or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

export interface Service extends Serving {
  readonly key: string
  /** An empty HOME with CRM_BASE_URL and CRM_API_KEY pointing here. */
  readonly env: Env & { readonly HOME: string }
  /** Of the service itself, when a prism stands before it. */
  readonly ownUrl: string
}

export type Serve = (args: readonly string[], env: Env, cleanUp?: CleanUp) => Promise<Serving>

/** `crm serve` in this process on a free port, once it is ready; rejects with its stderr when it ends instead. */
export const serve: Serve = async (args, env, cleanUp = onTestFinished) => {
  const { promise: ready, resolve: onStdout } = Promise.withResolvers<string>()
  const port = args.includes('--port') ? [] : ['--port', '0']
  const { exit, written, interrupt } = startRun(['serve', '--ready-json', ...port, ...args], env, { onStdout })
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    interrupt(signal)
    return exit
  }
  cleanUp(async () => {
    await stop()
  })
  const failed = exit.then((code): never => {
    throw new Error(`crm serve ended with ${code}: ${written.stderr}`)
  })
  const { url, database } = JSON.parse(await Promise.race([ready, failed]))
  return { url, database, said: () => written.stderr, stop }
}

/** A service with a key of its own, on a new database (in memory, if that is SQLite's) unless `args` name one. */
export function startService(args: readonly string[] = [], cleanUp: CleanUp = onTestFinished): Promise<Service> {
  return startServiceWith(serve, args, cleanUp)
}

export async function startServiceWith(start: Serve, args: readonly string[], cleanUp: CleanUp): Promise<Service> {
  const home = emptyHome({}, cleanUp)
  const key = newKey()
  const keyFile = join(emptyHome({}, cleanUp).HOME, 'key')
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 })
  const where = args.includes('--database') ? [] : ['--database', await memoryDatabase(cleanUp)]
  const service = await start(['--key-file', keyFile, ...where, ...args], home, cleanUp)
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
