import { isFailure } from '../../api/errors/failure.ts'
import type { KeyKeeping } from '../../api/writes/key-keeping.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import type { Noun } from '../plan/plan-head.ts'
import { failureError } from './send-outcome.ts'
import type { ServerClock } from './server-clock.ts'
import type { JobServices } from './services.ts'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000

/**
 * Reads one record before anything is written to the journal or sent: the response shows the server's time, whether the API
 * key is accepted, and perhaps that the server keeps idempotency keys. Repeats the request for `patienceMs` without a
 * response; CrmError if there is none, or a refusal.
 */
export async function checkServer(
  { sender, clocks, sleep, limitParam, signal }: JobServices,
  noun: Noun,
  { clock, keys }: { readonly clock: ServerClock; readonly keys: KeyKeeping },
  patienceMs: number,
): Promise<void> {
  const startedMs = clocks.steadyMs()
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const outcome = await sender.ask(listPath(noun), limitParam === undefined ? {} : { [limitParam]: '1' })
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

/** The path of the resource, or of its parent. */
function listPath(noun: Noun): string {
  const { path, parent }: ResourceDefinition = RESOURCES[resourceOf(noun)]
  return parent === undefined ? path : RESOURCES[parent].path
}
