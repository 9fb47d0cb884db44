import { isFailure } from '../../api/errors/failure.ts'
import type { RateLimiter } from '../../api/limits/rate-limiter.ts'
import type { KeyKeeping } from '../../api/writes/key-keeping.ts'
import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { isListed, RESOURCES, type Resource, resourceOf } from '../../core/resources/registry.ts'
import type { JobNoun } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobProgress } from '../store/progress.ts'
import { failureError } from './send-outcome.ts'
import type { JobServices, SendTerms, ServerClock } from './services.ts'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000

/** What the response teaches. */
interface Learning {
  readonly clock: ServerClock
  readonly keys: KeyKeeping
  readonly limiter: RateLimiter
}

/**
 * Reads one record before anything is written to the journal or sent: the response shows the server's time, whether the API
 * key is accepted, what is left of the rate limit, and perhaps that the server keeps idempotency keys. Repeats the request for `patienceMs` without a
 * response; CrmError if there is none, or a refusal.
 */
export async function checkServer(
  { sender, clocks, sleep, signal }: JobServices,
  noun: JobNoun,
  { clock, keys, limiter }: Learning,
  patienceMs: number,
): Promise<void> {
  const startedMs = clocks.steadyMs()
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    limiter.force()
    const outcome = await sender.ask(listed(noun))
    limiter.answered(outcome)
    clock.learn(outcome.headers)
    keys.learn(outcome)
    // Any response except a refusal of the key is enough: not every key may read.
    if (!isFailure(outcome) || (outcome.rule === 'never' && outcome.status !== undefined && outcome.status !== 401))
      return
    const pauseMs = outcome.retryAfterMs ?? waitMs
    if (outcome.rule === 'never' || clocks.steadyMs() - startedMs + pauseMs > patienceMs) {
      throw failureError('cannot start sending', outcome)
    }
    await sleep(pauseMs, signal)
    signal.throwIfAborted()
  }
}

/** The resource, or its parent: parts of a record have no list of their own. */
function listed(noun: JobNoun): Resource {
  const { parent }: ResourceDefinition = RESOURCES[resourceOf(noun)]
  return parent ?? resourceOf(noun)
}

/**
 * Many accounts share one URL, and the API key selects the account. A job resumed with another key continues only if its
 * records exist: CrmError `conflict` if none does, because the rest of its rows would be created in another account.
 */
export async function refuseOtherKeyholder(
  ids: ReadonlySet<string>,
  { plan, progress }: { readonly plan: JobFile; readonly progress: JobProgress },
  services: JobServices,
  { isScopedByAccount }: SendTerms,
): Promise<void> {
  const { job, noun } = plan.head
  const isSameKey = progress.lastOpen === undefined || progress.lastOpen.key === services.keyMark
  if (isSameKey || isScopedByAccount || !isListed(resourceOf(noun)) || ids.size === 0) return
  for await (const { items } of services.list(noun)) {
    if (items.some(({ id }) => ids.has(idText(id) ?? ''))) return
  }
  throw new CrmError(
    'conflict',
    `the API key differs from the one that ${job} was sent with, and none of the last records that it created exists`,
    {
      hint: `use a key of the account that it was started with, or cancel it: crm jobs cancel ${job}`,
      job,
    },
  )
}
