import { randomUUID } from 'node:crypto'
import type { Row } from '../emulator.ts'
import { refuse } from './rules.ts'

export interface Attribute {
  readonly id: string
  readonly slug: string
  readonly type: AttributeType
  readonly isMultiselect: boolean
  readonly isUnique: boolean
  readonly isRequired: boolean
  readonly isWritable: boolean
}

/** What values can refer to. */
export interface Referable {
  status(titleOrId: string): Row | undefined
  /** The id of a member of the workspace. */
  member(emailOrId: { readonly email?: unknown; readonly id?: unknown }): string | undefined
  /** The id of a record, by its id or the value of a unique attribute. */
  record(reference: Row): string | undefined
}

/** The members of a written value, in the form in which it is read; undefined where it is none of this type. */
type ReadInput = (input: unknown, referable: Referable) => Row | undefined

interface TypeRule {
  readonly read: ReadInput
  /** What a filter and a sort without a property mean. */
  readonly property: string
}

const EMAIL = /^([^\s@]+)@([^\s@]+\.[^\s@]+)$/

export const TYPES = {
  text: { property: 'value', read: (input) => asText(only(input, 'value'), (value) => ({ value })) },
  timestamp: { property: 'value', read: () => undefined },
  'email-address': {
    property: 'email_address',
    read: (input) =>
      asText(pick(input, 'email_address'), (written) => {
        const [email_address, email_local_specifier, email_domain = ''] = EMAIL.exec(written.trim().toLowerCase()) ?? []
        if (email_address === undefined) return undefined
        const email_root_domain = email_domain.split('.').slice(-2).join('.')
        return {
          original_email_address: written,
          email_address,
          email_domain,
          email_root_domain,
          email_local_specifier,
        }
      }),
  },
  'phone-number': {
    property: 'phone_number',
    read: (input) =>
      asText(pick(input, 'original_phone_number'), (written) => {
        const phone_number = written.replace(/[\s().-]/g, '')
        const country_code = COUNTRIES.find(([prefix]) => phone_number.startsWith(prefix))?.[1] ?? 'US'
        return /^\+[1-9]\d{6,14}$/.test(phone_number)
          ? { original_phone_number: written, country_code, phone_number }
          : undefined
      }),
  },
  'personal-name': { property: 'full_name', read: readName },
  currency: {
    property: 'currency_value',
    read: (input) => {
      const currency_value = only(input, 'currency_value')
      if (typeof currency_value !== 'number' || Number(currency_value.toFixed(4)) !== currency_value) return undefined
      return { currency_value, currency_code: 'USD' }
    },
  },
  status: {
    property: 'status',
    read: (input, referable) =>
      asText(only(input, 'status'), (titleOrId) => {
        const found = referable.status(titleOrId)
        if (!found) return refuse(400, 'value_not_found', `Cannot find status with title or ID "${titleOrId}".`)
        return { status: found }
      }),
  },
  'actor-reference': { property: 'referenced_actor_id', read: readActor },
  'record-reference': {
    property: 'target_record_id',
    read: (input, referable) => {
      if (!isObject(input) || typeof input.target_object !== 'string') return undefined
      const target_record_id = referable.record(input)
      if (!target_record_id) return refuse(400, 'value_not_found', `Cannot find record ${JSON.stringify(input)}.`)
      return { target_object: input.target_object, target_record_id }
    },
  },
} as const satisfies Readonly<Record<string, TypeRule>>

export type AttributeType = keyof typeof TYPES

const COUNTRIES = [
  ['+44', 'GB'],
  ['+49', 'DE'],
  ['+33', 'FR'],
  ['+1', 'US'],
] as const

/** Text is 'Last, First'; without a comma it is the first name alone. */
function readName(input: unknown): Row | undefined {
  if (typeof input === 'string') {
    const [last = '', ...rest] = input.split(',')
    if (rest.length === 0) return { first_name: input, last_name: '', full_name: input }
    const first_name = rest.join(',').trim()
    return { first_name, last_name: last.trim(), full_name: `${first_name} ${last.trim()}`.trim() }
  }
  if (!isObject(input)) return undefined
  const { first_name, last_name, full_name } = input
  const all = [first_name, last_name, full_name].every((part) => typeof part === 'string')
  return all ? { first_name, last_name, full_name } : undefined
}

/** Text is the email address of a member, never an id. */
function readActor(input: unknown, referable: Referable): Row | undefined {
  const email = only(input, 'workspace_member_email_address')
  const isById = isObject(input) && input.referenced_actor_type === 'workspace-member'
  if (!isById && typeof email !== 'string') return undefined
  const found = referable.member(isById ? { id: input.referenced_actor_id } : { email })
  if (!found) return refuse(400, 'value_not_found', `Cannot find workspace member ${JSON.stringify(input)}.`)
  return { referenced_actor_type: 'workspace-member', referenced_actor_id: found }
}

export function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value may stand in an object with this member alone. */
function only(input: unknown, member: string): unknown {
  if (!isObject(input)) return input
  return Object.keys(input).every((key) => key === member) ? input[member] : undefined
}

function pick(input: unknown, member: string): unknown {
  return isObject(input) ? input[member] : input
}

function asText(value: unknown, read: (text: string) => Row | undefined): Row | undefined {
  return typeof value === 'string' ? read(value) : undefined
}

type Trait = 'multiselect' | 'unique' | 'required' | 'read only'

function attribute(slug: string, type: AttributeType, ...traits: readonly Trait[]): Attribute {
  return {
    id: randomUUID(),
    slug,
    type,
    isMultiselect: traits.includes('multiselect'),
    isUnique: traits.includes('unique'),
    isRequired: traits.includes('required'),
    isWritable: !traits.includes('read only'),
  }
}

const ON_EVERY_OBJECT = [
  attribute('record_id', 'text', 'read only'),
  attribute('created_at', 'timestamp', 'read only'),
  attribute('created_by', 'actor-reference', 'read only'),
]

export const OBJECTS = {
  people: {
    id: randomUUID(),
    attributes: [
      ...ON_EVERY_OBJECT,
      attribute('name', 'personal-name'),
      attribute('email_addresses', 'email-address', 'multiselect', 'unique'),
      attribute('phone_numbers', 'phone-number', 'multiselect'),
      attribute('job_title', 'text'),
      attribute('description', 'text'),
      attribute('linkedin', 'text'),
      attribute('company', 'record-reference'),
    ],
  },
  deals: {
    id: randomUUID(),
    attributes: [
      ...ON_EVERY_OBJECT,
      attribute('name', 'text', 'required'),
      attribute('stage', 'status', 'required'),
      attribute('owner', 'actor-reference', 'required'),
      attribute('value', 'currency'),
      attribute('associated_people', 'record-reference', 'multiselect'),
      attribute('associated_company', 'record-reference'),
    ],
  },
} as const satisfies Readonly<Record<string, { readonly id: string; readonly attributes: readonly Attribute[] }>>

export type ObjectSlug = keyof typeof OBJECTS

export function findObject(slugOrId: string): ObjectSlug | undefined {
  return (Object.keys(OBJECTS) as ObjectSlug[]).find((slug) => slug === slugOrId || OBJECTS[slug].id === slugOrId)
}

export function findAttribute(object: ObjectSlug, slugOrId: string): Attribute | undefined {
  return OBJECTS[object].attributes.find(({ slug, id }) => slug === slugOrId || id === slugOrId)
}
