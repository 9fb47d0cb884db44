import { RESOURCES } from '../../core/resources/registry.ts'
import { newWebhookSecret } from '../../core/signing.ts'
import { eventKinds, eventPatterns, isEventPattern } from '../../core/webhook-events.ts'
import { readBody } from '../body.ts'
import { literalAddress, refusedTarget, type TargetRule } from '../delivery/target-rules.ts'
import { type JsonNode, type Members, nodeText, parseJsonText } from '../json-text.ts'
import { notFound, Problem, quotedText } from '../problem.ts'
import type { Route, RouteCall, RouteReply } from '../route.ts'
import type { RecordChange, Store, StoredRecord, WebhookColumns, WriteState } from '../store/store.ts'
import { type CheckedWrite, type ExpectedVersions, write } from '../write.ts'
import { creationChange, deletionChange, newRecordText, requireRecord } from './records.ts'
import {
  filledText,
  notSent,
  READ_ONLY_RULES,
  type Rule,
  type Rules,
  requireRules,
  stringOf,
  textOrNull,
  wrongType,
} from './rules.ts'

const checkAddress: Rule['check'] = (value) => {
  const fault = filledText.check(value)
  if (fault) return fault
  const url = URL.parse(stringOf(value) ?? '')
  if (url?.username || url?.password) {
    return { code: 'invalid_url', detail: 'the address must not contain a user or a password' }
  }
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return {
      code: 'invalid_url',
      detail: `expected an http or https address, got ${quotedText(stringOf(value) ?? '')}`,
    }
  }
  return undefined
}

const checkEvents: Rule['check'] = (value) => {
  const expected = `expected a list of event kinds: ${eventKinds().join(', ')}, or patterns such as contact.* and *`
  if (value === undefined) return { code: 'required', detail: `required, ${expected}` }
  const patterns = listOf(value)
  if (!patterns?.every((pattern) => typeof pattern === 'string')) return wrongType(expected, value)
  if (patterns.length === 0) return { code: 'empty', detail: expected }
  const unknown = patterns.find((pattern) => !isEventPattern(pattern))
  if (unknown === undefined) return undefined
  return { code: 'not_allowed', detail: `${quotedText(unknown)} matches no event; ${expected}` }
}

const addressRule: Rule = {
  check: checkAddress,
  schema: { type: 'string', format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?:' },
  isRequired: true,
}

const eventsRule: Rule = {
  check: checkEvents,
  schema: { type: 'array', minItems: 1, items: { type: 'string', enum: eventPatterns() } },
  isRequired: true,
}

export const WEBHOOK_RULES: Rules = {
  ...READ_ONLY_RULES,
  status: notSent,
  disabled_reason: notSent,
  secret: notSent,
  url: addressRule,
  events: eventsRule,
  description: textOrNull,
}

/** How long the old secret also signs after a rotation, by default; as in Svix. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1000

/** The record with the given members set, at its next version. */
export function nextWebhook(
  { text, version }: StoredRecord,
  set: Members,
  nowMs: number,
): NonNullable<RecordChange['next']> {
  const members = membersOf(text)
  for (const [name, value] of set) members.set(name, value)
  members.set('updated_at', JSON.stringify(new Date(nowMs).toISOString()))
  members.set('version', `${version + 1}`)
  return { text: nodeText(members), version: version + 1 }
}

/** Only the answer shows the secret. For `overlapMs`, deliveries are also signed with the previous one. */
export function rotateSecret(
  state: WriteState,
  { secret, overlapMs }: { secret: string; overlapMs: number },
): RecordChange {
  const next = nextWebhook(requireRecord('webhook', state), new Map(), state.nowMs)
  const shown = membersOf(next.text).set('secret', JSON.stringify(secret))
  return {
    next,
    rotation: { secret, oldUntilMs: state.nowMs + overlapMs },
    answer: { status: 200, body: nodeText(shown), location: undefined, etag: `"${next.version}"` },
  }
}

/** For a write whose `deliveryOf` names the event. The delivery restarts, whatever its state. */
export function resendDelivery(state: WriteState, eventId: string): RecordChange {
  const current = requireRecord('webhook', state)
  if (!state.delivery) throw notFound(`delivery to ${state.id} of event`, eventId)
  if (membersOf(current.text).get('status') !== '"enabled"') {
    const detail = `the webhook ${state.id} is disabled`
    throw new Problem(409, { code: 'webhook_disabled', detail })
  }
  return {
    next: current,
    isResent: true,
    answer: { status: 200, body: current.text, location: undefined, etag: `"${current.version}"` },
  }
}

function membersOf(text: string): Map<string, JsonNode> {
  return new Map(parseJsonText(text) as Members)
}

/** Also deletes its deliveries and their log. Attempts in progress are not aborted. */
export function webhookDeletion(id: string, expected: ExpectedVersions): CheckedWrite {
  return {
    resource: 'webhook',
    id,
    decide: (state) => deletionChange(state, requireRecord('webhook', state, expected), undefined),
  }
}

/** The secret (Standard Webhooks 1.0) is shown only in the answer and its replays. */
export function webhookCreation(sent: Members, isTarget: TargetRule): CheckedWrite {
  const columns = readWebhook(sent, isTarget)
  const secret = newWebhookSecret()
  const fields = new Map([...sent, ['status', '"enabled"']])
  const shown = new Map([...fields, ['secret', JSON.stringify(secret)]])
  return {
    resource: 'webhook',
    id: undefined,
    decide: (state) => {
      const change = creationChange(state, { collection: RESOURCES.webhook.path, fields, event: undefined })
      const answer = { ...change.answer, body: newRecordText(state, shown) }
      return { ...change, answer, webhook: { ...columns, secret } }
    },
  }
}

/** Checks an IP address. Host names are checked at each delivery, as they may resolve differently then. */
function checkTarget(value: JsonNode | undefined, isTarget: TargetRule): ReturnType<Rule['check']> {
  const fault = checkAddress(value)
  if (fault) return fault
  const address = literalAddress(new URL(stringOf(value) ?? ''))
  if (address === undefined || isTarget(address)) return undefined
  return { code: 'not_deliverable', detail: refusedTarget(address).message }
}

function readWebhook(sent: Members, isTarget: TargetRule): Omit<WebhookColumns, 'secret'> {
  requireRules(sent, { ...WEBHOOK_RULES, url: { ...addressRule, check: (value) => checkTarget(value, isTarget) } })
  return { url: stringOf(sent.get('url')) ?? '', events: listOf(sent.get('events') ?? '[]') as string[] }
}

function listOf(value: JsonNode): unknown[] | undefined {
  return typeof value === 'string' && value.startsWith('[') ? (JSON.parse(value) as unknown[]) : undefined
}

export function webhookRoutes(isTarget: TargetRule): readonly Route[] {
  const createWebhook = async (store: Store, call: RouteCall): Promise<RouteReply> =>
    write(store, call, webhookCreation(readBody(call), isTarget))
  return [{ method: 'POST', path: RESOURCES.webhook.path, scope: 'write', parameters: [], handle: createWebhook }]
}
