import { join } from 'node:path'
import { startSender } from '../service/delivery/sender.ts'
import { TIMEOUTS } from '../service/http-server.ts'
import { createKey } from '../service/keys.ts'
import type { Log } from '../service/log.ts'
import type { RateLimit } from '../service/rate-limit.ts'
import { startServer } from '../service/server.ts'
import { openSqliteStore } from '../service/store/sqlite/sqlite-store.ts'
import { type FaultShares, faultPlanOf } from './fault-plan.ts'
import { makeSandboxFolder, removeSandboxFolder, sweepSandboxFolders } from './folder.ts'

export interface SandboxTerms {
  readonly latencyMs: number
  readonly fail: FaultShares
  /** Undefined: none. */
  readonly rateLimit: RateLimit | undefined
  /** What the service takes for the time when it starts; undefined: the time. It goes on from there. */
  readonly clockMs: number | undefined
  /** Where the folder of the sandbox is made. */
  readonly parent: string
  readonly version: string
  /** Told of every request. */
  readonly log: Log | undefined
}

export interface OpenSandbox {
  readonly baseUrl: string
  readonly apiKey: string
  /** For a process that is to use it, and nothing else: address, key, and homes in the sandbox's own folder. */
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  /** The service ends, and its data and its folder are gone. */
  close(): Promise<void>
}

/** Nobody waits for what is under way when the sandbox closes: its data goes with it. */
const CLOSE_MS = 100

/** A service on a free port of this machine, on a database in memory, in this process. */
export async function openSandbox(terms: SandboxTerms): Promise<OpenSandbox> {
  const { rateLimit, version, log, clockMs, parent } = terms
  const faults = faultPlanOf(terms.latencyMs, terms.fail)
  const now = clockFrom(clockMs)
  sweepSandboxFolders(parent)
  const folder = makeSandboxFolder(parent)
  const closers: (() => void | Promise<void>)[] = [() => removeSandboxFolder(folder)]
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    const store = await openSqliteStore({ file: ':memory:', now })
    closers.push(() => store.close())
    const { text: apiKey } = await createKey(
      store,
      { name: 'sandbox', scopes: ['read', 'write'], expiresAtMs: undefined },
      now(),
    )
    const timeouts = { ...TIMEOUTS, closeMs: CLOSE_MS }
    const server = await startServer({
      ...{ store, host: '127.0.0.1', port: 0, rateLimit, now, log, version, faults, timeouts },
    })
    closers.push(() => server.close())
    const sender = startSender({
      ...{ store, now, version, retryDelaysMs: undefined, allowsPrivateTargets: true },
      timeouts: { tryMs: 15_000, closeMs: CLOSE_MS },
    })
    closers.push(() => sender.close())
    return { baseUrl: server.url, apiKey, env: envOf(server.url, apiKey, folder), folder, close }
  } catch (error) {
    await close()
    throw error
  }
}

function envOf(baseUrl: string, apiKey: string, folder: string): OpenSandbox['env'] {
  return {
    CRM_BASE_URL: baseUrl,
    CRM_API_KEY: apiKey,
    CRM_CONFIG_HOME: join(folder, 'config'),
    CRM_STATE_HOME: join(folder, 'state'),
  }
}

function clockFrom(startMs: number | undefined): () => number {
  if (startMs === undefined) return Date.now
  const aheadMs = startMs - Date.now()
  return () => Date.now() + aheadMs
}
