import { type IdKind, idPrefix } from '../../core/ids.ts'
import type { JsonObject, JsonSchema } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import {
  OPEN_RESOURCES,
  RECORD_RESOURCES,
  RESOURCES,
  type Resource,
  STORED_RESOURCES,
  typeName,
} from '../../core/resources/registry.ts'
import { eventKinds } from '../../core/webhook-events.ts'
import { LOCK_RULES, RENEWAL_RULES, RUN_ID_PATTERN, STATE_RULES } from '../fixture-run-routes.ts'
import { DEAL_RULES, NOTE_RULES } from '../resources/deals.ts'
import { PLAIN_RULES } from '../resources/plain.ts'
import { filledText, patchRulesOf, type Rule, type RulesByMember, readOnlyMember } from '../resources/rules.ts'
import { WEBHOOK_PATCH_RULES, WEBHOOK_RULES } from '../resources/webhooks.ts'
import { DELIVERY_STATES } from '../store/deliveries.ts'
import { CHANGE_ACTIONS } from '../store/history.ts'

const TEXT: JsonSchema = { type: 'string' }
const TIME: JsonSchema = { type: 'string', format: 'date-time' }
const TIME_OR_NULL: JsonSchema = { type: ['string', 'null'], format: 'date-time' }
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] }
const OBJECT_OR_NULL: JsonSchema = { type: ['object', 'null'] }
const VALUES_OR_NULL: JsonSchema = { ...OBJECT_OR_NULL, additionalProperties: true }

type Properties = Readonly<Record<string, JsonSchema>>

/** An object with all these members but the optional ones. */
function object(properties: Properties, ...optional: readonly string[]): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

function exact(properties: Properties): JsonSchema {
  return { ...object(properties), additionalProperties: false }
}

function exactly(rules: RulesByMember): JsonSchema {
  return exact(schemasOf(rules))
}

function schemasOf(rules: RulesByMember): Properties {
  return Object.fromEntries(Object.entries(rules).map(([name, { schema }]) => [name, schema]))
}

function optionalOf(rules: RulesByMember): readonly string[] {
  return Object.keys(rules).filter((name) => !rules[name]?.isRequired)
}

/** An object sent by a client: members by the rules, and custom members. */
function sent(rules: RulesByMember): JsonSchema {
  return { ...object(schemasOf(rules), ...optionalOf(rules)), additionalProperties: true }
}

/** A record in a response: the sent members and those set by the service, always or sometimes. */
function record(kind: IdKind, rules: RulesByMember, own: Properties = {}, sometimes: Properties = {}): JsonSchema {
  const kept = Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== readOnlyMember))
  const id = { type: 'string', pattern: `^${idPrefix(kind)}[0-7][0-9a-hjkmnp-tv-z]{10}$` }
  const times = { created_at: TIME, updated_at: TIME, version: { type: 'integer', minimum: 1 } }
  const properties = { id, ...schemasOf(kept), ...own, ...sometimes, ...times }
  return { ...object(properties, ...optionalOf(kept), ...Object.keys(sometimes)), additionalProperties: true }
}

const OPTIONAL_TEXT: Rule = { check: filledText.check, schema: filledText.schema }

/** `content` is another name for `body`. */
const NEW_NOTE: JsonSchema = {
  ...sent({ ...NOTE_RULES, body: OPTIONAL_TEXT, content: OPTIONAL_TEXT }),
  oneOf: [{ required: ['body'] }, { required: ['content'] }],
}

const FAULT = object({ pointer: TEXT, parameter: TEXT, code: TEXT, detail: TEXT }, 'pointer', 'parameter')

const PROBLEM: JsonSchema = {
  ...object(
    {
      type: { type: 'string', format: 'uri-reference' },
      title: TEXT,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: TEXT,
      instance: TEXT,
      code: TEXT,
      request_id: TEXT,
      existing_id: { ...TEXT, description: 'With `already_exists`: the record with the value.' },
      errors: { type: 'array', items: FAULT },
    },
    ...['instance', 'existing_id', 'errors'],
  ),
  description: 'RFC 9457. `code` is stable and for programs; `detail` is for people.',
  additionalProperties: true,
}

const GRAPHQL_REQUEST = object(
  { query: TEXT, operationName: TEXT_OR_NULL, variables: OBJECT_OR_NULL, extensions: OBJECT_OR_NULL },
  ...['operationName', 'variables', 'extensions'],
)

const GRAPHQL_ERROR = object({ message: TEXT, extensions: object({ code: TEXT, request_id: TEXT }) })

const GRAPHQL_ANSWER = object(
  { data: OBJECT_OR_NULL, errors: { type: 'array', items: GRAPHQL_ERROR } },
  ...['data', 'errors'],
)

const STAGE = object(
  {
    id: TEXT,
    name: TEXT,
    position: { type: 'integer' },
    probability: { type: 'number', minimum: 0, maximum: 1 },
  },
  'probability',
)

const WEBHOOK_STATUS = { status: { type: 'string', enum: ['enabled', 'disabled'] } }

const WEBHOOK = record('webhook', WEBHOOK_RULES, WEBHOOK_STATUS, {
  disabled_reason: { ...TEXT, description: 'Why the service disabled it.' },
})

const CREATED_WEBHOOK = record('webhook', WEBHOOK_RULES, {
  ...WEBHOOK_STATUS,
  secret: { type: 'string', pattern: '^whsec_' },
})

const WEBHOOK_TEST = object({
  event_id: { type: 'string', description: 'The webhook-id header of the delivery.' },
  type: { const: 'webhook.test' },
  webhook_id: TEXT,
})

const DELIVERY = exact({
  event_id: { ...TEXT, description: 'The webhook-id header of every attempt.' },
  webhook_id: TEXT,
  kind: { type: 'string', enum: eventKinds() },
  record_id: TEXT,
  state: { type: 'string', enum: DELIVERY_STATES, description: 'waiting: for an earlier event of the same record.' },
  attempts: { type: 'integer', minimum: 0 },
  next_try_at: TIME_OR_NULL,
  last_try_at: TIME_OR_NULL,
  last_status: { type: ['integer', 'null'], description: 'Of the last attempt; null without a response.' },
  last_error: TEXT_OR_NULL,
})

const CHANGE: JsonSchema = {
  ...object({
    id: { type: 'string', pattern: '^chg_' },
    at: TIME,
    resource: { type: 'string', enum: RECORD_RESOURCES },
    record_id: TEXT,
    action: { type: 'string', enum: CHANGE_ACTIONS },
    version: { type: 'integer', minimum: 1, description: 'Of the record after the change, or as it was deleted.' },
    previous_at: { ...TIME_OR_NULL, description: 'When it was changed before.' },
    fields: { type: 'array', items: TEXT, description: 'The changed members; empty for a deletion.' },
    old: { ...VALUES_OR_NULL, description: 'Their values before; null for a new record.' },
    new: { ...VALUES_OR_NULL, description: 'Their values after; null for a member that was removed.' },
    key_id: { ...TEXT_OR_NULL, description: 'The API key that made the change; null for records of --seed.' },
    key_name: TEXT_OR_NULL,
    job: { ...TEXT_OR_NULL, description: 'As the client named it in Crm-Job.' },
    request_id: TEXT_OR_NULL,
    is_erased: { type: 'boolean', description: 'Whether the values were erased with the record.' },
  }),
  description: 'One change of a record. When the record is deleted, its values are erased from all its changes.',
}

const COUNT = { type: 'integer', minimum: 1 }

const KEY: JsonSchema = {
  ...object({
    id: { type: 'string', pattern: '^key_' },
    name: TEXT,
    scopes: { type: 'array', items: { type: 'string', enum: ['read', 'write'] } },
    last_four: { ...TEXT, description: 'The last characters of the key.' },
    rate_limit: {
      ...object({ requests: COUNT, window_ms: COUNT }),
      type: ['object', 'null'],
      description: 'The requests that it may send in a window; null without a limit.',
    },
    created_at: TIME,
    expires_at: { ...TIME_OR_NULL, description: 'Null: when it is revoked.' },
  }),
  description: 'The key that the request was sent with.',
}

const LISTED_RUN: Properties = {
  id: { type: 'string', pattern: RUN_ID_PATTERN },
  name: TEXT,
  created_at: TIME,
  updated_at: { ...TIME, description: 'Of the last write of the state.' },
  is_ended: { type: 'boolean', description: 'Nothing of the run exists; its state may be deleted after 7 days.' },
  lock: {
    ...object({ owner: TEXT, expires_at: TIME }),
    type: ['object', 'null'],
    description: 'Null: free, or expired.',
  },
}

const RUN_STATE = { ...VALUES_OR_NULL, description: 'As the client wrote it; null before the first write.' }

/** The times of the examples. */
export const TIMES = { created_at: '2026-03-01T09:30:00.000Z', updated_at: '2026-03-01T09:30:00.000Z', version: 1 }

const REQUEST_ID = 'req_7b0d7c8e-3c0f-4f0e-9a51-1f1f6a1c2b3d'

const A_WEBHOOK = { url: 'https://example.com/hook', events: ['contact.*', 'deal.created'], description: 'Warehouse' }

const A_WHOLE_WEBHOOK = { id: exampleId('webhook'), ...A_WEBHOOK, status: 'enabled', ...TIMES }

const A_LOCK = { owner: 'ci-runner-7, process 4711', expires_at: '2026-03-01T09:30:30.000Z' }

const A_STATE = { generation: 0, records: [{ name: 'contacts.ada', id: exampleId('contact') }] }

const A_TOKEN = '8e03978e-40d5-43e8-bc93-6894a57f9324'

const A_RUN = {
  id: 'd2b1f0a6c3e94c51a1b7e8d0',
  name: 'fixtures/demo.yaml/pr-17',
  created_at: TIMES.created_at,
  updated_at: TIMES.updated_at,
  is_ended: false,
  lock: A_LOCK,
}

type Described = readonly [schema: JsonSchema, example: JsonObject]

function plainSchemas(): Readonly<Record<string, Described>> {
  const schemas = OPEN_RESOURCES.flatMap((resource): readonly (readonly [string, Described])[] => {
    const rules = PLAIN_RULES[resource]
    const type = typeName(resource)
    const { example } = RESOURCES[resource]
    return [
      [`New${type}`, [{ ...sent(rules), minProperties: 1 }, example]],
      [`${type}Patch`, [sent(patchRulesOf(resource)), Object.fromEntries(Object.entries(example).slice(0, 1))]],
      [type, [record(resource, rules), { id: exampleId(resource), ...example, ...TIMES }]],
    ]
  })
  return Object.fromEntries(schemas)
}

/** `components/schemas`, derived from the rules that check requests, each with an example; a test checks the service against them. */
const SCHEMAS: Readonly<Record<string, Described>> = {
  ...plainSchemas(),
  NewDeal: [sent({ ...DEAL_RULES, pipeline_id: OPTIONAL_TEXT }), RESOURCES.deal.example],
  DealPatch: [sent({ ...patchRulesOf('deal'), pipeline_id: OPTIONAL_TEXT }), { stage: 'Qualified' }],
  Deal: [
    record('deal', DEAL_RULES, { pipeline_id: TEXT }),
    { id: exampleId('deal'), ...RESOURCES.deal.example, pipeline_id: 'sales', ...TIMES },
  ],
  NewNote: [NEW_NOTE, RESOURCES.note.example],
  Note: [
    record('note', NOTE_RULES, { deal_id: TEXT }),
    { id: exampleId('note'), deal_id: exampleId('deal'), ...RESOURCES.note.example, ...TIMES },
  ],
  Stage: [STAGE, { id: 'sales.lead', name: 'Lead', position: 1, probability: 0.1 }],
  NewWebhook: [sent(WEBHOOK_RULES), A_WEBHOOK],
  Pipeline: [object({ id: TEXT, name: TEXT }), { id: 'sales', name: 'Sales' }],
  Webhook: [WEBHOOK, A_WHOLE_WEBHOOK],
  WebhookPatch: [sent(WEBHOOK_PATCH_RULES), { events: ['deal.*'], status: 'enabled' }],
  WebhookTest: [WEBHOOK_TEST, { event_id: 'evt_0s9ntcj9g09', type: 'webhook.test', webhook_id: exampleId('webhook') }],
  Delivery: [
    DELIVERY,
    {
      event_id: 'evt_0s9ntcj9g09',
      webhook_id: exampleId('webhook'),
      kind: 'contact.created',
      record_id: exampleId('contact'),
      state: 'pending',
      attempts: 1,
      next_try_at: '2026-03-01T09:30:05.000Z',
      last_try_at: TIMES.created_at,
      last_status: 503,
      last_error: 'answered 503',
    },
  ],
  CreatedWebhook: [
    CREATED_WEBHOOK,
    { ...A_WHOLE_WEBHOOK, secret: 'whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3I=' },
  ],
  Change: [
    CHANGE,
    {
      id: 'chg_0s9ntcj9g0b',
      at: '2026-03-02T08:00:00.000Z',
      resource: 'contact',
      record_id: exampleId('contact'),
      action: 'updated',
      version: 2,
      previous_at: TIMES.updated_at,
      fields: ['email'],
      old: { email: null },
      new: { email: 'ada@engines.example' },
      key_id: 'key_0s9ntcj9g01',
      key_name: 'warehouse',
      job: 'job_0s9ntcj9g09',
      request_id: REQUEST_ID,
      is_erased: false,
    },
  ],
  Key: [
    KEY,
    {
      id: 'key_0s9ntcj9g01',
      name: 'warehouse',
      scopes: ['read', 'write'],
      last_four: 'LCkQ',
      rate_limit: { requests: 1000, window_ms: 10_000 },
      created_at: TIMES.created_at,
      expires_at: null,
    },
  ],
  ListedFixtureRun: [exact(LISTED_RUN), A_RUN],
  FixtureRun: [exact({ ...LISTED_RUN, state: RUN_STATE }), { ...A_RUN, state: A_STATE }],
  FixtureLock: [exactly(LOCK_RULES), { token: A_TOKEN, name: A_RUN.name, owner: A_LOCK.owner, ttl_seconds: 30 }],
  FixtureLockRenewal: [exactly(RENEWAL_RULES), { token: A_TOKEN, ttl_seconds: 30 }],
  RenewedFixtureLock: [exact({ expires_at: TIME }), { expires_at: A_LOCK.expires_at }],
  FixtureState: [exactly(STATE_RULES), { token: A_TOKEN, state: A_STATE, is_ended: false }],
  Problem: [
    PROBLEM,
    {
      type: 'about:blank',
      instance: '/v1/contacts',
      request_id: REQUEST_ID,
      title: 'Unprocessable Content',
      status: 422,
      detail: 'email: expected a string or null, got 5',
      code: 'invalid_values',
      errors: [{ pointer: '#/email', code: 'wrong_type', detail: 'expected a string or null, got 5' }],
    },
  ],
  GraphqlRequest: [
    GRAPHQL_REQUEST,
    {
      query: 'query ($id: ID!) { deal(id: $id) { name notes { nodes { body } } } }',
      variables: { id: exampleId('deal') },
    },
  ],
  GraphqlAnswer: [
    GRAPHQL_ANSWER,
    { data: { deal: { name: 'Fleet renewal', notes: { nodes: [{ body: 'Call back on Friday' }] } } } },
  ],
}

/** The `{id}` in example paths. */
export function exampleId(resource: Resource): string {
  const { idPrefix }: ResourceDefinition = RESOURCES[resource]
  if (idPrefix === undefined) return 'sales'
  return `${idPrefix}0s9ntcj9g0${(STORED_RESOURCES as readonly Resource[]).indexOf(resource)}`
}

export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, [schema, example]]) => [name, { ...schema, examples: [example] }]),
  )
}

/** The schema with its name; an error for one that does not exist. */
function described(name: string): Described {
  const found = SCHEMAS[name]
  if (!found) throw new Error(`there is no schema ${name}`)
  return found
}

export function exampleOf(name: string): JsonObject {
  return described(name)[1]
}

/** A reference to the schema with this name, or the schema itself. */
export function schemaRef(schema: string | JsonSchema): JsonSchema {
  if (typeof schema !== 'string') return schema
  described(schema)
  return { $ref: `#/components/schemas/${schema}` }
}
