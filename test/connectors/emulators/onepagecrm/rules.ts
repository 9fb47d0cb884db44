// Members that OnePageCRM's published description of v3 (read 2026-11) lets a client write, as JSON Schema.

import { Ajv } from 'ajv'
import { type Answer, type Call, Refusal, type Row, type Table } from '../emulator.ts'

export type OnePageCrmKind = 'contacts' | 'deals' | 'notes' | 'pipelines' | 'webhooks' | 'users'
export type Tables = Readonly<Record<OnePageCrmKind, Table>>
export type WrittenKind = 'contacts' | 'deals' | 'notes'

const text = (maxLength?: number) => ({ type: ['string', 'null'], ...(maxLength !== undefined && { maxLength }) })
const list = (items: object, others: object = {}) => ({ type: ['array', 'null'], items, ...others })
const NUMBER = { type: ['number', 'null'] }
const DATE = { type: ['string', 'null'], pattern: '^\\d{4}-\\d\\d-\\d\\d$' }

function wayToReach(types: readonly string[]) {
  return list({ type: 'object', properties: { type: { enum: types }, value: { type: 'string' } }, required: ['value'] })
}

/** What is not named here is ignored. */
export const WRITABLE = {
  contacts: {
    title: { enum: ['Mr', 'Mrs', 'Ms', '', null] },
    first_name: text(25),
    last_name: text(25),
    job_title: text(1000),
    starred: { type: ['boolean', 'null'] },
    company_id: text(),
    company_name: text(55),
    urls: wayToReach(['website', 'blog', 'twitter', 'linkedin', 'xing', 'facebook', 'google_plus', 'other']),
    phones: wayToReach(['work', 'mobile', 'home', 'direct', 'fax', 'company', 'other']),
    emails: wayToReach(['work', 'home', 'other']),
    address_list: list({ type: 'object' }, { maxItems: 2 }),
    tags: list({ type: 'string' }),
    background: text(10_240),
    owner_id: text(),
  },
  deals: {
    contact_id: text(),
    owner_id: text(),
    pipeline_id: text(),
    name: text(),
    text: text(7168),
    stage: { type: ['integer', 'null'] },
    status: { enum: ['pending', 'won', 'lost', null] },
    expected_close_date: DATE,
    close_date: DATE,
    date: DATE,
    amount: NUMBER,
    months: { type: ['integer', 'null'], minimum: 1 },
    cost: NUMBER,
  },
  notes: { contact_id: text(), text: text(7168), date: DATE, linked_deal_id: text() },
} as const satisfies Readonly<Record<WrittenKind, Readonly<Record<string, object>>>>

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })

/** The members of a create or an update that are written. */
export function takeBody({ body }: Call, kind: WrittenKind): Row {
  if (body.type !== 'json') return invalid({ body: 'body is not JSON' })
  const validate = ajv.compile({ type: 'object', properties: WRITABLE[kind] })
  if (!validate(body.value)) {
    const errors = validate.errors ?? []
    return invalid(Object.fromEntries(errors.map(({ instancePath, message }) => [instancePath.slice(1), message])))
  }
  return Object.fromEntries(Object.entries(body.value as Row).filter(([name]) => name in WRITABLE[kind]))
}

export function ok(data: Row | readonly Row[], status = 200): Answer {
  return { status, body: { status: 0, message: 'OK', timestamp: Math.floor(Date.now() / 1000), data } }
}

export function failure(status: number, message: string, error_message: string, errors: Row = {}): Answer {
  const error_name = message.toLowerCase().replaceAll(' ', '_')
  return { status, body: { status, message, error_name, error_message, errors } }
}

export function invalid(errors: Row): never {
  throw new Refusal(failure(400, 'Invalid request data', 'A validation error has occurred', errors))
}

export function notFound(): never {
  throw new Refusal(failure(404, 'Resource not found', 'The requested resource has not been found'))
}

/** RFC 3339 in whole seconds. */
export function timeText(ms = Date.now()): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}
