import { CrmError } from '../../core/errors.ts'
import type { Log } from '../log.ts'
import { nextWebhook } from '../resources/webhooks.ts'
import type { ClaimedDelivery, TryOutcome } from '../store/deliveries.ts'
import type { RecordChange, Store, StoredRecord } from '../store/store.ts'
import { ActiveDeliveries, takeTurns } from './active-deliveries.ts'
import { targetRule } from './target-rules.ts'
import { openTransport, Signer } from './transport.ts'
import {
  EndpointLimits,
  endsSubscription,
  fixedSchedule,
  healthOf,
  outcomeOf,
  pauseMs,
  standardSchedule,
} from './try-outcome.ts'

/** Unused, as this write belongs to no request. */
const ANSWER: RecordChange['answer'] = { status: 200, body: '', location: undefined, etag: undefined }

/** As Svix does: longer than the retries of one delivery, so that a single rejected event does not disable a subscription. */
const DISABLE_AFTER_MS = 5 * 24 * 60 * 60 * 1000

const MAX_ACTIVE = 512

/** Claims of a killed process are free after this; a running process renews its claims in time. */
const LEASE_MS = 6000

export interface EventSenderOptions {
  /** Stays open when the sender closes. */
  readonly store: Pick<Store, 'deliveries' | 'write'>
  /** Delay before the first attempt and after each failure, without jitter; undefined: the standard three days. */
  readonly retryDelaysMs: readonly number[] | undefined
  /** Whether deliveries may go to this machine or a private network. */
  readonly allowsPrivateTargets: boolean
  readonly now: () => number
  readonly version: string
  readonly timeouts?: SenderTimeouts
  /** Called for failed attempts and disabled subscriptions; undefined: no log. */
  readonly log?: Log | undefined
}

export interface SenderTimeouts {
  /** For one attempt, from the name look-up to the end of the response. */
  readonly tryMs: number
  /** For attempts in progress when the sender closes; the next sender repeats aborted ones. */
  readonly closeMs: number
}

const TIMEOUTS: SenderTimeouts = { tryMs: 15_000, closeMs: 3000 }

export interface EventSender {
  /** Never resolves. Rejects with the bug that stopped the sender. */
  readonly failure: Promise<never>
  close(): Promise<void>
  /** After `close`: the number of attempts whose result could not be stored; the next sender repeats them. */
  lostResults(): number
}

/** Sends the deliveries of the outbox until it is closed. Several processes may share one database. */
export function startSender(options: EventSenderOptions): EventSender {
  const { store, now, timeouts = TIMEOUTS } = options
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  const schedule = options.retryDelaysMs ? fixedSchedule(options.retryDelaysMs) : standardSchedule()
  const isAllowed = targetRule(options.allowsPrivateTargets)
  const transport = openTransport({ timeoutMs: timeouts.tryMs, isAllowed })
  const signer = new Signer(`crm/${options.version}`)
  const limits = new EndpointLimits()
  const active = new ActiveDeliveries()
  let isClosing = false

  const attempt = async (delivery: ClaimedDelivery): Promise<TryOutcome> => {
    const request = signer.sign(delivery, now())
    const made = await transport.post(request, delivery.failedTries > 0)
    const nowMs = now()
    limits.record(delivery.webhookId, healthOf(made))
    const waitMs = pauseMs(made, nowMs)
    if (waitMs !== undefined) limits.pause(delivery.webhookId, nowMs + waitMs, nowMs)
    const outcome = outcomeOf({ attempt: made, failedTries: delivery.failedTries, nowMs }, schedule)
    logFailure(options.log, delivery, outcome)
    return outcome
  }
  /** Stores results, claims due deliveries and starts them. Returns the time until the next one is due. */
  const turn = async (): Promise<number | undefined> => {
    const results = active.results()
    const gone = results.filter(({ outcome }) => endsSubscription(outcome)).map(({ claim }) => claim.webhookId)
    for (const id of new Set(gone)) await end(options, id, 'the endpoint answered 410: it is gone')
    const nowMs = now()
    const counts = active.counts()
    const runningCount = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const renewals = active.claimsUntil(nowMs + LEASE_MS / 2)
    const done = await store.deliveries.turn({
      results,
      renewals,
      leaseMs: LEASE_MS,
      slots: isClosing ? 0 : MAX_ACTIVE - runningCount,
      slotsOf: (id) => limits.limitOf(id, nowMs) - (counts.get(id) ?? 0),
    })
    active.remove(results)
    active.renew(renewals, done.claimedUntilMs)
    for (const delivery of done.claimed) active.add(delivery, attempt).then(turns.wake, fail)
    for (const [id, sinceMs] of done.failingSinceMs) {
      if (nowMs - sinceMs >= DISABLE_AFTER_MS) await end(options, id, 'no attempt has succeeded for 5 days')
    }
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
      await active.ended()
      clearTimeout(timer)
      await turn().catch(ignoreUnstored)
      transport.stop()
    },
    lostResults: () => active.results().length,
  }
}

/** What was not stored is counted. */
function ignoreUnstored(error: unknown): void {
  if (!(error instanceof CrmError)) throw error
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

/** Disables a subscription, if it is enabled; its record shows when and why. */
async function end({ store, log }: Place, webhookId: string, reason: string): Promise<void> {
  let hasChanged = false
  await store.write({
    resource: 'webhook',
    id: webhookId,
    idempotency: undefined,
    decide: ({ current, nowMs }) => {
      hasChanged = current !== undefined && JSON.parse(current.text).status !== 'disabled'
      return { next: current && hasChanged ? disabled(current, reason, nowMs) : current, answer: ANSWER }
    },
  })
  if (hasChanged) log?.({ level: 'warn', event: 'webhook_disabled', webhook_id: webhookId, reason })
}

function disabled(current: StoredRecord, reason: string, nowMs: number): RecordChange['next'] {
  const set = { status: 'disabled', disabled_reason: reason }
  return nextWebhook(current, new Map(Object.entries(set).map(([name, value]) => [name, JSON.stringify(value)])), nowMs)
}
