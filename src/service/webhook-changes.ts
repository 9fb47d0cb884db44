import { randomBytes } from 'node:crypto'
import { type ExpectedVersions, requireVersion } from './if-match.ts'
import { type JsonNode, jsonText, type Members, parseJsonText } from './json-text.ts'
import { notFound, Problem } from './problem.ts'
import { deleteRecord } from './records.ts'
import type { Change, StoredRecord, WriteState } from './store/store.ts'
import type { CheckedWrite } from './write.ts'

/** How long the old secret also signs after a rotation, by default; as in Svix. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1000

/** Standard Webhooks 1.0: 24 to 64 bytes of randomness. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The record with the given members set, at its next version. */
export function nextWebhook({ text, version }: StoredRecord, set: Members, nowMs: number): NonNullable<Change['next']> {
  const members = membersOf(text)
  for (const [name, value] of set) members.set(name, value)
  members.set('updated_at', JSON.stringify(new Date(nowMs).toISOString()))
  members.set('version', `${version + 1}`)
  return { text: jsonText(members), version: version + 1 }
}

/** Only the answer shows the secret. For `overlapMs`, deliveries are also signed with the previous one. */
export function rotateSecret(state: WriteState, { secret, overlapMs }: { secret: string; overlapMs: number }): Change {
  const next = nextWebhook(requireWebhook(state), new Map(), state.nowMs)
  const shown = membersOf(next.text).set('secret', JSON.stringify(secret))
  return {
    next,
    deal: undefined,
    event: undefined,
    rotation: { secret, oldUntilMs: state.nowMs + overlapMs },
    answer: { status: 200, body: jsonText(shown), location: undefined, etag: `"${next.version}"` },
  }
}

/** For a write whose `deliveryOf` names the event. The delivery restarts, whatever its state. */
export function resendDelivery(state: WriteState, eventId: string): Change {
  const current = requireWebhook(state)
  if (!state.delivery) throw notFound(`delivery to ${state.id} of event`, eventId)
  if (membersOf(current.text).get('status') !== '"enabled"') {
    const detail = `the webhook ${state.id} is disabled`
    throw new Problem(409, { code: 'webhook_disabled', detail })
  }
  return {
    next: current,
    deal: undefined,
    event: undefined,
    isResent: true,
    answer: { status: 200, body: current.text, location: undefined, etag: `"${current.version}"` },
  }
}

function requireWebhook(state: WriteState): StoredRecord {
  if (!state.current) throw notFound('webhook', state.id)
  return state.current
}

function membersOf(text: string): Map<string, JsonNode> {
  return new Map(parseJsonText(text) as Members)
}

/** Also deletes its deliveries and their log. Attempts in progress are not aborted. */
export function webhookDeletion(id: string, expected: ExpectedVersions): CheckedWrite {
  return {
    kind: 'webhook',
    id,
    parent: undefined,
    decide: (state) => {
      if (!state.current) throw notFound('webhook', id)
      requireVersion(expected, state.current.version)
      return deleteRecord(state, state.current, undefined)
    },
  }
}
