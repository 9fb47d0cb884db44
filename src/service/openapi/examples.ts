import type { JsonObject } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import {
  OPEN_RESOURCES,
  type OpenResource,
  RESOURCES,
  type Resource,
  STORED_RESOURCES,
  typeName,
} from '../../core/resources/registry.ts'

export const TIMES = { created_at: '2026-03-01T09:30:00.000Z', updated_at: '2026-03-01T09:30:00.000Z', version: 1 }

const PROBLEM = {
  type: 'about:blank',
  instance: '/v1/contacts',
  request_id: 'req_7b0d7c8e-3c0f-4f0e-9a51-1f1f6a1c2b3d',
}

const NEW_WEBHOOK = { url: 'https://example.com/hook', events: ['contact.*', 'deal.created'], description: 'Warehouse' }

const WEBHOOK = { id: exampleId('webhook'), ...NEW_WEBHOOK, status: 'enabled', ...TIMES }

const RUN_LOCK = { owner: 'ci-runner-7, process 4711', expires_at: '2026-03-01T09:30:30.000Z' }

const RUN_STATE = { generation: 0, records: [{ name: 'contacts.ada', id: exampleId('contact') }] }

const LISTED_RUN = {
  id: 'd2b1f0a6c3e94c51a1b7e8d0',
  name: 'fixtures/demo.yaml/pr-17',
  created_at: TIMES.created_at,
  updated_at: TIMES.updated_at,
  is_ended: false,
  lock: RUN_LOCK,
}

const LOCK_TOKEN = '8e03978e-40d5-43e8-bc93-6894a57f9324'

type PlainType = Capitalize<OpenResource>

export type PlainSchema = `New${PlainType}` | `${PlainType}Patch` | PlainType

/** An example for each schema of the document; a test checks the service against them. */
export const EXAMPLES = {
  ...(Object.fromEntries(OPEN_RESOURCES.flatMap(plainExamples)) as Readonly<Record<PlainSchema, JsonObject>>),
  NewDeal: RESOURCES.deal.example,
  DealPatch: { stage: 'Qualified' },
  Deal: {
    id: exampleId('deal'),
    ...RESOURCES.deal.example,
    pipeline_id: 'sales',
    ...TIMES,
  },
  NewNote: RESOURCES.note.example,
  Note: {
    id: exampleId('note'),
    deal_id: exampleId('deal'),
    ...RESOURCES.note.example,
    ...TIMES,
  },
  Stage: { id: 'sales.lead', name: 'Lead', position: 1, probability: 0.1 },
  Pipeline: { id: 'sales', name: 'Sales' },
  NewWebhook: NEW_WEBHOOK,
  Webhook: WEBHOOK,
  WebhookPatch: { events: ['deal.*'], status: 'enabled' },
  WebhookTest: { event_id: 'evt_0s9ntcj9g09', type: 'webhook.test', webhook_id: exampleId('webhook') },
  Delivery: {
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
  CreatedWebhook: { ...WEBHOOK, secret: 'whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3I=' },
  Change: {
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
    request_id: PROBLEM.request_id,
    is_erased: false,
  },
  Key: {
    id: 'key_0s9ntcj9g01',
    name: 'warehouse',
    scopes: ['read', 'write'],
    last_four: 'LCkQ',
    rate_limit: { requests: 1000, window_ms: 10_000 },
    created_at: TIMES.created_at,
    expires_at: null,
  },
  ListedFixtureRun: LISTED_RUN,
  FixtureRun: { ...LISTED_RUN, state: RUN_STATE },
  FixtureLock: { token: LOCK_TOKEN, name: LISTED_RUN.name, owner: RUN_LOCK.owner, ttl_seconds: 30 },
  FixtureLockRenewal: { token: LOCK_TOKEN, ttl_seconds: 30 },
  RenewedFixtureLock: { expires_at: RUN_LOCK.expires_at },
  FixtureState: { token: LOCK_TOKEN, state: RUN_STATE, is_ended: false },
  Problem: {
    ...PROBLEM,
    title: 'Unprocessable Content',
    status: 422,
    detail: 'email: expected a string or null, got 5',
    code: 'invalid_values',
    errors: [{ pointer: '#/email', code: 'wrong_type', detail: 'expected a string or null, got 5' }],
  },
  GraphqlRequest: {
    query: 'query ($id: ID!) { deal(id: $id) { name notes { nodes { body } } } }',
    variables: { id: exampleId('deal') },
  },
  GraphqlAnswer: { data: { deal: { name: 'Fleet renewal', notes: { nodes: [{ body: 'Call back on Friday' }] } } } },
} as const

/** The `{id}` in example paths. */
export function exampleId(resource: Resource): string {
  const { idPrefix }: ResourceDefinition = RESOURCES[resource]
  if (idPrefix === undefined) return 'sales'
  return `${idPrefix}0s9ntcj9g0${(STORED_RESOURCES as readonly Resource[]).indexOf(resource)}`
}

function plainExamples(resource: OpenResource): readonly (readonly [name: string, example: JsonObject])[] {
  const { example } = RESOURCES[resource]
  const type = typeName(resource)
  const [first] = Object.entries(example)
  return [
    [`New${type}`, example],
    [`${type}Patch`, Object.fromEntries(first ? [first] : [])],
    [type, { id: exampleId(resource), ...example, ...TIMES }],
  ]
}
