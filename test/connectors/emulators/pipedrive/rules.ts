// Members that Pipedrive's published descriptions of v1 and v2 (read 2026-11) let a client write, as JSON Schema.

import { Ajv } from 'ajv'
import { type Answer, type Call, Refusal, type Row, type Table } from '../emulator.ts'

export type PipedriveKind =
  | 'persons'
  | 'deals'
  | 'organizations'
  | 'activities'
  | 'pipelines'
  | 'stages'
  | 'notes'
  | 'webhooks'
export type V2Kind = Exclude<PipedriveKind, 'notes' | 'webhooks'>
export type Tables = Readonly<Record<PipedriveKind, Table>>

const TEXT = { type: 'string' }
const INTEGER = { type: 'integer' }
const NUMBER = { type: 'number' }
const BOOLEAN = { type: 'boolean' }
const NAME = { type: 'string', minLength: 1 }
const INTEGERS = { type: 'array', items: INTEGER }
const DATE = { type: ['string', 'null'], pattern: '^\\d{4}-\\d\\d-\\d\\d$' }
const TIME = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\dZ?$' }
const VISIBLE_TO = { type: 'integer', enum: [1, 3, 5, 7] }

const nullable = (schema: { readonly type: string }) => ({ ...schema, type: [schema.type, 'null'] })

/** The account's own fields, which have keys of 40 characters. */
const CUSTOM_TEXT = 'd4de1c1518b4531717c676029a45911c340390a6'
const CUSTOM_NUMBER = '9dc80c50d78a15643bfc4ca79d76156a73a1ca0e'
const CUSTOM_OPTION = '40ee4f9ba49f4d6e9c5a0f4a2b3c1d0e9f8a7b6c'
const CUSTOM_OPTIONS = 'b2c3d4e5f60718293a4b5c6d7e8f9a0b1c2d3e4f'
export const NO_CUSTOM_FIELDS = {
  ...{ [CUSTOM_TEXT]: null, [CUSTOM_NUMBER]: null, [CUSTOM_OPTION]: null, [CUSTOM_OPTIONS]: null },
}

const INTERESTS = ['Art', 'Boats', 'Cars'].map((label, at) => ({ id: at + 11, label }))

/** As `GET /personFields` and the others have them, without the members about their screens. */
export const FIELDS = [
  field('Name', 'name', 'varchar'),
  field('Shoe size', CUSTOM_NUMBER, 'double'),
  field('Nickname', CUSTOM_TEXT, 'varchar'),
  field('Lead Source', CUSTOM_OPTION, 'enum', [
    { id: 1, label: 'Inbound' },
    { id: 2, label: 'Outbound' },
  ]),
  field('Interests', CUSTOM_OPTIONS, 'set', INTERESTS),
]

function field(name: string, code: string, type: string, options: readonly Row[] | null = null): Row {
  const is_custom_field = code.length === 40
  return {
    field_name: name,
    field_code: code,
    field_type: type,
    options,
    is_custom_field,
    is_optional_response_field: false,
  }
}

const CUSTOM_FIELDS = strictObject({
  [CUSTOM_TEXT]: nullable(TEXT),
  [CUSTOM_NUMBER]: nullable(NUMBER),
  [CUSTOM_OPTION]: nullable(INTEGER),
  [CUSTOM_OPTIONS]: { ...INTEGERS, type: ['array', 'null'] },
})
const WAYS_TO_REACH = {
  type: 'array',
  items: strictObject({ value: TEXT, primary: BOOLEAN, label: TEXT }, ['value']),
}

const PERSON = {
  name: NAME,
  owner_id: INTEGER,
  org_id: nullable(INTEGER),
  emails: WAYS_TO_REACH,
  phones: WAYS_TO_REACH,
  visible_to: VISIBLE_TO,
  label_ids: INTEGERS,
  custom_fields: CUSTOM_FIELDS,
}

const DEAL = {
  title: NAME,
  owner_id: INTEGER,
  person_id: nullable(INTEGER),
  org_id: nullable(INTEGER),
  pipeline_id: INTEGER,
  stage_id: INTEGER,
  value: NUMBER,
  currency: { type: 'string', pattern: '^[A-Z]{3}$' },
  is_deleted: BOOLEAN,
  is_archived: BOOLEAN,
  archive_time: TIME,
  status: { type: 'string', enum: ['open', 'won', 'lost'] },
  probability: nullable(NUMBER),
  lost_reason: nullable(TEXT),
  visible_to: VISIBLE_TO,
  close_time: { ...TIME, type: ['string', 'null'] },
  won_time: TIME,
  lost_time: TIME,
  expected_close_date: DATE,
  label_ids: INTEGERS,
  custom_fields: CUSTOM_FIELDS,
}

const ORGANIZATION = {
  name: NAME,
  owner_id: INTEGER,
  visible_to: VISIBLE_TO,
  label_ids: INTEGERS,
  address: { type: 'object' },
  website: nullable(TEXT),
  linkedin: nullable(TEXT),
  industry: nullable(INTEGER),
  annual_revenue: nullable(NUMBER),
  employee_count: nullable(INTEGER),
  custom_fields: CUSTOM_FIELDS,
}

/** Its person is written as its primary participant. */
const ACTIVITY = {
  subject: TEXT,
  type: TEXT,
  owner_id: INTEGER,
  deal_id: nullable(INTEGER),
  lead_id: nullable(TEXT),
  org_id: nullable(INTEGER),
  project_id: nullable(INTEGER),
  due_date: DATE,
  due_time: nullable(TEXT),
  duration: nullable(TEXT),
  busy: BOOLEAN,
  done: BOOLEAN,
  location: { type: 'object' },
  participants: { type: 'array', items: strictObject({ person_id: INTEGER, primary: BOOLEAN }, ['person_id']) },
  attendees: { type: 'array' },
  public_description: nullable(TEXT),
  priority: nullable(INTEGER),
  note: nullable(TEXT),
}

const PIPELINE = { name: NAME, is_deal_probability_enabled: BOOLEAN }

const STAGE = {
  name: NAME,
  pipeline_id: INTEGER,
  deal_probability: { type: 'integer', minimum: 0, maximum: 100 },
  is_deal_rot_enabled: BOOLEAN,
  days_to_rotten: nullable(INTEGER),
}

const FLAG = { type: 'number', enum: [0, 1] }

/** Beside them v1 takes unknown members and ignores them. */
const NOTE = {
  content: TEXT,
  deal_id: INTEGER,
  person_id: INTEGER,
  org_id: INTEGER,
  project_id: INTEGER,
  task_id: INTEGER,
  lead_id: TEXT,
  user_id: INTEGER,
  add_time: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' },
  pinned_to_deal_flag: FLAG,
  pinned_to_person_flag: FLAG,
  pinned_to_organization_flag: FLAG,
}

const WEBHOOK = {
  subscription_url: TEXT,
  event_action: { type: 'string', enum: ['create', 'change', 'delete', '*'] },
  event_object: {
    type: 'string',
    enum: ['activity', 'deal', 'lead', 'note', 'organization', 'person', 'pipeline', 'product', 'stage', 'user', '*'],
  },
  name: { type: 'string', maxLength: 255 },
  user_id: INTEGER,
  http_auth_user: nullable(TEXT),
  http_auth_password: nullable(TEXT),
  version: { type: 'string', enum: ['1.0', '2.0'] },
}

/** v2 gives no list of what it ignores; an unknown member is refused here, as v2 refuses unknown custom fields. */
const WRITES = {
  persons: { create: strictObject({ ...PERSON, add_time: TIME }, ['name']), update: strictObject(PERSON) },
  deals: { create: strictObject(DEAL, ['title']), update: strictObject(DEAL) },
  organizations: {
    create: strictObject({ ...ORGANIZATION, add_time: TIME }, ['name']),
    update: strictObject(ORGANIZATION),
  },
  activities: { create: strictObject(ACTIVITY), update: strictObject(ACTIVITY) },
  pipelines: { create: strictObject(PIPELINE, ['name']), update: strictObject(PIPELINE) },
  stages: { create: strictObject(STAGE, ['name', 'pipeline_id']), update: strictObject(STAGE) },
  notes: {
    create: { type: 'object', properties: NOTE, required: ['content'] },
    update: { type: 'object', properties: NOTE },
  },
  webhooks: {
    create: {
      type: 'object',
      properties: WEBHOOK,
      required: ['subscription_url', 'event_action', 'event_object', 'name'],
    },
    update: {},
  },
} as const satisfies Readonly<Record<PipedriveKind, Readonly<Record<'create' | 'update', object>>>>

function strictObject(properties: object, required: readonly string[] = []) {
  return { type: 'object', additionalProperties: false, properties, required }
}

/** Numbers of v2 are never text; v1 converts text to numbers. */
const VALIDATORS = {
  v2: new Ajv({ allowUnionTypes: true }),
  v1: new Ajv({ allowUnionTypes: true, coerceTypes: true }),
}

export const isV1 = (path: string) => /^(\/api)?\/v1\//.test(path)

/** The members of a create or an update, once the vendor takes them. */
export function takeBody({ body, path }: Call, kind: PipedriveKind, verb: 'create' | 'update'): Row {
  if (body.type !== 'json') return invalid('the body is not JSON')
  const validate = VALIDATORS[isV1(path) ? 'v1' : 'v2'].compile(WRITES[kind][verb])
  if (validate(body.value)) return body.value as Row
  const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? []
  return invalid(`${instancePath.slice(1) || kind}: ${message} ${JSON.stringify(params)}`)
}

export function ok(data: unknown, additional?: object): Answer {
  return { status: 200, body: { success: true, data, ...(additional && { additional_data: additional }) } }
}

export function failure(status: number, error: string): Answer {
  const info = 'Please check developers.pipedrive.com'
  return { status, body: { success: false, error, error_info: info, data: null, additional_data: null } }
}

export function refuse(status: number, error: string, code: string): never {
  throw new Refusal({ status, body: { success: false, error, code } })
}

export function invalid(error: string): never {
  return refuse(400, `Validation failed: ${error}`, 'ERR_SCHEMA_VALIDATION_FAILED')
}
