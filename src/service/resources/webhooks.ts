import type { JsonSchema } from '../../core/json.ts'
import { recordPath } from '../../core/resources/registry.ts'
import { newWebhookSecret } from '../../core/signing.ts'
import { eventKinds, eventPatterns, isEventPattern } from '../../core/webhook-events.ts'
import { literalAddress, refusedTarget, type TargetRule } from '../delivery/target-rules.ts'
import { type JsonNode, type Members, nodeText, parseJsonText } from '../json-text.ts'
import { PAGE_PARAMETERS, pageReply, readPageQuery } from '../page.ts'
import { invalidValue, notFound, Problem, quotedText } from '../problem.ts'
import { type Route, type RouteCall, readBody, route } from '../route.ts'
import type { DeliveryEntry } from '../store/deliveries.ts'
import type { RecordChange, StoredRecord, WebhookColumns } from '../store/store.ts'
import { type CheckedWrite, write } from '../write.ts'
import {
  creationChange,
  eventAbout,
  newRecordText,
  okAnswer,
  patchChange,
  readOnly,
  requireRecord,
  timeText,
} from './records.ts'
import { getRecord, handlersOf, type RecordWrites, routesOf } from './routes.ts'
import {
  filledText,
  oneOf,
  patchRules,
  pointer,
  READ_ONLY_RULES,
  type RuleFault,
  type RulesByMember,
  readOnlyMember,
  requiredRule,
  requireRules,
  stringOf,
  textOrNull,
  wrongType,
} from './rules.ts'

const ADDRESS: JsonSchema = { type: 'string', format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?:' }

const addressRule = requiredRule(ADDRESS, (value) => {
  const fault = filledText.check(value)
  if (fault) return fault
  const text = stringOf(value) ?? ''
  const url = URL.parse(text)
  if (url?.username || url?.password) {
    return { code: 'invalid_url', detail: 'the address must not contain a user or a password' }
  }
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return undefined
  return { code: 'invalid_url', detail: `expected an http or https address, got ${quotedText(text)}` }
})

const KINDS = `a list of event kinds: ${eventKinds().join(', ')}, or patterns such as contact.* and *`

const eventsRule = requiredRule(
  { type: 'array', minItems: 1, items: { type: 'string', enum: eventPatterns() } },
  (value) => {
    const patterns = listOf(value)
    if (!patterns?.every((pattern) => typeof pattern === 'string')) return wrongType(`expected ${KINDS}`, value)
    if (patterns.length === 0) return { code: 'empty', detail: `expected ${KINDS}` }
    const unknown = patterns.find((pattern) => !isEventPattern(pattern))
    if (unknown === undefined) return undefined
    return { code: 'not_allowed', detail: `${quotedText(unknown)} matches no event; expected ${KINDS}` }
  },
  `expected ${KINDS}`,
)

const TEST_EVENT = 'webhook.test'

const STATUSES = ['enabled', 'disabled'] as const

/** The rules of a new subscription. */
export const WEBHOOK_RULES: RulesByMember = {
  ...READ_ONLY_RULES,
  status: readOnlyMember,
  disabled_reason: readOnlyMember,
  secret: readOnlyMember,
  url: addressRule,
  events: eventsRule,
  description: textOrNull,
}

/** `disabled_reason` is compared with the record, like all read-only members. */
export const WEBHOOK_PATCH_RULES: RulesByMember = patchRules({
  status: oneOf(STATUSES),
  secret: readOnlyMember,
  url: addressRule,
  events: eventsRule,
  description: textOrNull,
})

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
  members.set('updated_at', JSON.stringify(timeText(nowMs)))
  members.set('version', `${version + 1}`)
  return { text: nodeText(members), version: version + 1 }
}

/** Only the answer shows the secret. For `overlapMs`, deliveries are also signed with the previous one. */
export function secretRotation(id: string, overlapMs: number): CheckedWrite {
  const secret = newWebhookSecret()
  return {
    resource: 'webhook',
    id,
    decide: (state) => {
      const next = nextWebhook(requireRecord('webhook', state), new Map(), state.nowMs)
      const shown = membersOf(next.text).set('secret', JSON.stringify(secret))
      return {
        next,
        rotation: { secret, oldUntilMs: state.nowMs + overlapMs },
        answer: okAnswer(nodeText(shown), next.version),
      }
    },
  }
}

/** The delivery restarts, whatever its state. */
export function deliveryResend(id: string, eventId: string): CheckedWrite {
  return {
    resource: 'webhook',
    id,
    deliveryOf: eventId,
    decide: (state) => {
      const current = requireRecord('webhook', state)
      if (!state.delivery) throw notFound(`delivery to ${id} of event`, eventId)
      requireEnabled(current)
      return { next: current, isResent: true, answer: okAnswer(current.text, current.version) }
    },
  }
}

function requireEnabled({ id, text }: StoredRecord): void {
  if (membersOf(text).get('status') === '"enabled"') return
  throw new Problem(409, 'webhook_disabled', `the webhook ${id} is disabled`)
}

/** One `webhook.test` event with the record as its data, to this subscription alone, whatever events it names. */
export function webhookTest(id: string): CheckedWrite {
  return {
    resource: 'webhook',
    id,
    hasOwnEvent: true,
    decide: (state) => {
      const current = requireRecord('webhook', state)
      requireEnabled(current)
      const body = JSON.stringify({ event_id: state.eventId, type: TEST_EVENT, webhook_id: id })
      return {
        next: current,
        ownEvent: eventAbout(state, current, TEST_EVENT),
        answer: { status: 202, body, location: undefined, etag: undefined },
      }
    },
  }
}

function membersOf(text: string): Map<string, JsonNode> {
  return new Map(parseJsonText(text) as Members)
}

/** The secret (Standard Webhooks 1.0) is shown only in the answer and its replays. */
export function webhookCreation(sent: Members, isTarget: TargetRule): CheckedWrite {
  requireRules(sent, deliverable(WEBHOOK_RULES, isTarget))
  const secret = newWebhookSecret()
  const fields = new Map([...sent, ['status', '"enabled"']])
  const shown = new Map([...fields, ['secret', JSON.stringify(secret)]])
  return {
    resource: 'webhook',
    id: undefined,
    decide: (state) => {
      const change = creationChange(state, { resource: 'webhook', fields, event: undefined })
      const answer = { ...change.answer, body: newRecordText(state, nodeText(shown)) }
      return { ...change, answer, webhook: { ...columnsOf(sent), secret } }
    },
  }
}

/** A subscription that is enabled again has no reason for its end, and its failures are forgotten. */
export const webhookWrites: RecordWrites = {
  create: (sent, { isTarget }) => webhookCreation(sent, isTarget),
  update: (id, patch, expected, { isTarget }) => {
    requireRules(patch, deliverable(WEBHOOK_PATCH_RULES, isTarget))
    return {
      resource: 'webhook',
      id,
      decide: (state) => {
        const current = requireRecord('webhook', state, expected)
        const reason = patch.get('disabled_reason')
        if (reason !== undefined && reason !== membersOf(current.text).get('disabled_reason'))
          throw readOnly(['disabled_reason'])
        const isEnabled = stringOf(patch.get('status')) === 'enabled'
        const members = new Map([...patch, ...(isEnabled ? [['disabled_reason', 'null'] as const] : [])])
        const change = patchChange(state, current, members, undefined)
        if (change.next === current) return change
        return { ...change, webhook: columnsOf(membersOf(change.next?.text ?? '{}')) }
      },
    }
  },
}

/** Checks an IP address. Host names are checked at each delivery, as they may resolve differently then. */
function checkTarget(value: JsonNode | undefined, isTarget: TargetRule): RuleFault | undefined {
  const url = URL.parse(stringOf(value) ?? '')
  const address = url ? literalAddress(url) : undefined
  if (address === undefined || isTarget(address)) return undefined
  return { code: 'not_deliverable', detail: refusedTarget(address).message }
}

/** The rules with an address to which events may be delivered. */
function deliverable({ url, ...rules }: RulesByMember, isTarget: TargetRule): RulesByMember {
  return {
    ...rules,
    ...(url && { url: { ...url, check: (value) => url.check(value) ?? checkTarget(value, isTarget) } }),
  }
}

function columnsOf(fields: Members): WebhookColumns {
  return { url: stringOf(fields.get('url')) ?? '', events: listOf(fields.get('events') ?? '[]') as string[] }
}

function listOf(value: JsonNode): unknown[] | undefined {
  return typeof value === 'string' && value.startsWith('[') ? (JSON.parse(value) as unknown[]) : undefined
}

/** Performs a write that needs no members; the body may be missing. */
function action(changeOf: (call: RouteCall) => CheckedWrite): Route['handle'] {
  return async (store, call) => {
    const [name] = call.body?.length ? readBody(call).keys() : []
    if (name === undefined) return write(store, call, changeOf(call))
    throw invalidValue(pointer(name), 'not_allowed', 'expected no members')
  }
}

/** No text of a stored subscription has the secret. */
export function webhookRoutes(isTarget: TargetRule): readonly Route[] {
  const ofRecords = routesOf(
    'webhook',
    {
      ...handlersOf('webhook', webhookWrites, isTarget),
      list: async (store, call) => pageReply(call, await store.page('webhook', readPageQuery(call, 'webhook'))),
      test: action(({ id }) => webhookTest(id)),
    },
    {
      list: ['List subscriptions', 'Newest first, in pages. Without the secrets.'],
      create: [
        'Subscribe to events',
        'Deliveries are signed by Standard Webhooks 1.0. Only this response shows the secret.',
      ],
      get: ['Show a subscription', 'Without its secret.'],
      update: [
        'Change a subscription',
        'A JSON merge patch (RFC 7396). status is enabled or disabled; deliveries of a disabled one are given up.',
      ],
      delete: ['Delete a subscription', 'Also deletes its deliveries. Repeating it gives 404.'],
    },
  )
  return [...ofRecords, ...DELIVERY_ROUTES]
}

/** What a subscription has beside its record. */
export const DELIVERIES_PATH = `${recordPath('webhook')}/deliveries`
export const ROTATE_PATH = `${recordPath('webhook')}/rotate`
export const RESEND_PATH = `${DELIVERIES_PATH}/{event_id}/resend`

const DELIVERY_ROUTES: readonly Route[] = [
  route(`GET ${DELIVERIES_PATH}`, {
    text: 'listDeliveries: List the deliveries of a subscription. Open ones, and ended ones while the log keeps them; newest event first, in pages.',
    success: [200, 'A page of deliveries.', 'Delivery'],
    parameters: PAGE_PARAMETERS,
    handle: async (store, call) => {
      const query = readPageQuery(call, 'event')
      const { id } = await getRecord(store, 'webhook', call.id)
      const { entries, nextOlderThanId } = await store.deliveries.log(id, query)
      return pageReply(call, { texts: entries.map(deliveryText), nextOlderThanId })
    },
  }),
  route(`POST ${ROTATE_PATH}`, {
    text: 'rotateWebhookSecret: Make a new secret. Only this response shows it. For a day, deliveries are also signed with the previous one.',
    success: [200, 'The subscription, with its secret.', 'CreatedWebhook', 'ETag', 'Idempotent-Replayed'],
    isWrite: true,
    handle: action(({ id }) => secretRotation(id, ROTATION_OVERLAP_MS)),
  }),
  route(`POST ${RESEND_PATH}`, {
    text: 'resendDelivery: Deliver an event again. The delivery starts again, whatever its state.',
    success: [200, 'The subscription.', 'Webhook', 'ETag', 'Idempotent-Replayed'],
    isWrite: true,
    handle: action(({ id, innerId }) => deliveryResend(id, innerId)),
  }),
]

function deliveryText(entry: DeliveryEntry): string {
  return JSON.stringify({
    event_id: entry.eventId,
    webhook_id: entry.webhookId,
    kind: entry.kind,
    record_id: entry.recordId,
    state: entry.state,
    attempts: entry.attempts,
    next_try_at: timeText(entry.nextTryAtMs),
    last_try_at: timeText(entry.lastTryAtMs),
    last_status: entry.lastStatus ?? null,
    last_error: entry.lastError ?? null,
  })
}
