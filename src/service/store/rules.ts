import { matchesEvent } from '../../core/webhook-events.ts'
import type { Session } from './sql.ts'
import type { UniqueMember } from './store.ts'
import { readUniqueMembers } from './unique-members.ts'

/** What writes depend on besides records. It changes rarely, and `sequence.rules_version` with it. */
export interface Rules {
  readonly version: number
  /** The serials of the enabled webhooks. */
  readonly subscribers: readonly number[]
  /** The serials of the enabled webhooks that subscribe to a kind of event. */
  subscribersTo(kind: string): readonly number[]
  readonly uniqueMembers: readonly UniqueMember[]
}

/** Read inside a transaction that writes, so that no other process changes them meanwhile. */
export async function readRules(session: Session, version: number): Promise<Rules> {
  const rows = await session.all<readonly [number, string]>(
    `SELECT id, events FROM webhooks WHERE ${session.dialect.member('text', 'status')} = 'enabled' ORDER BY id`,
  )
  const subscriptions = rows.map(([serial, events]) => ({ serial, patterns: JSON.parse(events) as readonly string[] }))
  const byKind = new Map<string, readonly number[]>()
  return {
    version,
    subscribers: subscriptions.map(({ serial }) => serial),
    subscribersTo: (kind) => {
      const known = byKind.get(kind)
      if (known) return known
      const matching = subscriptions.filter(({ patterns }) => patterns.some((pattern) => matchesEvent(pattern, kind)))
      const serials = matching.map(({ serial }) => serial)
      byKind.set(kind, serials)
      return serials
    },
    uniqueMembers: await readUniqueMembers(session),
  }
}
