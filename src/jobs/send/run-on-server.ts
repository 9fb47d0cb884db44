import { createHmac } from 'node:crypto'
import { dirname } from 'node:path'
import type { Api } from '../../api/api.ts'
import { ObservedCapacity } from '../../api/limits/observed-capacity.ts'
import { RateLimiter } from '../../api/limits/rate-limiter.ts'
import type { ApiOptions } from '../../api/options.ts'
import { type HostTiming, SYSTEM_TIMING } from '../../api/transport/timing.ts'
import { KeyKeeping } from '../../api/writes/key-keeping.ts'
import { createSender } from '../../api/writes/sender.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { checkTimes } from '../../core/wire.ts'
import { ownPid } from '../../files/processes.ts'
import type { JobNoun } from '../plan/plan-format.ts'
import { type JobOutcome, type JobRun, runJob } from './run-job.ts'
import type { RunTerms, ServerTerms } from './services.ts'
import { openSharedBudget, type SharedBudget } from './shared-budget.ts'

export type JobServer = Pick<
  ApiOptions,
  'baseUrl' | 'key' | 'wire' | 'loginHint' | 'serveDatabase' | 'timeoutMs' | 'userAgent' | 'now' | 'debug' | 'env'
>

/** More concurrent requests never increased the throughput of a server, and cost it memory. */
const MOST_UNDER_WAY = 64

export interface ServerContext {
  readonly server: JobServer
  /** How the server speaks. */
  readonly speech: Pick<Api, 'connector' | 'references' | 'wire' | 'ceilings'>
  readonly list: (noun: JobNoun) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly signal: AbortSignal
  readonly version: string
  readonly now: () => number
  readonly timing: HostTiming | undefined
}

/** The server that holds the records: two profiles of one server are one account, and so are its old key and its new one. */
export function crmAccount({ baseUrl }: Pick<JobServer, 'baseUrl'>): string {
  return baseUrl.href.replace(/\/$/, '')
}

/** CrmError `invalid_input` for times that allow no request at all. */
function termsOf({ wire }: Pick<Api, 'wire'>): ServerTerms {
  checkTimes(wire)
  return {
    windowMs: wire.idempotencyWindowMs,
    lifeMs: wire.requestLifeMs,
    isScopedByAccount: wire.isWindowOfAccount,
    keys: new KeyKeeping({ wire }),
  }
}

export async function runOnServer(
  { server, speech, list, signal, version, now, timing = SYSTEM_TIMING }: ServerContext,
  { paths, terms, hooks }: Pick<JobRun, 'paths' | 'hooks'> & { readonly terms: RunTerms },
): Promise<JobOutcome> {
  const serverTerms = termsOf(speech)
  const sender = createSender({
    ...server,
    ...speech,
    sleep: timing.sleep,
    connections: terms.concurrency ?? MOST_UNDER_WAY,
  })
  const { sleep, random, steadyMs } = timing
  const services = {
    offers: speech.connector.offers,
    ...{ account: crmAccount(server), sender, list, signal, version, pid: ownPid(), random, sleep },
    // Distinguishes keys, and reveals nothing about them.
    keyMark: createHmac('sha256', paths.id).update(server.key).digest('hex').slice(0, 8),
    clocks: { wallMs: now, steadyMs },
  }
  let budget: SharedBudget | undefined
  const observed = new ObservedCapacity({ concurrency: terms.concurrency, most: MOST_UNDER_WAY })
  const limiter = new RateLimiter({
    ...{ nowMs: steadyMs, wallMs: now, observed, ceiling: speech.ceilings.main },
    share: () => ({ share: terms.rateShare, processes: budget?.processes ?? 1, perSecond: budget?.perSecond }),
  })
  try {
    budget = await openSharedBudget({
      home: dirname(dirname(paths.folder)),
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
