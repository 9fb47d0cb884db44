import type { Log } from '../log.ts'
import type { ClaimedDelivery, TryOutcome, TryResult, TurnOutcome } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import { disableWebhook } from './disable-webhook.ts'
import { EndpointLimits } from './endpoint-limits.ts'
import { fixedSchedule, standardSchedule } from './schedule.ts'
import { signedRequest } from './signed-request.ts'
import { targetRule } from './target-rules.ts'
import { openTransport } from './transport.ts'
import { isGone, moodOf, outcomeOf, pauseMs } from './try-outcome.ts'
import { takeTurns } from './turns.ts'
import { UnderWay } from './under-way.ts'

/** As Svix does: longer than one delivery is tried, so that it takes more than one that cannot be taken. */
const DISABLE_AFTER_MS = 5 * 24 * 60 * 60 * 1000

const MAX_UNDER_WAY = 512

/** What a process that was killed had claimed is free after this; the claims of one that lives are renewed in time. */
const LEASE_MS = 6000

export interface SenderOptions {
  /** Stays open when the sender closes. */
  readonly store: Pick<Store, 'deliveries' | 'write'>
  /** Before the first try, and after each failure before the next, without jitter; undefined is the standard three days. */
  readonly retryDelaysMs: readonly number[] | undefined
  /** Whether a subscriber may be on this machine or in a private network. */
  readonly allowsPrivateTargets: boolean
  readonly now: () => number
  readonly version: string
  readonly timeouts?: SenderTimeouts
  /** Told of tries that fail and subscriptions that end; undefined without a listener. */
  readonly log?: Log | undefined
}

export interface SenderTimeouts {
  /** One try, from the look-up of the name to the end of the answer. */
  readonly tryMs: number
  /** For the tries under way when the sender closes; those broken off are made again by the next sender. */
  readonly closeMs: number
}

const TIMEOUTS: SenderTimeouts = { tryMs: 15_000, closeMs: 3000 }

export interface Sender {
  /** Never fulfilled; rejects with what stopped the sender, which is a bug. */
  readonly failure: Promise<never>
  close(): Promise<void>
}

/** Sends what is in the outbox until it is closed. Several processes may do so on one database. */
export function startSender(options: SenderOptions): Sender {
  const { store, now, timeouts = TIMEOUTS } = options
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  const schedule = options.retryDelaysMs ? fixedSchedule(options.retryDelaysMs) : standardSchedule()
  const isAllowed = targetRule(options.allowsPrivateTargets)
  const transport = openTransport({ timeoutMs: timeouts.tryMs, isAllowed })
  const limits = new EndpointLimits()
  const underWay = new UnderWay()
  let isClosing = false

  const attempt = async (delivery: ClaimedDelivery): Promise<TryOutcome> => {
    const request = signedRequest(delivery, now(), `crm/${options.version}`)
    const made = await transport.post(request, delivery.failedTries > 0)
    const nowMs = now()
    limits.record(delivery.webhookId, moodOf(made))
    const waitMs = pauseMs(made, nowMs)
    if (waitMs !== undefined) limits.pause(delivery.webhookId, nowMs + waitMs, nowMs)
    const outcome = outcomeOf({ attempt: made, failedTries: delivery.failedTries, nowMs }, schedule)
    logFailure(options.log, delivery, outcome)
    return outcome
  }
  /** Keeps results, claims what is due and starts it; for how long nothing falls due. */
  const turn = async (): Promise<number | undefined> => {
    const results = underWay.results()
    await endGone(options, results)
    const nowMs = now()
    const counts = underWay.counts()
    const runningCount = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const renewals = underWay.claimsUntil(nowMs + LEASE_MS / 2)
    const done = await store.deliveries.turn({
      results,
      renewals,
      leaseMs: LEASE_MS,
      slots: isClosing ? 0 : MAX_UNDER_WAY - runningCount,
      slotsOf: (id) => limits.limitOf(id, nowMs) - (counts.get(id) ?? 0),
    })
    underWay.remove(results)
    underWay.renew(renewals, done.claimedUntilMs)
    for (const delivery of done.claimed) underWay.add(delivery, attempt).then(turns.wake, fail)
    await endFailing(options, done.failingSinceMs, nowMs)
    return done.nextDueAtMs === undefined ? undefined : done.nextDueAtMs - nowMs
  }
  const turns = takeTurns(turn, fail)
  const stopListening = store.deliveries.onWritten(turns.wake)
  return {
    failure,
    close: async () => {
      isClosing = true
      stopListening()
      await turns.end()
      const timer = setTimeout(transport.stop, timeouts.closeMs)
      await underWay.ended()
      clearTimeout(timer)
      await turn()
      transport.stop()
    },
  }
}

function logFailure(log: Log | undefined, delivery: ClaimedDelivery, outcome: TryOutcome): void {
  if (outcome.type !== 'retry' && outcome.type !== 'failed') return
  log?.({
    level: 'info',
    event: 'delivery_failed',
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    attempt: delivery.failedTries + 1,
    status: outcome.status,
    reason: outcome.reason,
    next_try_at: outcome.type === 'retry' ? new Date(outcome.dueAtMs).toISOString() : undefined,
  })
}

interface Place {
  readonly store: Pick<Store, 'write'>
  readonly log?: Log | undefined
}

/** Ends the subscriptions whose endpoint said that it is gone. */
async function endGone(place: Place, results: readonly TryResult[]): Promise<void> {
  const gone = new Set(results.flatMap(({ claim, outcome }) => (isGone(outcome) ? [claim.webhookId] : [])))
  for (const webhookId of gone) await end(place, webhookId, 'the endpoint answered 410: it is gone')
}

/** Ends those that have failed for too long, at a failure. */
async function endFailing(place: Place, failingSinceMs: TurnOutcome['failingSinceMs'], nowMs: number): Promise<void> {
  for (const [webhookId, sinceMs] of failingSinceMs) {
    if (nowMs - sinceMs >= DISABLE_AFTER_MS) await end(place, webhookId, 'no try has succeeded for 5 days')
  }
}

async function end({ store, log }: Place, webhookId: string, reason: string): Promise<void> {
  if (!(await disableWebhook(store, webhookId, reason))) return
  log?.({ level: 'warn', event: 'webhook_disabled', webhook_id: webhookId, reason })
}
