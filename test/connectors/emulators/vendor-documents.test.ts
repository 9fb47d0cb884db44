import { describe, expect, test } from 'vitest'
import { ask } from './ask.ts'
import { startAttio } from './attio.ts'
import { startHubSpot } from './hubspot.ts'
import { startOnePageCrm } from './onepagecrm.ts'
import { startPipedrive } from './pipedrive.ts'
import { VendorDocument } from './vendor-documents.ts'

/** The documents that the tests name, as their vendors publish them. */
const FOLDER = process.env.CRM_VENDOR_DOCUMENTS ?? ''

const NAMES = { emails: [{ value: 'a@x.com', primary: true, label: 'work' }], phones: [{ value: '1', primary: true }] }
const HOOK = { subscription_url: 'https://x.com', event_action: '*', event_object: 'deal', name: 'crm' }

const PIPEDRIVE_V2 = [
  ['POST /api/v2/persons', { name: 'Ann Lee', owner_id: 1, org_id: 1, ...NAMES }],
  ['GET /api/v2/persons?limit=1'],
  ['GET /api/v2/persons/1'],
  ['PATCH /api/v2/persons/1', { name: 'Ann' }],
  ['GET /api/v2/persons/search?term=ann'],
  ['DELETE /api/v2/persons/1'],
  ['POST /api/v2/deals', { title: 'D', value: 1, person_id: 2, org_id: 1, status: 'won' }],
  ['GET /api/v2/deals?limit=1'],
  ['GET /api/v2/deals/1'],
  ['PATCH /api/v2/deals/1', { status: 'lost', lost_reason: 'price' }],
  ['DELETE /api/v2/deals/1'],
  ['POST /api/v2/pipelines', { name: 'P' }],
  ['GET /api/v2/pipelines'],
  ['GET /api/v2/pipelines/1'],
  ['PATCH /api/v2/pipelines/1', { name: 'Q' }],
  ['POST /api/v2/stages', { name: 'S', pipeline_id: 1 }],
  ['GET /api/v2/stages'],
  ['GET /api/v2/stages/1'],
  ['PATCH /api/v2/stages/1', { name: 'T' }],
  ['DELETE /api/v2/stages/1'],
  ['DELETE /api/v2/pipelines/2'],
  ['POST /api/v2/organizations', { name: 'Acme', website: 'acme.test' }],
  ['GET /api/v2/organizations?limit=1'],
  ['GET /api/v2/organizations/1'],
  ['PATCH /api/v2/organizations/1', { name: 'Acme Ltd' }],
  ['POST /api/v2/activities', { subject: 'Call', org_id: 1, participants: [{ person_id: 2, primary: true }] }],
  ['GET /api/v2/activities?limit=1'],
  ['GET /api/v2/activities/1'],
  ['PATCH /api/v2/activities/1', { done: true }],
  ['DELETE /api/v2/activities/1'],
  ['DELETE /api/v2/organizations/1'],
  ['GET /api/v2/personFields'],
  ['GET /api/v2/dealFields'],
  ['GET /api/v2/organizationFields'],
  ['GET /api/v2/activityFields'],
] as const

const PIPEDRIVE_V1 = [
  ['POST /api/v1/notes', { content: 'a', deal_id: 2, person_id: 2 }],
  ['GET /api/v1/notes'],
  ['GET /api/v1/notes/1'],
  ['PUT /api/v1/notes/1', { content: 'b' }],
  ['DELETE /api/v1/notes/1'],
  ['POST /api/v1/webhooks', HOOK],
  ['POST /api/v1/webhooks', { ...HOOK, subscription_url: 'nowhere' }],
  ['GET /api/v1/webhooks'],
  ['DELETE /api/v1/webhooks/1'],
  ['DELETE /api/v1/webhooks/1'],
] as const

const RECORD = { values: { name: 'Lee, Ann', email_addresses: ['a@x.com'], phone_numbers: ['+15558675309'] } }
const DEAL = { values: { name: 'D', stage: 'Lead', owner: 'ada@crm.example', value: 1.5 } }
const PARENT = { parent_object: 'deals', parent_record_id: '{deals}' }
const EVENTS = { subscriptions: [{ event_type: 'note.created', filter: null }] }
const COMPANY = { values: { name: 'Acme', domains: ['acme.test'], categories: [], foundation_date: '1999-12-31' } }
const LINKED = { linked_records: [{ target_object: 'people', target_record_id: '{people}' }] }
const TASK = { format: 'plaintext', deadline_at: null, is_completed: false, ...LINKED, assignees: [] }
const CAR = { api_slug: 'cars', singular_noun: 'Car', plural_noun: 'Cars' }
const PLAIN = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
const FUEL = { ...PLAIN, title: 'Fuel', api_slug: 'fuel', type: 'select' }
const SEATS = { ...PLAIN, title: 'Seats', api_slug: 'seats', type: 'number' }
const DRIVERS = {
  ...{ ...PLAIN, title: 'Drivers', api_slug: 'drivers', type: 'record-reference', is_multiselect: true },
  config: { record_reference: { allowed_objects: ['people'] } },
}
const REFERENCE = { target_object: 'people', target_record_id: '{people}' }
const OWN = { values: { seats: 4, fuel: ['Gas'], drivers: [REFERENCE] } }
const NOWHERE = '/v2/objects/people/records/8c6d1ea0-7f0c-4a4b-9b63-0c1b7a7c9a10'

const ATTIO = [
  ['POST /v2/objects/people/records', { data: RECORD }],
  ['POST /v2/objects/people/records', { data: { values: { nothing: 1 } } }],
  ['PUT /v2/objects/people/records?matching_attribute=email_addresses', { data: RECORD }],
  ['POST /v2/objects/people/records/query', { limit: 2, offset: 0 }],
  ['POST /v2/objects/people/records/query', { filter: { nothing: 1 } }],
  ['POST /v2/objects/deals/records', { data: DEAL }],
  ['POST /v2/objects/deals/records/query', { sorts: [{ attribute: 'created_at', direction: 'asc' }] }],
  ['GET /v2/objects/people/records/{people}'],
  [`GET ${NOWHERE}`],
  ['PATCH /v2/objects/people/records/{people}', { data: { values: { job_title: 'CTO' } } }],
  ['PUT /v2/objects/people/records/{people}', { data: { values: { job_title: [] } } }],
  ['GET /v2/objects/deals/attributes/stage/statuses'],
  ['POST /v2/objects/companies/records', { data: COMPANY }],
  ['PUT /v2/objects/companies/records?matching_attribute=domains', { data: COMPANY }],
  ['POST /v2/objects/companies/records/query', { filter: { $or: [{ domains: 'acme.test' }] } }],
  ['PUT /v2/objects/people/records/{people}', { data: { values: { company: [] } } }],
  ['GET /v2/objects'],
  ['POST /v2/objects', { data: CAR }],
  ['POST /v2/objects', { data: CAR }],
  ['GET /v2/objects/people/attributes'],
  ['GET /v2/objects/companies/attributes?limit=2&offset=1'],
  ['POST /v2/objects/cars/attributes', { data: FUEL }],
  ['POST /v2/objects/cars/attributes', { data: FUEL }],
  ['POST /v2/objects/cars/attributes', { data: SEATS }],
  ['POST /v2/objects/cars/attributes', { data: DRIVERS }],
  ['POST /v2/objects/cars/attributes/fuel/options', { data: { title: 'Gas' } }],
  ['POST /v2/objects/cars/attributes/fuel/options', { data: { title: 'Gas' } }],
  ['GET /v2/objects/cars/attributes/fuel/options'],
  ['GET /v2/objects/cars/attributes/nothing/options'],
  ['POST /v2/objects/cars/records', { data: OWN }],
  ['POST /v2/objects/cars/records/query', { filter: { fuel: 'Gas' } }],
  ['POST /v2/tasks', { data: { content: 'Call', ...TASK } }],
  ['POST /v2/tasks', { data: { content: 'Call', ...TASK, deadline_at: '2026-12-24T00:00:00Z' } }],
  ['GET /v2/tasks?limit=2&is_completed=false'],
  ['GET /v2/tasks/{tasks}'],
  ['PATCH /v2/tasks/{tasks}', { data: { is_completed: true, linked_records: [] } }],
  ['PATCH /v2/tasks/{tasks}', { data: { linked_records: [{ target_object: 'nothing', target_record_id: '1' }] } }],
  ['DELETE /v2/tasks/{tasks}'],
  ['GET /v2/tasks/8c6d1ea0-7f0c-4a4b-9b63-0c1b7a7c9a10'],
  ['GET /v2/workspace_members'],
  ['GET /v2/workspace_members/{members}'],
  ['POST /v2/notes', { data: { ...PARENT, title: '', format: 'plaintext', content: 'a' } }],
  ['GET /v2/notes'],
  ['GET /v2/notes/{notes}'],
  ['DELETE /v2/notes/{notes}'],
  ['POST /v2/webhooks', { data: { target_url: 'https://x.com', ...EVENTS } }],
  ['GET /v2/webhooks'],
  ['GET /v2/webhooks/{webhooks}'],
  ['PATCH /v2/webhooks/{webhooks}', { data: { target_url: 'https://y.com' } }],
  ['DELETE /v2/webhooks/{webhooks}'],
  ['DELETE /v2/objects/people/records/{people}'],
] as const

const NAMED = { properties: { email: 'a@x.com', firstname: 'Ann', phone: '1' }, associations: [] }
const TRACED = [
  { ...NAMED, objectWriteTraceId: '1' },
  { ...NAMED, objectWriteTraceId: '2' },
]
const ASKED = { properties: ['email', 'phone'], propertiesWithHistory: [] }
const BY_EMAIL = { idProperty: 'email', properties: { phone: '2' } }
const FOUND = { filterGroups: [], properties: [], sorts: [], limit: 2, after: '0' }

const HUBSPOT = ['contacts', '0-3']
  .flatMap((type) => {
    const path = `/crm/v3/objects/${type}`
    const isDeal = type === '0-3'
    const named = isDeal ? { ...NAMED, properties: { dealname: 'D', amount: '1.5', dealstage: 'closedwon' } } : NAMED
    const upserted = isDeal ? { idProperty: 'external_key', properties: { dealname: 'D' } } : BY_EMAIL
    return [
      [`GET ${path}?limit=2`],
      [`POST ${path}`, named],
      [`POST ${path}`, { ...named, properties: { nothing: '1' } }],
      [`GET ${path}/1?properties=email,dealname`],
      [`GET ${path}/99`],
      [`PATCH ${path}/1`, { properties: isDeal ? { amount: '2' } : { phone: '' } }],
      [`POST ${path}/search`, FOUND],
      [`POST ${path}/batch/create`, { inputs: [named] }],
      [`POST ${path}/batch/create`, { inputs: TRACED }],
      [`POST ${path}/batch/read`, { ...ASKED, inputs: [{ id: '1' }] }],
      [`POST ${path}/batch/read`, { ...ASKED, inputs: [{ id: '1' }, { id: '99' }] }],
      [`POST ${path}/batch/update`, { inputs: [{ id: '1', properties: {} }] }],
      [`POST ${path}/batch/update`, { inputs: [{ id: '99', properties: {} }] }],
      [`POST ${path}/batch/upsert`, { inputs: [{ id: 'b@x.com', ...upserted }] }],
      [`POST ${path}/batch/upsert`, { inputs: [{ id: 'c', idProperty: 'phone', properties: {} }] }],
      [`POST ${path}/batch/archive`, { inputs: [{ id: '2' }] }],
      [`DELETE ${path}/1`],
    ] as [string, unknown?][]
  })
  .concat([
    ['GET /crm/v3/pipelines/deals'],
    ['GET /crm/v3/pipelines/deals/default'],
    ['GET /crm/v3/pipelines/deals/default/stages'],
  ])

const PERSON = { last_name: 'Lee', company_name: 'Acme', emails: [{ type: 'work', value: 'a@x.com' }] }

const ONEPAGECRM = [
  ['POST /api/v3/contacts', PERSON],
  ['POST /api/v3/contacts', { first_name: 'Ann' }],
  ['GET /api/v3/contacts?team=true&per_page=2'],
  ['GET /api/v3/contacts/{contacts}'],
  ['PUT /api/v3/contacts/{contacts}?partial=true', { job_title: 'CTO' }],
  ['PUT /api/v3/contacts/{contacts}', PERSON],
  ['GET /api/v3/contacts/cascade'],
  ['GET /api/v3/contacts/cascade/{contacts}'],
  ['POST /api/v3/deals', { contact_id: '{contacts}', name: 'D', amount: 1.5 }],
  ['GET /api/v3/deals?per_page=2'],
  ['GET /api/v3/deals/{deals}'],
  ['PUT /api/v3/deals/{deals}?partial=true', { status: 'won' }],
  ['POST /api/v3/notes', { contact_id: '{contacts}', text: 'a', linked_deal_id: '{deals}' }],
  ['GET /api/v3/notes'],
  ['GET /api/v3/notes/{notes}'],
  ['PUT /api/v3/notes/{notes}?partial=true', { text: 'b' }],
  ['DELETE /api/v3/notes/{notes}'],
  ['DELETE /api/v3/deals/{deals}'],
  ['GET /api/v3/pipelines'],
  ['GET /api/v3/pipelines/{pipelines}'],
  ['GET /api/v3/users'],
  ['GET /api/v3/users/{users}'],
  ['GET /api/v3/webhooks'],
  ['GET /api/v3/webhooks/{webhooks}'],
  ['DELETE /api/v3/webhooks/{webhooks}'],
  ['DELETE /api/v3/contacts/{contacts}'],
  ['DELETE /api/v3/contacts/delete?ids={contacts}'],
  ['DELETE /api/v3/contacts/nobody'],
] as const

/** Connectors never change stages or users. */
const LEFT_OUT = [
  /^POST .+\/statuses$/,
  /^(POST|PUT|PATCH|DELETE) \/crm\/v3\/pipelines\//,
  /^PUT \/users\//,
  /^POST \/\w+Fields$/,
]

type Exchanges = readonly (readonly [line: string, json?: unknown])[]
type Serving = Pick<Awaited<ReturnType<typeof startAttio>>, 'url' | 'key' | 'records' | typeof Symbol.asyncDispose>
type Authorize = (emulator: Serving) => Readonly<Record<string, string>>

const bearer: Authorize = ({ key }) => ({ authorization: `Bearer ${key}` })
const apiToken: Authorize = ({ key }) => ({ 'x-api-token': key })
const basic: Authorize = (emulator) => {
  const [user] = emulator.records('users' as never)
  return { authorization: `Basic ${Buffer.from(`${user?.id}:${emulator.key}`).toString('base64')}` }
}

/** `{people}` is the id of the first of them. */
function withIds<Value>(value: Value, emulator: Serving): Value {
  const text = JSON.stringify(value).replace(/\{(\w+)\}/g, (_, kind) => {
    const id = emulator.records(kind)[0]?.id ?? {}
    if (typeof id === 'string') return id
    return Object.entries(id).find(([name]) => /^(record|note|task|webhook|workspace_member)_id$/.test(name))?.[1] ?? ''
  })
  return JSON.parse(text)
}

const startAnyPipedrive = async () => (await startPipedrive({ records: 3 })) as unknown as Serving
const startAnyAttio = () => startAttio({ records: 3 })
const startAnyHubSpot = async () => (await startHubSpot({ records: 3 })) as unknown as Serving
const startAnyOnePageCrm = async () => (await startOnePageCrm({ records: 3 })) as unknown as Serving

describe.skipIf(FOLDER === '')('vendors’ documents (skipped without CRM_VENDOR_DOCUMENTS=FOLDER)', () => {
  test.for<[string, string, Exchanges, () => Promise<Serving>, Authorize]>([
    ['pipedrive-v2.yaml', '/api/v2', PIPEDRIVE_V2, startAnyPipedrive, apiToken],
    ['pipedrive-v1.yaml', '/api/v1', PIPEDRIVE_V1, startAnyPipedrive, apiToken],
    ['attio.json', '', ATTIO, startAnyAttio, bearer],
    ['hubspot-crm-v3.json', '', HUBSPOT, startAnyHubSpot, bearer],
    ['onepagecrm.yaml', '/api/v3', ONEPAGECRM, startAnyOnePageCrm, basic],
  ])(
    '%s finds nothing in the answers of the emulator, which serves all operations at its paths',
    async ([file, base, exchanges, start, authorize]) => {
      const document = new VendorDocument(FOLDER, file, base)
      await using emulator = await start()
      const headers = authorize(emulator)
      const complaints: string[] = []
      for (const [written, unresolved] of exchanges) {
        const line = withIds(written, emulator)
        const json = unresolved === undefined ? undefined : withIds(unresolved, emulator)
        complaints.push(...document.complaints(line, json, await ask(emulator.url, line, { json, headers })))
      }
      expect(complaints).toEqual([])
      const lines = exchanges.map(([line]) => line)
      const asked = new Set(lines.map((line) => document.operation(line)))
      const unasked = document.operations(lines).filter((one) => !asked.has(one))
      expect(unasked.filter((one) => !LEFT_OUT.some((left) => left.test(one)))).toEqual([])
    },
  )

  test('a bent answer, an unknown path and a bent request are found', () => {
    const document = new VendorDocument(FOLDER, 'attio.json', '')
    const reply = (body: unknown) => ({ status: 200, headers: new Headers(), body })
    const record = { id: { workspace_id: 'w', object_id: 'o', record_id: 1 }, created_at: 't', values: {} }
    const path = '/v2/objects/people/records'
    expect(document.complaints(`GET ${path}/1`, undefined, reply({ data: record }))).toEqual([
      `GET ${path}/1: /data/id/record_id must be string`,
    ])
    expect(document.complaints('GET /v2/people', undefined, reply({}))).toEqual(['GET /v2/people: not in the document'])
    const fine = reply({ data: { ...record, id: { ...record.id, record_id: 'r' } } })
    expect(document.complaints(`POST ${path}`, { values: {} }, fine)).toEqual([
      `POST ${path}: sent  must have required property 'data'`,
    ])
  })
})
