import type { JsonObject } from '../../core/json.ts'
import { PLAIN_RESOURCES, type PlainResource, RESOURCES, typeName } from '../../core/resources/registry.ts'

const TIMES = { created_at: '2026-03-01T09:30:00.000Z', updated_at: '2026-03-01T09:30:00.000Z', version: 1 }

const PROBLEM = {
  type: 'about:blank',
  instance: '/v1/contacts',
  request_id: 'req_7b0d7c8e-3c0f-4f0e-9a51-1f1f6a1c2b3d',
}

type PlainType = Capitalize<PlainResource>

export type PlainSchema = `New${PlainType}` | `${PlainType}Patch` | PlainType

/** An example for each schema of the document; a test checks the service against them. */
export const EXAMPLES = {
  ...(Object.fromEntries(PLAIN_RESOURCES.flatMap(plainExamples)) as Readonly<Record<PlainSchema, JsonObject>>),
  NewDeal: RESOURCES.deal.example,
  Deal: {
    id: 'deal_0s9ntcj9g01',
    ...RESOURCES.deal.example,
    pipeline_id: 'sales',
    ...TIMES,
  },
  NewNote: RESOURCES.note.example,
  Note: {
    id: 'note_0s9ntcj9g02',
    deal_id: 'deal_0s9ntcj9g01',
    ...RESOURCES.note.example,
    ...TIMES,
  },
  Stage: { id: 'sales.lead', name: 'Lead', position: 1, probability: 0.1 },
  NewWebhook: { url: 'https://example.com/hook', events: ['contact.*', 'deal.created'], description: 'Warehouse' },
  Webhook: {
    id: 'wh_0s9ntcj9g03',
    url: 'https://example.com/hook',
    events: ['contact.*', 'deal.created'],
    description: 'Warehouse',
    status: 'enabled',
    ...TIMES,
    secret: 'whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3I=',
  },
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
    variables: { id: 'deal_0s9ntcj9g01' },
  },
  GraphqlAnswer: { data: { deal: { name: 'Fleet renewal', notes: { nodes: [{ body: 'Call back on Friday' }] } } } },
} as const

/** The `{id}` in example paths. */
export const EXAMPLE_IDS = { deal: 'deal_0s9ntcj9g01', pipeline: 'sales' } as const

export function exampleId(resource: PlainResource): string {
  return `${RESOURCES[resource].idPrefix}0s9ntcj9g00`
}

function plainExamples(resource: PlainResource): readonly (readonly [name: string, example: JsonObject])[] {
  const { example } = RESOURCES[resource]
  const type = typeName(resource)
  const [first] = Object.entries(example)
  return [
    [`New${type}`, example],
    [`${type}Patch`, Object.fromEntries(first ? [first] : [])],
    [type, { id: exampleId(resource), ...example, ...TIMES }],
  ]
}
