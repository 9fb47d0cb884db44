import { encodeId } from '../../../core/ids.ts'
import type { ClaimedDelivery, DeliveryTurn, TurnOutcome } from '../deliveries.ts'
import { liveSecrets } from '../webhook-secrets.ts'
import type { PostgresDatabase, PostgresSession } from './database.ts'
import { IS_DUE_SOMETIME } from './delivery-order.ts'
import {
  type Claimer,
  claimMark,
  failAll,
  keepHealth,
  keepResults,
  type LogTimes,
  renewClaims,
} from './delivery-results.ts'
import { isPrunable, pruneLog } from './prune-log.ts'

interface Endpoint {
  readonly serial: number
  readonly id: string
  /** The earliest due time of its deliveries. */
  readonly dueAtMs: number
}

/** A power cut of the database may undo a turn, after which an attempt is repeated. */
const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = 5000'

/** A turn with nothing to do writes nothing, as it runs once a second. */
export async function takeTurn(
  database: PostgresDatabase,
  turn: DeliveryTurn,
  times: LogTimes,
  claimer: Claimer,
): Promise<TurnOutcome> {
  const { nowMs } = times
  const claimedUntilMs = nowMs + turn.leaseMs
  const isWritten = turn.results.length > 0 || turn.renewals.length > 0
  const before = await openEndpoints(database, nowMs)
  if (!isWritten && freeEndpoints(before.endpoints, turn, nowMs).length === 0 && !(await isPrunable(database, times))) {
    return { claimed: [], claimedUntilMs, nextDueAtMs: before.nextDueAtMs, failingSinceMs: new Map() }
  }
  return database.begin(BEGIN, async (tx) => {
    await keepResults(tx, turn.results, times, claimer)
    const failingSinceMs = await keepHealth(tx, turn.results, nowMs)
    await renewClaims(tx, turn.renewals, claimedUntilMs, claimer)
    const { endpoints } = await openEndpoints(tx, nowMs)
    const claimed: ClaimedDelivery[] = []
    for (const endpoint of freeEndpoints(endpoints, turn, nowMs)) {
      const slots = Math.min(turn.slotsOf(endpoint.id), turn.slots - claimed.length)
      if (slots > 0)
        claimed.push(...(await claimOf(tx, { ...endpoint, slots, untilMs: claimedUntilMs }, times, claimer)))
    }
    await pruneLog(tx, times)
    const { nextDueAtMs } = await openEndpoints(tx, nowMs)
    return { claimed, claimedUntilMs, nextDueAtMs, failingSinceMs }
  })
}

async function claimOf(
  tx: PostgresSession,
  { serial, id, slots, untilMs }: Endpoint & { readonly slots: number; readonly untilMs: number },
  times: LogTimes,
  claimer: Claimer,
): Promise<readonly ClaimedDelivery[]> {
  const { nowMs } = times
  const [url = '', secret = '', oldSecrets = '[]', isEnabled = false] =
    (await tx.get<readonly [string, string, string, boolean]>(
      `SELECT url, secret, old_secrets, text::json ->> 'status' = 'enabled' FROM webhooks WHERE id = $1`,
      serial,
    )) ?? []
  if (!isEnabled) {
    await failAll(tx, serial, 'the subscription is disabled', times)
    return []
  }
  const rows = await tx.all<readonly [number, number, string, number]>(
    `WITH due AS (
        SELECT event_id, next_at_ms FROM deliveries WHERE webhook_id = $1 AND ${IS_DUE_SOMETIME} AND next_at_ms <= $2
        ORDER BY next_at_ms, event_id LIMIT $3 FOR UPDATE SKIP LOCKED
      )
      UPDATE deliveries SET state = 'sending', next_at_ms = $4, claim = $5 FROM due
      WHERE deliveries.webhook_id = $1 AND deliveries.event_id = due.event_id
      RETURNING deliveries.event_id, attempts, (SELECT text FROM events WHERE id = deliveries.event_id), due.next_at_ms`,
    serial,
    nowMs,
    slots,
    untilMs,
    claimMark(claimer, untilMs),
  )
  const secrets = liveSecrets(secret, oldSecrets, nowMs)
  return rows
    .toSorted(([one, , , dueOne], [other, , , dueOther]) => dueOne - dueOther || one - other)
    .map(([eventSerial, failedTries, text]) => {
      const eventId = encodeId('event', eventSerial)
      return { eventId, webhookId: id, claimedUntilMs: untilMs, url, secrets, text, failedTries }
    })
}

/** Subscriptions with due deliveries and free slots, longest waiting first. */
function freeEndpoints(endpoints: readonly Endpoint[], turn: DeliveryTurn, nowMs: number): readonly Endpoint[] {
  if (turn.slots <= 0) return []
  return endpoints
    .filter(({ id, dueAtMs }) => dueAtMs <= nowMs && turn.slotsOf(id) > 0)
    .toSorted((left, right) => left.dueAtMs - right.dueAtMs)
}

/** Skips from one subscription to the next in the index, so that subscriptions without deliveries cost nothing. */
const OPEN_ENDPOINTS = `
  WITH RECURSIVE open (id) AS (
    (SELECT webhook_id FROM deliveries WHERE ${IS_DUE_SOMETIME} ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT webhook_id FROM deliveries WHERE ${IS_DUE_SOMETIME} AND webhook_id > open.id ORDER BY webhook_id LIMIT 1)
    FROM open WHERE open.id IS NOT NULL
  )
  SELECT id,
    (SELECT next_at_ms FROM deliveries WHERE webhook_id = open.id AND ${IS_DUE_SOMETIME} ORDER BY next_at_ms LIMIT 1),
    (SELECT next_at_ms FROM deliveries WHERE webhook_id = open.id AND ${IS_DUE_SOMETIME} AND next_at_ms > $1
      ORDER BY next_at_ms LIMIT 1)
  FROM open WHERE id IS NOT NULL`

async function openEndpoints(
  session: PostgresSession,
  nowMs: number,
): Promise<{ readonly endpoints: readonly Endpoint[]; readonly nextDueAtMs: number | undefined }> {
  const rows = await session.all<readonly [number, number, number | null]>(OPEN_ENDPOINTS, nowMs)
  const later = rows.flatMap(([, , nextAtMs]) => (nextAtMs === null ? [] : [nextAtMs]))
  return {
    endpoints: rows.map(([serial, dueAtMs]) => ({ serial, id: encodeId('webhook', serial), dueAtMs })),
    nextDueAtMs: later.length === 0 ? undefined : Math.min(...later),
  }
}
