import { onTestFinished } from 'vitest'
import { createApi } from '../../src/api/client.ts'
import { ObservedCapacity } from '../../src/api/limits/observed-capacity.ts'
import { RateLimiter } from '../../src/api/limits/rate-limiter.ts'
import type { ServerTerms } from '../../src/api/server-terms.ts'
import { KeyKeeping } from '../../src/api/writes/key-keeping.ts'
import { createSender } from '../../src/api/writes/sender.ts'
import { canonicalJson, type JsonObject } from '../../src/core/json.ts'
import { requestDigest } from '../../src/jobs/plan/digest.ts'
import type { JobNoun, PlanHead } from '../../src/jobs/plan/plan-format.ts'
import { type JobOutcome, runJob } from '../../src/jobs/send/run-job.ts'
import type { JobServices, RunTerms, SendTerms } from '../../src/jobs/send/services.ts'
import { finishDraft, type JobPaths, openDraft } from '../../src/jobs/store/job-folder.ts'
import { JobWriter } from '../../src/jobs/store/job-writer.ts'
import { CRM, SERVER_TERMS } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { hurriedTiming } from '../harness/hurried-timing.ts'

export const ACCOUNT = 'http://crm.test'

/** What a server that was said to keep keys, or not to, is taken for. */
export function keysOf(idempotency: ServerTerms['idempotency']): KeyKeeping {
  return new KeyKeeping({ terms: { ...SERVER_TERMS, idempotency }, connector: CRM(new URL(ACCOUNT), SERVER_TERMS) })
}

const KEPT = keysOf('kept')

export const TERMS: RunTerms & SendTerms = {
  windowMs: 1_800_000,
  lifeMs: 120_000,
  isScopedByAccount: false,
  keys: KEPT,
  concurrency: 8,
  rateShare: 1,
  maxErrors: undefined,
  maxOutageMs: 10_000,
}

/** A job that creates records of these bodies, ready to be sent. */
export async function makeJob(
  bodies: readonly JsonObject[],
  noun: JobNoun = 'contacts',
  path = '/v1/contacts',
  more: Partial<PlanHead> = {},
): Promise<JobPaths> {
  const jobsFolder = await tempFolder()
  const draft = openDraft(jobsFolder, Date.now())
  const head: PlanHead = {
    ...{
      crm_plan: 1,
      job: draft.id,
      kind: 'import',
      noun,
      run: 'run',
      account: ACCOUNT,
      command: ['contacts', 'import'],
    },
    ...{ input: undefined, of: undefined, made_at: Date.now(), version: '0.0.0' },
    ...more,
  }
  const writer = new JobWriter(draft.db, head)
  const seen = new Map<string, number>()
  for (const body of bodies) {
    const text = canonicalJson(body)
    const digest = requestDigest('POST', path, text)
    const n = seen.get(digest) ?? 0
    seen.set(digest, n + 1)
    writer.add({ head: { do: 'create', path, line: writer.count + 2, digest, n }, body: text })
  }
  writer.end({ rows: bodies.length, create: bodies.length, update: 0, delete: 0, unchanged: 0, skipped: 0 })
  return await finishDraft(draft)
}

export interface Sent {
  readonly outcome: JobOutcome
  readonly pauses: string[]
}

export async function sendJob(
  paths: JobPaths,
  baseUrl: URL,
  {
    terms = {},
    services = {},
    key = 'crm_key_of_the_test',
    beforeSend = () => {},
  }: {
    terms?: Partial<RunTerms & SendTerms>
    services?: Partial<JobServices>
    key?: string
    beforeSend?: () => void
  } = {},
): Promise<Sent> {
  const options = {
    ...{
      baseUrl,
      key,
      terms: { ...SERVER_TERMS, pageSize: 100 },
      connector: CRM(baseUrl, { ...SERVER_TERMS, pageSize: 100 }),
      timeoutMs: 5000,
      userAgent: 'crm/0.0.0',
      now: Date.now,
      debug: undefined,
    },
    ...{ maxWaitMs: 5000, signal: new AbortController().signal, onWait: undefined },
  }
  const timing = hurriedTiming()
  const sender = createSender({ ...options, connections: 64 })
  const api = createApi(options, timing)
  onTestFinished(async () => {
    await Promise.all([sender.close(), api.close()])
  })
  const all = { ...TERMS, ...terms }
  const { now: wallMs, steadyMs, random, sleep } = timing
  const limiter = new RateLimiter({
    ...{ nowMs: steadyMs, wallMs },
    observed: new ObservedCapacity({ concurrency: all.concurrency, most: 64 }),
    share: () => ({ share: all.rateShare, processes: 1 }),
  })
  const pauses: string[] = []
  const outcome = await runJob({
    paths,
    services: {
      ...{ account: ACCOUNT, sender, keyMark: '00000000', clocks: { wallMs, steadyMs }, random, sleep },
      ...{ offers: api.connector.offers, signal: options.signal, pid: process.pid, version: '0.0.0' },
      requireProven: async () => {},
      list: (noun) => (noun === 'contacts' ? api.contacts : api.deals).list(),
      ...services,
    },
    terms: all,
    limiter,
    hooks: {
      onStart: () => {},
      onEnd: () => {},
      beforeSend,
      onPause: (pause) => {
        if (pause) pauses.push(pause.why)
      },
    },
  })
  return { outcome, pauses }
}
