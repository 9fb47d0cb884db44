import { type IdKind, idPrefix } from '../../core/ids.ts'
import type { JsonSchema } from '../../core/json.ts'
import { OPEN_RESOURCES, RECORD_RESOURCES, typeName } from '../../core/resources/registry.ts'
import { eventKinds } from '../../core/webhook-events.ts'
import { LOCK_RULES, RENEWAL_RULES, RUN_ID_PATTERN, STATE_RULES } from '../fixture-run-routes.ts'
import { DEAL_RULES, NOTE_RULES } from '../resources/deals.ts'
import { PLAIN_RULES } from '../resources/plain.ts'
import { filledText, patchRulesOf, type Rule, type RulesByMember, readOnlyMember } from '../resources/rules.ts'
import { WEBHOOK_PATCH_RULES, WEBHOOK_RULES } from '../resources/webhooks.ts'
import { DELIVERY_STATES } from '../store/deliveries.ts'
import { CHANGE_ACTIONS } from '../store/history.ts'
import { EXAMPLES, type PlainSchema } from './examples.ts'

const OPTIONAL_TEXT: Rule = { check: filledText.check, schema: filledText.schema }

const TEXT: JsonSchema = { type: 'string' }
const TIME: JsonSchema = { type: 'string', format: 'date-time' }
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] }

/** An object sent by a client: members by the rules, and custom members. */
function sent(rules: RulesByMember): JsonSchema {
  const entries = Object.entries(rules)
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: true,
  }
}

type Properties = Readonly<Record<string, JsonSchema>>

/** A record in a response: the sent members and those set by the service, always or sometimes. */
function record(kind: IdKind, rules: RulesByMember, own: Properties = {}, sometimes: Properties = {}): JsonSchema {
  const kept = Object.entries(rules).filter(([, rule]) => rule !== readOnlyMember)
  const required = kept.filter(([, { isRequired }]) => isRequired).map(([name]) => name)
  return {
    type: 'object',
    properties: {
      id: { type: 'string', pattern: `^${idPrefix(kind)}[0-7][0-9a-hjkmnp-tv-z]{10}$` },
      ...Object.fromEntries(kept.map(([name, { schema }]) => [name, schema])),
      ...own,
      ...sometimes,
      created_at: TIME,
      updated_at: TIME,
      version: { type: 'integer', minimum: 1 },
    },
    required: ['id', ...required, ...Object.keys(own), 'created_at', 'updated_at', 'version'],
    additionalProperties: true,
  }
}

/** `content` is another name for `body`. */
const NEW_NOTE: JsonSchema = {
  ...sent({ ...NOTE_RULES, body: OPTIONAL_TEXT, content: OPTIONAL_TEXT }),
  oneOf: [{ required: ['body'] }, { required: ['content'] }],
}

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'RFC 9457. `code` is stable and for programs; `detail` is for people.',
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: TEXT,
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: TEXT,
    instance: TEXT,
    code: TEXT,
    request_id: TEXT,
    existing_id: { ...TEXT, description: 'With `already_exists`: the record with the value.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { pointer: TEXT, parameter: TEXT, code: TEXT, detail: TEXT },
        required: ['code', 'detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  additionalProperties: true,
}

const GRAPHQL_REQUEST: JsonSchema = {
  type: 'object',
  properties: {
    query: TEXT,
    operationName: TEXT_OR_NULL,
    variables: { type: ['object', 'null'] },
    extensions: { type: ['object', 'null'] },
  },
  required: ['query'],
}

const GRAPHQL_ANSWER: JsonSchema = {
  type: 'object',
  properties: {
    data: { type: ['object', 'null'] },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          message: TEXT,
          extensions: {
            type: 'object',
            properties: { code: TEXT, request_id: TEXT },
            required: ['code', 'request_id'],
          },
        },
        required: ['message', 'extensions'],
      },
    },
  },
}

const STAGE: JsonSchema = {
  type: 'object',
  properties: {
    id: TEXT,
    name: TEXT,
    position: { type: 'integer' },
    probability: { type: 'number', minimum: 0, maximum: 1 },
  },
  required: ['id', 'name', 'position'],
}

const PIPELINE: JsonSchema = { type: 'object', properties: { id: TEXT, name: TEXT }, required: ['id', 'name'] }

const WEBHOOK_STATUS = { status: { type: 'string', enum: ['enabled', 'disabled'] } }

const WEBHOOK = record('webhook', WEBHOOK_RULES, WEBHOOK_STATUS, {
  disabled_reason: { ...TEXT, description: 'Why the service disabled it.' },
})

const WEBHOOK_TEST: JsonSchema = {
  type: 'object',
  properties: {
    event_id: { type: 'string', description: 'The webhook-id header of the delivery.' },
    type: { const: 'webhook.test' },
    webhook_id: TEXT,
  },
  required: ['event_id', 'type', 'webhook_id'],
}

const DELIVERY: JsonSchema = exact({
  event_id: { ...TEXT, description: 'The webhook-id header of every attempt.' },
  webhook_id: TEXT,
  kind: { type: 'string', enum: eventKinds() },
  record_id: TEXT,
  state: { type: 'string', enum: DELIVERY_STATES, description: 'waiting: for an earlier event of the same record.' },
  attempts: { type: 'integer', minimum: 0 },
  next_try_at: { type: ['string', 'null'], format: 'date-time' },
  last_try_at: { type: ['string', 'null'], format: 'date-time' },
  last_status: { type: ['integer', 'null'], description: 'Of the last attempt; null without a response.' },
  last_error: TEXT_OR_NULL,
})

const VALUES_OR_NULL: JsonSchema = { type: ['object', 'null'], additionalProperties: true }

const CHANGE: JsonSchema = {
  type: 'object',
  description: 'One change of a record. When the record is deleted, its values are erased from all its changes.',
  properties: {
    id: { type: 'string', pattern: '^chg_' },
    at: TIME,
    resource: { type: 'string', enum: RECORD_RESOURCES },
    record_id: TEXT,
    action: { type: 'string', enum: CHANGE_ACTIONS },
    version: { type: 'integer', minimum: 1, description: 'Of the record after the change, or as it was deleted.' },
    previous_at: { type: ['string', 'null'], format: 'date-time', description: 'When it was changed before.' },
    fields: { type: 'array', items: TEXT, description: 'The changed members; empty for a deletion.' },
    old: { ...VALUES_OR_NULL, description: 'Their values before; null for a new record.' },
    new: { ...VALUES_OR_NULL, description: 'Their values after; null for a member that was removed.' },
    key_id: { ...TEXT_OR_NULL, description: 'The API key that made the change; null for records of --seed.' },
    key_name: TEXT_OR_NULL,
    job: { ...TEXT_OR_NULL, description: 'As the client named it in Crm-Job.' },
    request_id: TEXT_OR_NULL,
    is_erased: { type: 'boolean', description: 'Whether the values were erased with the record.' },
  },
  required: [
    ...['id', 'at', 'resource', 'record_id', 'action', 'version', 'previous_at', 'fields', 'old', 'new'],
    ...['key_id', 'key_name', 'job', 'request_id', 'is_erased'],
  ],
}

const KEY: JsonSchema = {
  type: 'object',
  description: 'The key that the request was sent with.',
  properties: {
    id: { type: 'string', pattern: '^key_' },
    name: TEXT,
    scopes: { type: 'array', items: { type: 'string', enum: ['read', 'write'] } },
    last_four: { ...TEXT, description: 'The last characters of the key.' },
    rate_limit: {
      type: ['object', 'null'],
      description: 'The requests that it may send in a window; null without a limit.',
      properties: { requests: { type: 'integer', minimum: 1 }, window_ms: { type: 'integer', minimum: 1 } },
      required: ['requests', 'window_ms'],
    },
    created_at: TIME,
    expires_at: { type: ['string', 'null'], format: 'date-time', description: 'Null: when it is revoked.' },
  },
  required: ['id', 'name', 'scopes', 'last_four', 'rate_limit', 'created_at', 'expires_at'],
}

const RUN_LOCK: JsonSchema = {
  type: ['object', 'null'],
  description: 'Null: free, or expired.',
  properties: { owner: TEXT, expires_at: TIME },
  required: ['owner', 'expires_at'],
}

const LISTED_RUN = {
  id: { type: 'string', pattern: RUN_ID_PATTERN },
  name: TEXT,
  created_at: TIME,
  updated_at: { ...TIME, description: 'Of the last write of the state.' },
  is_ended: { type: 'boolean', description: 'Nothing of the run exists; its state may be deleted after 7 days.' },
  lock: RUN_LOCK,
} satisfies Record<string, JsonSchema>

const RUN_STATE: JsonSchema = {
  type: ['object', 'null'],
  description: 'As the client wrote it; null before the first write.',
  additionalProperties: true,
}

/** An object with these members alone. */
function exact(properties: Properties): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function exactly(rules: RulesByMember): JsonSchema {
  return exact(Object.fromEntries(Object.entries(rules).map(([name, { schema }]) => [name, schema])))
}

const CREATED_WEBHOOK = record('webhook', WEBHOOK_RULES, {
  ...WEBHOOK_STATUS,
  secret: { type: 'string', pattern: '^whsec_' },
})

function plainSchemas(): Readonly<Record<PlainSchema, JsonSchema>> {
  const schemas = OPEN_RESOURCES.flatMap((resource) => {
    const rules = PLAIN_RULES[resource]
    const type = typeName(resource)
    return [
      [`New${type}`, { ...sent(rules), minProperties: 1 }],
      [`${type}Patch`, sent(patchRulesOf(resource))],
      [type, record(resource, rules)],
    ]
  })
  return Object.fromEntries(schemas)
}

/** `components/schemas`, derived from the rules that check requests. */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const schemas: Readonly<Record<keyof typeof EXAMPLES, JsonSchema>> = {
    ...plainSchemas(),
    NewDeal: sent({ ...DEAL_RULES, pipeline_id: OPTIONAL_TEXT }),
    DealPatch: sent({ ...patchRulesOf('deal'), pipeline_id: OPTIONAL_TEXT }),
    Deal: record('deal', DEAL_RULES, { pipeline_id: TEXT }),
    NewNote: NEW_NOTE,
    Note: record('note', NOTE_RULES, { deal_id: TEXT }),
    Stage: STAGE,
    NewWebhook: sent(WEBHOOK_RULES),
    Pipeline: PIPELINE,
    Webhook: WEBHOOK,
    WebhookPatch: sent(WEBHOOK_PATCH_RULES),
    WebhookTest: WEBHOOK_TEST,
    Delivery: DELIVERY,
    CreatedWebhook: CREATED_WEBHOOK,
    Change: CHANGE,
    Key: KEY,
    ListedFixtureRun: exact(LISTED_RUN),
    FixtureRun: exact({ ...LISTED_RUN, state: RUN_STATE }),
    FixtureLock: exactly(LOCK_RULES),
    FixtureLockRenewal: exactly(RENEWAL_RULES),
    RenewedFixtureLock: exact({ expires_at: TIME }),
    FixtureState: exactly(STATE_RULES),
    Problem: PROBLEM,
    GraphqlRequest: GRAPHQL_REQUEST,
    GraphqlAnswer: GRAPHQL_ANSWER,
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      { ...schema, examples: [EXAMPLES[name as keyof typeof EXAMPLES]] },
    ]),
  )
}
