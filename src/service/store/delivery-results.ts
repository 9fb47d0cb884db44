import { decodeId } from '../../core/ids.ts'
import type { Claim, TryOutcome, TryResult } from './deliveries.ts'
import { advanceLine, failingSinceMs, IS_OPEN, type Line, lockLines } from './delivery-order.ts'
import type { Transaction } from './sql.ts'
import type { Retention } from './store-options.ts'

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

/** An expired claim may belong to another process; its result is ignored. */
const IS_MINE = `webhook_id = $1 AND event_id = $2 AND state = 'sending' AND claim = $3`

type Place = readonly [webhookSerial: number, eventSerial: number, claim: string]

/** A result whose claim is still that of this sender. */
interface Mine {
  readonly place: Place
  readonly outcome: TryOutcome
  readonly line: Line
  readonly failingSinceMs: number | undefined
}

export async function keepResults(
  tx: Transaction,
  results: readonly TryResult[],
  times: LogTimes,
  claimer: Claimer,
): Promise<void> {
  if (results.length === 0) return
  const found = await findMine(tx, results, claimer)
  await lockLines(
    tx,
    found.map(({ line }) => line.recordId),
  )
  // Again under the lock, as the queue may have changed while it was awaited.
  const mine = tx.dialect.lockLines === undefined ? found : await findMine(tx, results, claimer)
  const sinceMs = await Promise.all(mine.map((each) => failingTimeMs(tx, each, times.nowMs)))
  for (const [place, each] of mine.entries()) keepResult(tx, each, sinceMs[place] ?? null, times)
  await Promise.all(mine.filter(endsTurn).map(({ line }) => advanceLine(tx, line, times.nowMs)))
}

async function findMine(tx: Transaction, results: readonly TryResult[], claimer: Claimer): Promise<readonly Mine[]> {
  const found = results.map(async ({ claim, outcome }): Promise<readonly Mine[]> => {
    const place = placeOf(claim, claimer)
    const row = await tx.get<readonly [string, number | null]>(
      `SELECT record_id, failing_since_ms FROM deliveries WHERE ${IS_MINE}`,
      ...place,
    )
    if (!row) return []
    return [
      { place, outcome, line: { webhookSerial: place[0], recordId: row[0] }, failingSinceMs: row[1] ?? undefined },
    ]
  })
  return (await Promise.all(found)).flat()
}

function isFirstFailure({ outcome, failingSinceMs: sinceMs }: Mine): boolean {
  return outcome.type === 'retry' && sinceMs === undefined
}

/** Whether the next one of its queue follows. */
function endsTurn(mine: Mine): boolean {
  return isFirstFailure(mine) || !['retry', 'untried'].includes(mine.outcome.type)
}

/** Earlier ones have failed for longer; the queue's waiting time counts from them. */
async function failingTimeMs(tx: Transaction, mine: Mine, nowMs: number): Promise<number | undefined> {
  return isFirstFailure(mine) ? ((await failingSinceMs(tx, mine.line)) ?? nowMs) : mine.failingSinceMs
}

function keepResult(
  tx: Transaction,
  { place, outcome }: Mine,
  sinceMs: number | null,
  { nowMs, kept }: LogTimes,
): void {
  if (outcome.type === 'untried') {
    tx.later(`UPDATE deliveries SET state = 'pending', next_at_ms = $4, claim = NULL WHERE ${IS_MINE}`, ...place, nowMs)
    return
  }
  const keptMs = outcome.type === 'succeeded' ? kept.successesMs : kept.failuresMs
  tx.later(
    `UPDATE deliveries SET state = $4, next_at_ms = $5, kept_until_ms = $6, attempts = attempts + 1, failing_since_ms = $7,
      claim = NULL, last_at_ms = $8, last_status = $9, last_error = $10 WHERE ${IS_MINE}`,
    ...place,
    outcome.type === 'retry' ? 'pending' : outcome.type,
    outcome.type === 'retry' ? outcome.dueAtMs : nowMs,
    outcome.type === 'retry' ? null : nowMs + keptMs,
    sinceMs,
    nowMs,
    outcome.status ?? null,
    outcome.type === 'succeeded' ? null : tx.dialect.plain(outcome.reason),
  )
}

export function renewClaims(tx: Transaction, renewals: readonly Claim[], untilMs: number, claimer: Claimer): void {
  for (const claim of renewals) {
    const sql = `UPDATE deliveries SET next_at_ms = $4, claim = $5 WHERE ${IS_MINE}`
    tx.later(sql, ...placeOf(claim, claimer), untilMs, claimMark(claimer, untilMs))
  }
}

/** Fails all open deliveries of a subscription, also those in state `sending`. */
export async function failAll(
  tx: Transaction,
  webhookSerial: number,
  reason: string,
  { nowMs, kept }: LogTimes,
): Promise<void> {
  await tx.run(
    `UPDATE deliveries ${tx.dialect.indexedBy('deliveries_open')} SET state = 'failed', last_error = $2, kept_until_ms = $3,
      claim = NULL WHERE webhook_id = $1 AND ${IS_OPEN}`,
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
  tx: Transaction,
  results: readonly TryResult[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const tried = results.filter(({ outcome }) => outcome.type !== 'untried')
  const since = new Map<string, number>()
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
    if (sinceMs !== undefined) since.set(webhookId, sinceMs)
  }
  return since
}

function placeOf({ eventId, webhookId, claimedUntilMs }: Claim, claimer: Claimer): Place {
  const [eventSerial, webhookSerial] = [decodeId('event', eventId), decodeId('webhook', webhookId)]
  if (eventSerial === undefined || webhookSerial === undefined) throw new Error(`no claim: ${eventId}, ${webhookId}`)
  return [webhookSerial, eventSerial, claimMark(claimer, claimedUntilMs)]
}
