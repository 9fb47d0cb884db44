// Members that Close's public reference of v1 (read 2026-11) lets a client write, as JSON Schema.

import { Ajv, type ErrorObject } from 'ajv'
import { type Answer, type Call, Refusal, type Row, type Table } from '../emulator.ts'

export type CloseKind = 'contacts' | 'leads' | 'opportunities' | 'notes' | 'webhooks' | 'pipelines' | 'users'
export type Tables = Readonly<Record<CloseKind, Table>>
export type WrittenKind = 'contacts' | 'leads' | 'opportunities' | 'notes' | 'webhooks'

const TEXT = { type: 'string' }
const TEXT_OR_NULL = { type: ['string', 'null'] }
const NAME = { type: ['string', 'null'], maxLength: 1000 }
const DATE = { type: ['string', 'null'], pattern: '^\\d{4}-\\d\\d-\\d\\d' }

function list(properties: object, required: readonly string[] = []) {
  return { type: ['array', 'null'], maxItems: 100, items: { type: 'object', properties, required } }
}

/** A create can say when and by whom it was. */
const CREATED = { date_created: DATE, created_by: TEXT_OR_NULL }

const CONTACT = {
  name: NAME,
  title: NAME,
  emails: list({ email: { type: 'string', pattern: '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$' }, type: TEXT }, ['email']),
  phones: list({ phone: TEXT_OR_NULL, type: TEXT }),
  urls: list({ url: TEXT, type: TEXT }, ['url']),
  timezone: TEXT_OR_NULL,
}

const OPPORTUNITY = {
  confidence: { type: 'integer', minimum: 0, maximum: 100 },
  contact_id: TEXT_OR_NULL,
  date_won: DATE,
  note_html: TEXT_OR_NULL,
  user_id: TEXT_OR_NULL,
}

const PERIOD = ['one_time', 'monthly', 'annual']
const NOTE = { note: TEXT_OR_NULL, note_html: TEXT_OR_NULL, contact_id: TEXT_OR_NULL, title: TEXT_OR_NULL }
const LEAD = { name: TEXT_OR_NULL, description: TEXT_OR_NULL, url: TEXT_OR_NULL, status_id: TEXT }

const EVENT = strict({ object_type: TEXT, action: TEXT, extra_filter: { type: ['object', 'null'] } }, [
  'object_type',
  'action',
])
const WEBHOOK = { url: TEXT, events: { type: 'array', items: EVENT }, verify_ssl: { type: 'boolean' } }

/** A create of an opportunity takes null for what is left out, an update does not. */
const WRITES = {
  contacts: {
    create: strict({ ...CONTACT, ...CREATED, lead_id: TEXT_OR_NULL }),
    update: strict({ ...CONTACT, lead_id: TEXT }),
  },
  leads: {
    create: strict({ ...LEAD, contacts: { type: 'array', items: strict(CONTACT) } }),
    update: strict(LEAD),
  },
  opportunities: {
    create: strict({
      ...OPPORTUNITY,
      ...CREATED,
      confidence: { ...OPPORTUNITY.confidence, type: ['integer', 'null'] },
      lead_id: TEXT_OR_NULL,
      note: TEXT_OR_NULL,
      pipeline_id: TEXT_OR_NULL,
      status_id: TEXT_OR_NULL,
      value: { type: ['integer', 'null'] },
      value_period: { enum: [...PERIOD, null] },
    }),
    update: strict({
      ...OPPORTUNITY,
      note: TEXT,
      status_id: TEXT,
      value: { type: 'integer' },
      value_period: { enum: PERIOD },
    }),
  },
  notes: {
    create: strict({ ...NOTE, ...CREATED, lead_id: TEXT, user_id: TEXT_OR_NULL }, ['lead_id']),
    update: strict(NOTE),
  },
  webhooks: { create: strict(WEBHOOK, ['url', 'events']), update: strict({ ...WEBHOOK, status: TEXT }) },
} as const satisfies Readonly<Record<WrittenKind, Readonly<Record<'create' | 'update', object>>>>

function strict(properties: object, required: readonly string[] = []) {
  return { type: 'object', additionalProperties: false, properties, required }
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })

/** The members of a create or an update, once the vendor takes them. */
export function takeBody({ body }: Call, kind: WrittenKind, verb: 'create' | 'update'): Row {
  if (body.type !== 'json') return refuse(400, 'The request body is not JSON.')
  const validate = ajv.compile(WRITES[kind][verb])
  if (validate(body.value)) return body.value as Row
  return invalid(Object.fromEntries((validate.errors ?? []).map(fieldError)))
}

function fieldError({ instancePath, params, message }: ErrorObject): [string, unknown] {
  if ('missingProperty' in params) return [String(params.missingProperty), 'This field is required.']
  if ('additionalProperty' in params) return [String(params.additionalProperty), 'Unknown field.']
  return [instancePath.split('/')[1] ?? '', message]
}

export function refuse(status: number, error: string): never {
  throw new Refusal({ status, body: { error } })
}

export function invalid(fields: Row): never {
  throw new Refusal({ status: 400, body: { errors: [], 'field-errors': fields } })
}

export function ok(body: Row): Answer {
  return { status: 200, body }
}

/** RFC 3339 in microseconds, of which the clock gives milliseconds, with +00:00. */
export function timeText(ms = Date.now()): string {
  return new Date(ms).toISOString().replace('Z', '000+00:00')
}
