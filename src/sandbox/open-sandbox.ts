import { join } from 'node:path'
import type { Env } from '../core/streams.ts'
import { startSender } from '../service/delivery/sender.ts'
import { TIMEOUTS } from '../service/http-server.ts'
import { createKey } from '../service/keys.ts'
import type { Log } from '../service/log.ts'
import type { RateLimit } from '../service/rate-limit.ts'
import { startServer } from '../service/server.ts'
import { openStore } from '../service/store/open-store.ts'
import type { Store } from '../service/store/store.ts'
import { type FaultShares, faultPlanOf } from './fault-plan.ts'
import { makeSandboxFolder, removeSandboxFolder, sweepSandboxFolders } from './folder.ts'

export interface SandboxTerms {
  /** Fixture files whose records are there when it opens; faults and limits begin after them. */
  readonly seed: readonly string[]
  /** For expressions in them. */
  readonly seedEnv: Env
  readonly latencyMs: number
  readonly fail: FaultShares
  /** Undefined: none. */
  readonly rateLimit: RateLimit | undefined
  /** What the service takes for the time when it starts; undefined: the time. It goes on from there. */
  readonly clockMs: number | undefined
  /** Where the folder of the sandbox is made. */
  readonly parent: string
  readonly version: string
  /** Ends the seeding. */
  readonly signal: AbortSignal
  /** Told of every request. */
  readonly log: Log | undefined
  /** Told of each mistake in the fixture files. */
  readonly onMistake: (text: string) => void
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

/** A limit that never applies: without one in the answers clients begin slowly, to find the limit. */
const UNLIMITED: RateLimit = { requests: 1_000_000, windowMs: 1000 }

/** A service on a free port of this machine, on a database in memory, in this process. */
export async function openSandbox(terms: SandboxTerms): Promise<OpenSandbox> {
  const { rateLimit = UNLIMITED, version, log, clockMs, parent } = terms
  let isSeeded = false
  const faults = faultPlanOf(terms.latencyMs, terms.fail, () => isSeeded)
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
    const env = envOf(server.url, apiKey, folder)
    const variables = terms.seed.length > 0 ? await seedStore(terms, { store, url: server.url, env, now }) : {}
    isSeeded = true
    return { baseUrl: server.url, apiKey, env: { ...variables, ...env }, folder, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Under a key of its own, which the limit of the sandbox is not for. */
async function seedStore(
  { seed, seedEnv, version, signal, onMistake }: SandboxTerms,
  { store, url, env, now }: { store: Store; url: string; env: OpenSandbox['env']; now: () => number },
): Promise<Record<string, string>> {
  const { seedService } = await import('../fixtures/seed.ts')
  const scopes = ['read', 'write'] as const
  const made = await createKey(store, { name: 'seed', scopes, expiresAtMs: undefined, rate: UNLIMITED }, now())
  const pipelines = await store.pipelines()
  const named = pipelines.map(({ id, stages }) => [id, stages.map(({ name }) => name)] as const)
  // A deal that names no pipeline goes into the first one.
  const names = new Map<string | undefined, readonly string[]>([...named, [undefined, named[0]?.[1] ?? []]])
  const variables = await seedService({
    files: seed,
    baseUrl: url,
    key: made.text,
    env: { ...seedEnv, ...env },
    stages: { names, isWhole: true },
    version,
    signal,
    onMistake,
  })
  await store.endKey(made.key.id, { revokedAtMs: now() })
  return variables
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
