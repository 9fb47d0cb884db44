import { decodeId } from '../../../core/ids.ts'
import type { TryResult } from '../deliveries.ts'
import type { Connection } from './connection.ts'

/**
 * Keeps since when no try of a subscription has succeeded, once a turn and not once a try; gives it for those of which one
 * failed. A success anywhere in the turn counts as its last word.
 */
export function keepHealth(db: Connection, results: readonly TryResult[], nowMs: number): ReadonlyMap<string, number> {
  const isWell = new Map<string, boolean>()
  for (const { claim, outcome } of results) {
    if (outcome.type === 'untried') continue
    isWell.set(claim.webhookId, isWell.get(claim.webhookId) === true || outcome.type === 'succeeded')
  }
  const failingSinceMs = new Map<string, number>()
  for (const [webhookId, hasSucceeded] of isWell) {
    const serial = decodeId('webhook', webhookId) ?? null
    if (hasSucceeded) {
      db.run('UPDATE webhooks SET failing_since_ms = NULL WHERE id = ? AND failing_since_ms IS NOT NULL', serial)
      continue
    }
    const [sinceMs] =
      db.get<[number]>(
        'UPDATE webhooks SET failing_since_ms = coalesce(failing_since_ms, ?) WHERE id = ? RETURNING failing_since_ms',
        nowMs,
        serial,
      ) ?? []
    if (sinceMs !== undefined) failingSinceMs.set(webhookId, sinceMs)
  }
  return failingSinceMs
}
