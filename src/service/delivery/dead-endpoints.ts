import type { Log } from '../log.ts'
import type { TryResult, TurnOutcome } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import { disableWebhook } from './disable-webhook.ts'
import { isGone } from './try-outcome.ts'

/** As Svix does: longer than one delivery is tried, so that it takes more than one that cannot be taken. */
const DISABLE_AFTER_MS = 5 * 24 * 60 * 60 * 1000

interface Place {
  readonly store: Pick<Store, 'write'>
  readonly log?: Log | undefined
}

/** Ends the subscriptions whose endpoint said that it is gone. */
export async function endGone(place: Place, results: readonly TryResult[]): Promise<void> {
  const gone = new Set(results.flatMap(({ claim, outcome }) => (isGone(outcome) ? [claim.webhookId] : [])))
  for (const webhookId of gone) await end(place, webhookId, 'the endpoint answered 410: it is gone')
}

/** Ends those that have failed for too long, at a failure. */
export async function endFailing(
  place: Place,
  failingSinceMs: TurnOutcome['failingSinceMs'],
  nowMs: number,
): Promise<void> {
  for (const [webhookId, sinceMs] of failingSinceMs) {
    if (nowMs - sinceMs >= DISABLE_AFTER_MS) await end(place, webhookId, 'no try has succeeded for 5 days')
  }
}

async function end({ store, log }: Place, webhookId: string, reason: string): Promise<void> {
  if (!(await disableWebhook(store, webhookId, reason))) return
  log?.({ level: 'warn', event: 'webhook_disabled', webhook_id: webhookId, reason })
}
