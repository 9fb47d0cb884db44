import { randomUUID } from 'node:crypto'
import type { Row } from '../emulator.ts'
import { refuse, timeText } from './rules.ts'

export interface Attribute {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly type: AttributeType
  /** Ids of the objects whose records it refers to. */
  readonly allowed: readonly string[] | null
  readonly options: Row[]
  readonly createdAt: string
  readonly isMultiselect: boolean
  readonly isUnique: boolean
  readonly isRequired: boolean
  readonly isWritable: boolean
}

/** What values can refer to. */
export interface Referable {
  object(slugOrId: string): ObjectType | undefined
  status(titleOrId: string): Row | undefined
  /** The id of a member of the workspace. */
  member(emailOrId: { readonly email?: unknown; readonly id?: unknown }): string | undefined
  /** The id of a record, by its id or the value of a unique attribute. */
  record(reference: Row): string | undefined
}

/** The members of a written value, in the form in which it is read; undefined where it is none of this type. */
type ReadInput = (input: unknown, referable: Referable, attribute: Attribute) => Row | undefined

interface TypeRule {
  readonly read: ReadInput
  /** What a filter and a sort without a property mean. */
  readonly property: string
}

const EMAIL = /^([^\s@]+)@([^\s@]+\.[^\s@]+)$/

export const TYPES = {
  text: { property: 'value', read: (input) => asText(only(input, 'value'), (value) => ({ value })) },
  number: {
    property: 'value',
    read: (input) => {
      const value = only(input, 'value')
      return typeof value === 'number' ? { value } : undefined
    },
  },
  checkbox: {
    property: 'value',
    read: (input) => {
      const value = CHECKED.get(only(input, 'value'))
      return value === undefined ? undefined : { value }
    },
  },
  date: {
    property: 'value',
    read: (input) =>
      asText(only(input, 'value'), (written) =>
        /^\d{4}-\d\d-\d\d/.test(written) ? { value: written.slice(0, 10) } : undefined,
      ),
  },
  select: {
    property: 'option',
    read: (input, _, { options }) =>
      asText(only(input, 'option'), (titleOrId) => {
        const option = options.find(({ id, title }) => title === titleOrId || (id as Row).option_id === titleOrId)
        if (option) return { option }
        return refuse(400, 'value_not_found', `Cannot find select attribute with select option title "${titleOrId}".`)
      }),
  },
  domain: {
    property: 'domain',
    read: (input) =>
      asText(only(input, 'domain'), (written) => {
        const [, domain = ''] =
          /^(?:https?:\/\/)?([^\s/@]+\.[^\s/@.]+)(?:\/.*)?$/.exec(written.trim().toLowerCase()) ?? []
        return domain === '' ? undefined : { domain, root_domain: domain.split('.').slice(-2).join('.') }
      }),
  },
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
    read: (input, referable, { allowed }) => {
      if (!isObject(input) || typeof input.target_object !== 'string') return undefined
      const target = referable.object(input.target_object)
      if (!target || allowed?.includes(target.id) === false) return undefined
      const target_record_id = referable.record(input)
      if (!target_record_id) return refuse(400, 'value_not_found', `Cannot find record ${JSON.stringify(input)}.`)
      return { target_object: target.slug, target_record_id }
    },
  },
} as const satisfies Readonly<Record<string, TypeRule>>

export type AttributeType = keyof typeof TYPES

const CHECKED = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
])

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
  const words = slug.replaceAll('_', ' ')
  return newAttribute({
    slug,
    title: words[0]?.toUpperCase() + words.slice(1),
    type,
    isMultiselect: traits.includes('multiselect'),
    isUnique: traits.includes('unique'),
    isRequired: traits.includes('required'),
    isWritable: !traits.includes('read only'),
  })
}

export function newAttribute(
  given: Omit<Attribute, 'id' | 'options' | 'createdAt' | 'allowed'> & Partial<Pick<Attribute, 'allowed'>>,
): Attribute {
  return { id: randomUUID(), allowed: null, options: [], createdAt: timeText(), ...given }
}

export interface ObjectType {
  readonly id: string
  readonly slug: string
  readonly singular: string
  readonly plural: string
  readonly createdAt: string
  readonly attributes: Attribute[]
}

export function newObject(
  named: Pick<ObjectType, 'slug' | 'singular' | 'plural'>,
  own: readonly Attribute[] = [],
): ObjectType {
  const onEvery = [
    attribute('record_id', 'text', 'read only'),
    attribute('created_at', 'timestamp', 'read only'),
    attribute('created_by', 'actor-reference', 'read only'),
  ]
  return { id: randomUUID(), createdAt: timeText(), ...named, attributes: [...onEvery, ...own] }
}

function reference(slug: string, to: ObjectType, ...traits: readonly Trait[]): Attribute {
  return { ...attribute(slug, 'record-reference', ...traits), allowed: [to.id] }
}

/** Those that every workspace has, and deals. The other side of a relationship (`team` of a company) is left out. */
export function standardObjects(): ObjectType[] {
  const companies = newObject({ slug: 'companies', singular: 'Company', plural: 'Companies' }, [
    attribute('domains', 'domain', 'multiselect', 'unique'),
    attribute('name', 'text'),
    attribute('description', 'text'),
    attribute('categories', 'select', 'multiselect'),
    attribute('employee_range', 'select'),
    attribute('foundation_date', 'date'),
    attribute('linkedin', 'text'),
  ])
  const people = newObject({ slug: 'people', singular: 'Person', plural: 'People' }, [
    attribute('name', 'personal-name'),
    attribute('email_addresses', 'email-address', 'multiselect', 'unique'),
    attribute('phone_numbers', 'phone-number', 'multiselect'),
    attribute('job_title', 'text'),
    attribute('description', 'text'),
    attribute('linkedin', 'text'),
    reference('company', companies),
  ])
  const deals = newObject({ slug: 'deals', singular: 'Deal', plural: 'Deals' }, [
    attribute('name', 'text', 'required'),
    attribute('stage', 'status', 'required'),
    attribute('owner', 'actor-reference', 'required'),
    attribute('value', 'currency'),
    reference('associated_people', people, 'multiselect'),
    reference('associated_company', companies),
  ])
  return [people, companies, deals]
}

export function findAttribute(object: ObjectType, slugOrId: string): Attribute | undefined {
  return object.attributes.find(({ slug, id }) => slug === slugOrId || id === slugOrId)
}
