import { join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { isLoopback, reachableHere } from '../core/http-rules.ts'
import type { Env } from '../core/streams.ts'
import type { Seeded } from '../fixtures/seed.ts'
import { startSender } from '../service/delivery/sender.ts'
import { TIMEOUTS } from '../service/http-server.ts'
import { FAULT_STATUSES, type FaultPlan, type FaultStatus, type InjectedFault } from '../service/injected-faults.ts'
import { createKey, newKeyText } from '../service/keys.ts'
import type { Log } from '../service/log.ts'
import type { RateLimit } from '../service/rate-limit.ts'
import { startServer } from '../service/server.ts'
import { openStore } from '../service/store/open-store.ts'
import type { Store } from '../service/store/store.ts'
import type { FaultShares } from './fault-shares.ts'
import { makeSandboxFolder, removeSandboxFolder, sweepSandboxFolders } from './sandbox-folder.ts'

export interface SandboxTerms {
  /** Fixture files, applied before it opens; faults and limits start afterwards. */
  readonly seed: readonly string[]
  /** Variables for expressions in the fixture files. */
  readonly seedEnv: Env
  readonly latencyMs: number
  readonly fail: FaultShares
  /** Undefined: on 127.0.0.1. */
  readonly host?: string | undefined
  /** Undefined: a free one. */
  readonly port?: number | undefined
  /** Called for the empty store, with pipelines, objects and unique members. */
  readonly prepare?: ((store: Store) => Promise<void>) | undefined
  /** Values of the fixture files that are replaced, as `--set` has them. */
  readonly sets?: readonly string[]
  /** Undefined: no limit. */
  readonly rateLimit: RateLimit | undefined
  /** The initial time of the service's clock, which runs on from there. Undefined: the real time. */
  readonly clockMs: number | undefined
  /** Where the sandbox folder is created. */
  readonly parent: string
  readonly version: string
  /** Aborts the seeding. */
  readonly signal: AbortSignal
  /** Called for every request. */
  readonly log: Log | undefined
  /** Called for each mistake in the fixture files. */
  readonly onMistake: (text: string) => void
}

export interface OpenSandbox {
  readonly baseUrl: string
  readonly apiKey: string
  /** Variables for a process that uses the sandbox: address, key, and config and state folders inside the sandbox folder. */
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  /** Of the fixtures; undefined without any. */
  readonly seeded: Seeded | undefined
  /** Stops the service and deletes its data and its folder. */
  close(): Promise<void>
}

/** Short: requests in progress are of no use once the data is deleted. */
const CLOSE_MS = 100

/** A limit that never applies. Without a limit in the responses, clients start slowly to find one. */
const UNLIMITED: RateLimit = { requests: 1_000_000, windowMs: 1000 }

/** Starts a service in this process, on a free local port, with a database in memory. */
export async function openSandbox(terms: SandboxTerms): Promise<OpenSandbox> {
  const { rateLimit = UNLIMITED, version, log, clockMs, parent, host = '127.0.0.1', port = 0, seedEnv } = terms
  const faults = faultPlanOf(terms.latencyMs, terms.fail)
  const now = clockFrom(clockMs)
  const folder = makeSandboxFolder(parent)
  sweepSandboxFolders(parent)
  const closers: (() => void | Promise<void>)[] = [() => removeSandboxFolder(folder)]
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    const store = await openStore({ address: ':memory:', now })
    closers.push(() => store.close())
    await terms.prepare?.(store)
    const { text: apiKey } = await createKey(
      store,
      { name: 'sandbox', scopes: ['read', 'write'], expiresAtMs: undefined, text: seedEnv[GIVEN_KEY] ?? newKeyText() },
      now(),
    )
    const timeouts = { ...TIMEOUTS, closeMs: CLOSE_MS }
    // Its address may be in the fixtures. Until they are there, requests wait, and /readyz is 503.
    const seeded = Promise.withResolvers<Store>()
    seeded.promise.catch(() => {})
    closers.push(() => seeded.reject(new Error('the sandbox was not seeded')))
    const server = await startServer({
      ...{ store: seeded.promise, host, port, rateLimit, now, log, version, faults, timeouts },
    })
    closers.push(() => server.close())
    const sender = startSender({
      ...{ store, now, version, retryDelaysMs: undefined, allowsPrivateTargets: true },
      timeouts: { tryMs: 15_000, closeMs: CLOSE_MS },
    })
    closers.push(() => sender.close())
    const env = envOf(reachableHere(server.url).origin, apiKey, folder)
    const fixtures = terms.seed.length > 0 ? await seedFrom(terms, store, env) : undefined
    seeded.resolve(store)
    return { baseUrl: server.url, apiKey, env: { ...fixtures?.env, ...env }, folder, seeded: fixtures, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function seedFrom(terms: SandboxTerms, store: Store, env: OpenSandbox['env']) {
  const { seed: files, sets = [], clockMs, seedEnv, signal, onMistake } = terms
  const { seedStore } = await import('./seed-store.ts')
  return seedStore(store, { files, sets, clockMs, env: { ...seedEnv, ...env }, signal, onMistake })
}

/** Variables that keep requests to loopback addresses away from a proxy. Some programs read one name, some the other. */
export function withoutProxy({ NO_PROXY: upper, no_proxy: lower }: Env): Record<string, string> {
  if ((upper || lower) === '*') return { NO_PROXY: '*', no_proxy: '*' }
  const before = (upper || lower || '').split(',').filter(Boolean)
  const list = [...new Set([...before, '127.0.0.1', 'localhost', '::1'])].join(',')
  return { NO_PROXY: list, no_proxy: list }
}

/** The key, for a sandbox that other containers use. */
const GIVEN_KEY = 'CRM_SANDBOX_KEY'

function envOf(baseUrl: string, apiKey: string, folder: string): OpenSandbox['env'] {
  return {
    CRM_BASE_URL: baseUrl,
    CRM_API_KEY: apiKey,
    ...(!isLoopback(new URL(baseUrl).hostname) && { CRM_INSECURE_HTTP: '1' }),
    CRM_CONFIG_HOME: join(folder, 'config'),
    CRM_STATE_HOME: join(folder, 'state'),
  }
}

function clockFrom(startMs: number | undefined): () => number {
  if (startMs === undefined) return Date.now
  const aheadMs = startMs - Date.now()
  return () => Date.now() + aheadMs
}

const AFTERWARDS = /-after$/

/** CrmError `usage` for an unknown kind of fault and for shares over 100 % in total. */
function faultPlanOf(latencyMs: number, shares: FaultShares): FaultPlan | undefined {
  const faults = Object.entries(shares).map(([kind, percent]) => faultOf(kind, percent))
  const percent = Object.values(shares).reduce((sum, each) => sum + each, 0)
  if (percent > 100) {
    throw new CrmError('usage', `the shares of failing requests add up to ${percent} %, expected at most 100 %`, {
      hint: 'lower the shares: --fail 500=2%,reset=1%',
    })
  }
  return latencyMs > 0 || faults.length > 0 ? { latencyMs, faults } : undefined
}

function faultOf(kind: string, percent: number): InjectedFault {
  if (!(percent >= 0 && percent <= 100)) {
    throw new CrmError('usage', `${kind} is given ${percent} % of the requests, expected 0 to 100 %`, {
      hint: '--fail 500=2%,reset=1%',
    })
  }
  const what = kind.replace(AFTERWARDS, '')
  return { status: statusOf(what, kind), isAfterwards: AFTERWARDS.test(kind), share: percent / 100 }
}

function statusOf(what: string, kind: string): FaultStatus | undefined {
  if (what === 'reset') return undefined
  const status = FAULT_STATUSES.find((each) => String(each) === what)
  if (status !== undefined) return status
  throw new CrmError('usage', `unknown fault ${JSON.stringify(kind)}`, {
    hint: `expected ${FAULT_STATUSES.join(', ')} or reset; with the suffix -after the request takes effect first`,
  })
}
