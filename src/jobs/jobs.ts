import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import type { Api, ApiOptions } from '../api/api.ts'
import { createSender } from '../api/sender.ts'
import type { Env, InputStream } from '../core/streams.ts'
import { findJob } from './folder/find-jobs.ts'
import type { JobPaths } from './folder/job-folder.ts'
import { ensureJobsFolder } from './folder/state-home.ts'
import { type ImportRequest, type MadeImport, makeImport } from './make/make-import.ts'
import type { MakeWorld } from './make/make-world.ts'
import { outcomeError } from './run/job-errors.ts'
import { type JobOutcome, type RunHooks, runJob } from './run/run-job.ts'
import { DEFAULT_LIFE_MS, DEFAULT_WINDOW_MS, type JobServices, type RunTerms } from './run/services.ts'
import { Governor } from './send/governor.ts'

/** More under way at once was never seen to help a server, and costs it memory. */
const MOST_UNDER_WAY = 64

/** Bulk work, for commands, fixtures and screens. */
export interface Jobs {
  readonly folder: string
  makeImport(request: ImportRequest): Promise<MadeImport>
  /** By id, or by an end of it. */
  find(word: string): JobPaths
  /** Sends what is left of it; see runJob. */
  run(paths: JobPaths, terms: RunTerms, hooks: RunHooks): Promise<JobResult>
  /** Of a job that was never begun: its files go. */
  drop(paths: JobPaths): void
  /** What is known of the server. */
  readonly wire: Pick<RunTerms, 'windowMs' | 'lifeMs' | 'isScopedByAccount'>
}

export interface JobResult extends JobOutcome {
  /** With what a command ends; undefined when every row was done. */
  readonly error: unknown
}

export interface JobsWorld {
  readonly env: Env
  readonly stdin: () => InputStream
  readonly argv: readonly string[]
  readonly version: string
  readonly signal: AbortSignal
  readonly now: () => number
  readonly note: (line: string) => void
  /** For lists, which retry by themselves. */
  readonly api: () => Promise<Api>
  /** For writes, each try of which is written down. */
  readonly server: Omit<ApiOptions, 'signal' | 'maxWaitMs' | 'onWait' | 'onNotice'>
}

export async function openJobs(world: JobsWorld): Promise<Jobs> {
  const folder = await ensureJobsFolder(world.env, world.note)
  return {
    folder,
    makeImport: (request) => makeImport(makeWorld(world, folder), request),
    find: (word) => findJob(folder, word),
    run: async (paths, terms, hooks) => {
      const outcome = await runIn(world, paths, terms, hooks)
      return { ...outcome, error: outcomeError(paths.id, outcome) }
    },
    drop: (paths) => rmSync(paths.folder, { recursive: true, force: true }),
    wire: { windowMs: DEFAULT_WINDOW_MS, lifeMs: DEFAULT_LIFE_MS, isScopedByAccount: false },
  }
}

/** Where records live: two profiles of one server are one account, and so are the old key and the new one. */
function accountOf({ baseUrl }: Pick<ApiOptions, 'baseUrl'>): string {
  return baseUrl.href.replace(/\/$/, '')
}

function makeWorld(world: JobsWorld, jobsFolder: string): MakeWorld {
  return {
    jobsFolder,
    account: accountOf(world.server),
    stdin: world.stdin,
    signal: world.signal,
    version: world.version,
    command: world.argv,
    nowMs: world.now,
    note: world.note,
  }
}

async function runIn(world: JobsWorld, paths: JobPaths, terms: RunTerms, hooks: RunHooks): Promise<JobOutcome> {
  const { server, signal, version, now } = world
  const sender = createSender({ ...server, connections: terms.concurrency ?? MOST_UNDER_WAY })
  const steadyMs = () => performance.now()
  const api = await world.api()
  const services: JobServices = {
    account: accountOf(server),
    sender,
    list: (noun) => (noun === 'contacts' ? api.contacts : api.deals).list(ALL),
    keyMark: createHmac('sha256', paths.id).update(server.key).digest('hex').slice(0, 8),
    clocks: { wallMs: now, steadyMs },
    random: Math.random,
    limitParam: server.wire.limitParam,
    signal,
    pid: process.pid,
    version,
  }
  const pace = new Governor({
    concurrency: terms.concurrency,
    most: MOST_UNDER_WAY,
    steadyMs,
    wallMs: now,
    share: () => ({ share: terms.rateShare, processes: 1 }),
  })
  try {
    return await runJob({ paths, services, terms, pace, hooks })
  } finally {
    await sender.close()
  }
}

const ALL = { limit: undefined, cursor: undefined, filters: {} }
