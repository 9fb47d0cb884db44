import { encodeId } from '../../core/ids.ts'
import type { ClaimedDelivery, DeliveryTurn, TurnOutcome } from './deliveries.ts'
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
import type { Session, SqlDatabase, Transaction } from './sql.ts'
import { liveSecrets } from './webhook-secrets.ts'

interface Endpoint {
  readonly serial: number
  readonly id: string
  /** The earliest due time of its deliveries. */
  readonly dueAtMs: number
}

/** A turn with nothing to do writes nothing and takes no lock, as it runs once a second. */
export async function takeTurn(
  database: SqlDatabase,
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
  return database.transaction('quick', async (tx) => {
    await keepResults(tx, turn.results, times, claimer)
    const failingSinceMs = await keepHealth(tx, turn.results, nowMs)
    renewClaims(tx, turn.renewals, claimedUntilMs, claimer)
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
  tx: Transaction,
  { serial, id, slots, untilMs }: Endpoint & { readonly slots: number; readonly untilMs: number },
  times: LogTimes,
  claimer: Claimer,
): Promise<readonly ClaimedDelivery[]> {
  const { nowMs } = times
  const { member, indexedBy, skipLocked } = tx.dialect
  const [url = '', secret = '', oldSecrets = '[]', status = ''] =
    (await tx.get<readonly [string, string, string, string]>(
      `SELECT url, secret, old_secrets, ${member('text', 'status')} FROM webhooks WHERE id = $1`,
      serial,
    )) ?? []
  if (status !== 'enabled') {
    await failAll(tx, serial, 'the subscription is disabled', times)
    return []
  }
  const due = await tx.all<readonly [eventSerial: number, failedTries: number, text: string]>(
    `SELECT event_id, attempts, (SELECT text FROM events WHERE id = event_id) FROM deliveries ${indexedBy('deliveries_due')}
      WHERE webhook_id = $1 AND ${IS_DUE_SOMETIME} AND next_at_ms <= $2 ORDER BY next_at_ms, event_id LIMIT $3 + 0
      ${skipLocked}`,
    serial,
    nowMs,
    slots,
  )
  const secrets = liveSecrets(secret, oldSecrets, nowMs)
  return due.map(([eventSerial, failedTries, text]) => {
    tx.later(
      `UPDATE deliveries SET state = 'sending', next_at_ms = $3, claim = $4 WHERE webhook_id = $1 AND event_id = $2`,
      ...[serial, eventSerial, untilMs, claimMark(claimer, untilMs)],
    )
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
async function openEndpoints(
  session: Session,
  nowMs: number,
): Promise<{ readonly endpoints: readonly Endpoint[]; readonly nextDueAtMs: number | undefined }> {
  const due = `FROM deliveries ${session.dialect.indexedBy('deliveries_due')} WHERE ${IS_DUE_SOMETIME}`
  const rows = await session.all<readonly [number, number, number | null]>(
    `WITH RECURSIVE open (id) AS (
      SELECT min(webhook_id) ${due}
      UNION ALL
      SELECT (SELECT min(webhook_id) ${due} AND webhook_id > open.id) FROM open WHERE open.id IS NOT NULL
    )
    SELECT id, (SELECT min(next_at_ms) ${due} AND webhook_id = open.id),
      (SELECT min(next_at_ms) ${due} AND webhook_id = open.id AND next_at_ms > $1)
    FROM open WHERE id IS NOT NULL`,
    nowMs,
  )
  const later = rows.flatMap(([, , nextAtMs]) => (nextAtMs === null ? [] : [nextAtMs]))
  return {
    endpoints: rows.map(([serial, dueAtMs]) => ({ serial, id: encodeId('webhook', serial), dueAtMs })),
    nextDueAtMs: later.length === 0 ? undefined : Math.min(...later),
  }
}
