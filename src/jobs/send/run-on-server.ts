import { createHmac, hash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Api } from '../../api/api.ts'
import { ObservedCapacity } from '../../api/limits/observed-capacity.ts'
import { RateLimiter } from '../../api/limits/rate-limiter.ts'
import type { ApiOptions } from '../../api/options.ts'
import { type HostTiming, SYSTEM_TIMING } from '../../api/transport/timing.ts'
import { KeyKeeping } from '../../api/writes/key-keeping.ts'
import { createSender } from '../../api/writes/sender.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import { ensurePrivateFolder } from '../../files/private-file.ts'
import { ownPid } from '../../files/processes.ts'
import type { JobNoun } from '../plan/plan-format.ts'
import { type JobOutcome, type JobRun, runJob } from './run-job.ts'
import type { ReadRecords } from './sender-adapters.ts'
import type { JobServices, RunTerms, Unproven } from './services.ts'

export type JobServer = Pick<
  ApiOptions,
  'baseUrl' | 'key' | 'loginHint' | 'serveDatabase' | 'timeoutMs' | 'userAgent' | 'now' | 'debug' | 'env'
>

/** More concurrent requests never increased the throughput of a server, and cost it memory. */
const MOST_UNDER_WAY = 64

interface ServerContext {
  readonly server: JobServer
  readonly speech: Pick<Api, 'connector' | 'references' | 'terms' | 'ceilings' | 'knows'>
  readonly list: (noun: JobNoun) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly read: ReadRecords | undefined
  readonly signal: AbortSignal
  readonly version: string
  readonly now: () => number
  readonly timing: HostTiming | undefined
  readonly requireProven: (needed: Unproven) => Promise<void>
}

/** The server that holds the records: two profiles of one server are one account, and so are its old key and its new one. */
export function crmAccount({ baseUrl }: Pick<JobServer, 'baseUrl'>): string {
  return baseUrl.href.replace(/\/$/, '')
}

export async function runOnServer(
  { server, speech, list, read, signal, version, now, timing = SYSTEM_TIMING, requireProven }: ServerContext,
  { paths, terms, hooks }: Pick<JobRun, 'paths' | 'hooks'> & { readonly terms: RunTerms },
): Promise<JobOutcome> {
  const serverTerms = { ...speech.terms, keys: new KeyKeeping(speech) }
  const sender = createSender({
    ...server,
    ...speech,
    sleep: timing.sleep,
    job: speech.knows('jobs') ? paths.id : undefined,
    connections: terms.concurrency ?? MOST_UNDER_WAY,
    cut: hooks.cut,
  })
  const { sleep, random, steadyMs } = timing
  const { offers, word, document } = speech.connector
  const services: JobServices = {
    offers,
    requireProven: async ({ job, kind, noun }, verbs) => {
      const { drafted } = document
      if (drafted !== undefined) await requireProven({ job, kind, noun, verbs, connector: word, drafted })
    },
    ...{ account: crmAccount(server), sender, list, read, signal, version, pid: ownPid(), random, sleep },
    // Distinguishes keys, and reveals nothing about them.
    keyMark: createHmac('sha256', paths.id).update(server.key).digest('hex').slice(0, 8),
    clocks: { wallMs: now, steadyMs },
  }
  let budget: SharedBudget | undefined
  const observed = terms.observed ?? new ObservedCapacity({ concurrency: terms.concurrency, most: MOST_UNDER_WAY })
  const limiter = new RateLimiter({
    ...{ nowMs: steadyMs, wallMs: now, observed, ceiling: speech.ceilings.main },
    share: () => ({ share: terms.rateShare, processes: budget?.processes ?? 1, perSecond: budget?.perSecond }),
  })
  try {
    budget = await openSharedBudget({
      home: dirname(paths.jobsFolder),
      account: services.account,
      ...{ pid: ownPid(), wallMs: now },
      perSecond: () => observed.perSecond,
    })
    if (budget.perSecond !== undefined) observed.adopt(budget.perSecond, steadyMs())
    return await runJob({ paths, services, terms: { ...terms, ...serverTerms }, limiter, hooks })
  } finally {
    budget?.close()
    await sender.close()
  }
}

const WRITE_MS = 1000
/** A new process waits this long before it sends, so that the others notice it: a window is soon used up. */
const READ_MS = 200
/** A process whose file was not written for so long has ended. */
const ENDED_MS = 5000

/** What this process knows of the other processes of the account. */
interface Seen {
  /** Processes that send to the account now, this one included. */
  readonly processes: number
  /** Requests a second that another process has observed the account to be allowed; undefined when none has. */
  readonly perSecond: number | undefined
}

interface SharedBudget extends Seen {
  close(): void
}

interface SharedBudgetOptions {
  /** The state home. */
  readonly home: string
  readonly account: string
  readonly pid: number
  readonly wallMs: () => number
  /** What this process has observed. */
  readonly perSecond: () => number | undefined
}

/**
 * The processes of one account share its limit: each writes a file of its own once a second, and counts those of the others
 * five times as often. No lock is held, so a crash leaves none behind; it is noticed after five seconds.
 */
export async function openSharedBudget(options: SharedBudgetOptions): Promise<SharedBudget> {
  const { home, account, pid, wallMs, perSecond } = options
  const accounts = join(home, 'pace')
  await ensurePrivateFolder(accounts)
  const folder = join(accounts, hash('sha256', account, 'base64url').slice(0, 22))
  await ensurePrivateFolder(folder)
  // Processes of containers that share a home may have the same id.
  const own = join(folder, `${pid}-${randomUUID()}`)
  let seen: Seen = { processes: 1, perSecond: undefined }
  let reads = 0
  const update = () => {
    if (reads++ % (WRITE_MS / READ_MS) === 0) {
      writeFileSync(own, JSON.stringify({ per_second: perSecond() ?? null }), { mode: 0o600 })
      // The others compare it with this clock.
      utimesSync(own, wallMs() / 1000, wallMs() / 1000)
    }
    seen = readOthers(folder, own, wallMs())
  }
  try {
    update()
  } catch (error) {
    rmSync(own, { force: true })
    throw toMachineError(error, own)
  }
  const timer = setInterval(() => {
    try {
      update()
    } catch (error) {
      // On a full disk only the sharing is lost; the journal reports the disk.
      if (errorCode(error) === undefined) throw error
    }
  }, READ_MS)
  timer.unref()
  if (seen.processes > 1) await delay(READ_MS)
  return {
    get processes() {
      return seen.processes
    },
    get perSecond() {
      return seen.perSecond
    },
    close: () => {
      clearInterval(timer)
      rmSync(own, { force: true })
    },
  }
}

function readOthers(folder: string, own: string, nowMs: number): Seen {
  let processes = 1
  let perSecond: number | undefined
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stats = path === own ? undefined : statSync(path, { throwIfNoEntry: false })
    if (!stats) continue
    if (nowMs - stats.mtimeMs > ENDED_MS) rmSync(path, { force: true })
    else {
      processes += 1
      perSecond ??= readPerSecond(path)
    }
  }
  return { processes, perSecond }
}

/** Undefined also for a file that is being written. */
function readPerSecond(path: string): number | undefined {
  try {
    const { per_second: perSecond } = JSON.parse(readFileSync(path, 'utf8')) as { per_second?: unknown }
    return typeof perSecond === 'number' ? perSecond : undefined
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
