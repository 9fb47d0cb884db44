import { decodeId } from '../../../core/ids.ts'
import type { Claim, TryOutcome, TryResult } from '../deliveries.ts'
import type { Retention } from '../store-options.ts'
import { withoutNul } from './bounded-text.ts'
import type { PostgresSession } from './database.ts'
import { advanceLines, failingLines, IS_OPEN, lockLines } from './delivery-order.ts'

/** The clock, and how long the log keeps what ended. */
export interface LogTimes {
  readonly nowMs: number
  readonly kept: Retention
}

/** A sender: its claims differ from those of every other one, whatever their clocks. */
export interface Claimer {
  readonly name: string
}

/** What the claims of a sender until a time are marked with. */
export function claimMark({ name }: Claimer, untilMs: number): string {
  return `${name}/${untilMs}`
}

/** A result whose claim is still that of this sender. */
interface Mine {
  readonly webhookSerial: number
  readonly eventSerial: number
  readonly claim: string
  readonly outcome: TryOutcome
  readonly recordId: string
  readonly failingSinceMs: number | undefined
}

/** An expired claim may belong to another process; its result is ignored. */
const IS_MINE = `deliveries.webhook_id = given.webhook_id AND deliveries.event_id = given.event_id
  AND deliveries.state = 'sending' AND deliveries.claim = given.claim`

export async function keepResults(
  tx: PostgresSession,
  results: readonly TryResult[],
  { nowMs, kept }: LogTimes,
  claimer: Claimer,
): Promise<void> {
  if (results.length === 0) return
  const found = await findMine(tx, results, claimer)
  await lockLines(tx, [...new Set(found.map(({ recordId }) => recordId))])
  // Again under the lock, as the queue may have changed while it was awaited.
  const mine = await findMine(tx, results, claimer)
  const first = mine.filter(({ outcome, failingSinceMs }) => outcome.type === 'retry' && failingSinceMs === undefined)
  // Earlier ones have failed for longer; the queue's waiting time counts from them.
  const lineSinceMs = await failingLines(tx, first)
  const rows = mine.map((each) => {
    const isFirst = first.includes(each)
    const sinceMs = isFirst ? (lineSinceMs.get(`${each.webhookSerial}/${each.recordId}`) ?? nowMs) : each.failingSinceMs
    return { ...each, ...written(each.outcome, nowMs, kept), sinceMs: sinceMs ?? null }
  })
  await tx.run(
    `UPDATE deliveries SET state = given.state, next_at_ms = given.next_at_ms, kept_until_ms = given.kept_until_ms,
        attempts = attempts + given.tries, failing_since_ms = given.since_ms, claim = NULL,
        last_at_ms = CASE given.tries WHEN 0 THEN last_at_ms ELSE $10 END,
        last_status = CASE given.tries WHEN 0 THEN last_status ELSE given.status END,
        last_error = CASE given.tries WHEN 0 THEN last_error ELSE given.error END
      FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::int[], $8::int[],
        $9::text[], $11::bigint[])
        AS given (webhook_id, event_id, claim, state, next_at_ms, kept_until_ms, tries, status, error, since_ms)
      WHERE ${IS_MINE}`,
    rows.map(({ webhookSerial }) => webhookSerial),
    rows.map(({ eventSerial }) => eventSerial),
    rows.map(({ claim }) => claim),
    rows.map(({ state }) => state),
    rows.map(({ nextAtMs }) => nextAtMs),
    rows.map(({ keptUntilMs }) => keptUntilMs),
    rows.map(({ outcome }) => (outcome.type === 'untried' ? 0 : 1)),
    rows.map(({ outcome }) => ('status' in outcome ? (outcome.status ?? null) : null)),
    rows.map(({ outcome }) => ('reason' in outcome ? withoutNul(outcome.reason) : null)),
    nowMs,
    rows.map(({ sinceMs }) => sinceMs),
  )
  const ended = mine.filter((each) => first.includes(each) || !['retry', 'untried'].includes(each.outcome.type))
  await advanceLines(tx, ended, nowMs)
}

function written(outcome: TryOutcome, nowMs: number, { successesMs, failuresMs }: Retention) {
  if (outcome.type === 'untried') return { state: 'pending', nextAtMs: nowMs, keptUntilMs: null }
  if (outcome.type === 'retry') return { state: 'pending', nextAtMs: outcome.dueAtMs, keptUntilMs: null }
  const keptMs = outcome.type === 'succeeded' ? successesMs : failuresMs
  return { state: outcome.type, nextAtMs: nowMs, keptUntilMs: nowMs + keptMs }
}

async function findMine(
  tx: PostgresSession,
  results: readonly TryResult[],
  claimer: Claimer,
): Promise<readonly Mine[]> {
  const places = results.map(({ claim, outcome }) => ({ ...placeOf(claim, claimer), outcome }))
  const rows = await tx.all<readonly [number, number, string, number | null]>(
    `SELECT deliveries.webhook_id, deliveries.event_id, record_id, failing_since_ms FROM deliveries
      JOIN unnest($1::bigint[], $2::bigint[], $3::text[]) AS given (webhook_id, event_id, claim) ON ${IS_MINE}`,
    ...listsOf(places),
  )
  const found = new Map(rows.map((row) => [`${row[0]}/${row[1]}`, row]))
  return places.flatMap((place) => {
    const [, , recordId, sinceMs] = found.get(`${place.webhookSerial}/${place.eventSerial}`) ?? []
    return recordId === undefined ? [] : [{ ...place, recordId, failingSinceMs: sinceMs ?? undefined }]
  })
}

export async function renewClaims(
  tx: PostgresSession,
  renewals: readonly Claim[],
  untilMs: number,
  claimer: Claimer,
): Promise<void> {
  if (renewals.length === 0) return
  await tx.run(
    `UPDATE deliveries SET next_at_ms = $4, claim = $5
      FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS given (webhook_id, event_id, claim) WHERE ${IS_MINE}`,
    ...listsOf(renewals.map((claim) => placeOf(claim, claimer))),
    untilMs,
    claimMark(claimer, untilMs),
  )
}

/** Fails all open deliveries of a subscription, also those in state `sending`. */
export async function failAll(
  tx: PostgresSession,
  webhookSerial: number,
  reason: string,
  { nowMs, kept }: LogTimes,
): Promise<void> {
  await tx.run(
    `UPDATE deliveries SET state = 'failed', last_error = $2, kept_until_ms = $3, claim = NULL
      WHERE webhook_id = $1 AND ${IS_OPEN}`,
    webhookSerial,
    reason,
    nowMs + kept.failuresMs,
  )
}

/**
 * Stores since when no attempt of a subscription has succeeded, once per turn, and returns it for subscriptions with a failed
 * attempt. Any success in the turn counts.
 */
export async function keepHealth(
  tx: PostgresSession,
  results: readonly TryResult[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const tried = results.filter(({ outcome }) => outcome.type !== 'untried')
  const failingSinceMs = new Map<string, number>()
  for (const [webhookId, group] of [...Map.groupBy(tried, ({ claim }) => claim.webhookId)].toSorted()) {
    const serial = decodeId('webhook', webhookId) ?? null
    if (group.some(({ outcome }) => outcome.type === 'succeeded')) {
      await tx.run('UPDATE webhooks SET failing_since_ms = NULL WHERE id = $1 AND failing_since_ms IS NOT NULL', serial)
      continue
    }
    const [sinceMs] =
      (await tx.get<[number]>(
        'UPDATE webhooks SET failing_since_ms = coalesce(failing_since_ms, $1) WHERE id = $2 RETURNING failing_since_ms',
        nowMs,
        serial,
      )) ?? []
    if (sinceMs !== undefined) failingSinceMs.set(webhookId, sinceMs)
  }
  return failingSinceMs
}

function listsOf(
  places: readonly { readonly webhookSerial: number; readonly eventSerial: number; readonly claim: string }[],
): readonly [number[], number[], string[]] {
  return [
    places.map(({ webhookSerial }) => webhookSerial),
    places.map(({ eventSerial }) => eventSerial),
    places.map(({ claim }) => claim),
  ]
}

function placeOf({ eventId, webhookId, claimedUntilMs }: Claim, claimer: Claimer) {
  const [eventSerial, webhookSerial] = [decodeId('event', eventId), decodeId('webhook', webhookId)]
  if (eventSerial === undefined || webhookSerial === undefined) throw new Error(`no claim: ${eventId}, ${webhookId}`)
  return { eventSerial, webhookSerial, claim: claimMark(claimer, claimedUntilMs) }
}
