import { matchesEvent } from '../../../core/webhook-events.ts'
import type { UniqueMember } from '../store.ts'
import { readUniqueMembers } from '../unique-members.ts'
import type { PostgresSession } from './database.ts'

interface Subscription {
  readonly serial: number
  readonly patterns: readonly string[]
}

/** What writes depend on besides records. It changes rarely, and `sequence.rules_version` with it. */
export interface Rules {
  readonly version: number
  /** The serials of the enabled webhooks that subscribe to a kind of event. */
  subscribersTo(kind: string): readonly number[]
  readonly hasSubscribers: boolean
  readonly uniqueMembers: readonly UniqueMember[]
}

/** Read inside a transaction that writes, so that no other process changes them meanwhile. */
export async function readRules(session: PostgresSession, version: number): Promise<Rules> {
  const subscriptions = await readSubscriptions(session)
  const uniqueMembers = await readUniqueMembers(session)
  const byKind = new Map<string, readonly number[]>()
  return {
    version,
    subscribersTo: (kind) => {
      const known = byKind.get(kind)
      if (known) return known
      const matching = subscriptions.filter(({ patterns }) => patterns.some((pattern) => matchesEvent(pattern, kind)))
      const serials = matching.map(({ serial }) => serial)
      byKind.set(kind, serials)
      return serials
    },
    hasSubscribers: subscriptions.length > 0,
    uniqueMembers,
  }
}

async function readSubscriptions(session: PostgresSession): Promise<readonly Subscription[]> {
  const rows = await session.all<readonly [number, string]>(
    `SELECT id, events FROM webhooks WHERE text::json ->> 'status' = 'enabled' ORDER BY id`,
  )
  return rows.map(([serial, events]) => ({
    serial,
    patterns: JSON.parse(events),
  }))
}
