import type { Row } from '../emulator.ts'
import { invalidProperties, type PropertyError } from './rules.ts'

export type ObjectKind = 'contacts' | 'deals'

interface Property {
  readonly type: 'text' | 'email' | 'number' | 'time' | 'owner' | 'pipeline' | 'stage'
  readonly isReadOnly?: boolean
  readonly isUnique?: boolean
}

interface ObjectType {
  readonly id: string
  readonly singular: string
  readonly modified: string
  /** Shown where no properties are asked for. */
  readonly defaults: readonly string[]
  /** Shown whatever is asked for. */
  readonly always: readonly string[]
  readonly properties: Readonly<Record<string, Property>>
}

const TEXT: Property = { type: 'text' }
const KEPT: Property = { type: 'time', isReadOnly: true }

const COMMON: Readonly<Record<string, Property>> = {
  hs_object_id: { type: 'number', isReadOnly: true },
  createdate: { type: 'time' },
  hubspot_owner_id: { type: 'owner' },
  /** Of this account, with unique values. */
  external_key: { type: 'text', isUnique: true },
}

const CONTACT_TEXTS = ['firstname', 'lastname', 'phone', 'mobilephone', 'company', 'jobtitle', 'website', 'city']

export const OBJECTS: Readonly<Record<ObjectKind, ObjectType>> = {
  contacts: {
    id: '0-1',
    singular: 'contact',
    modified: 'lastmodifieddate',
    defaults: ['createdate', 'email', 'firstname', 'hs_object_id', 'lastmodifieddate', 'lastname'],
    always: ['createdate', 'hs_object_id', 'lastmodifieddate'],
    properties: {
      ...COMMON,
      ...Object.fromEntries(CONTACT_TEXTS.map((name) => [name, TEXT])),
      email: { type: 'email', isUnique: true },
      lastmodifieddate: KEPT,
      hs_full_name_or_email: { type: 'text', isReadOnly: true },
    },
  },
  deals: {
    id: '0-3',
    singular: 'deal',
    modified: 'hs_lastmodifieddate',
    defaults: [
      ...['amount', 'closedate', 'createdate', 'dealname', 'dealstage', 'hs_lastmodifieddate', 'hs_object_id'],
      'pipeline',
    ],
    always: ['createdate', 'hs_lastmodifieddate', 'hs_object_id'],
    properties: {
      ...COMMON,
      dealname: TEXT,
      description: TEXT,
      dealtype: TEXT,
      amount: { type: 'number' },
      closedate: { type: 'time' },
      pipeline: { type: 'pipeline' },
      dealstage: { type: 'stage' },
      hs_lastmodifieddate: KEPT,
    },
  },
}

/** As the account lists them. */
export function shownProperties(kind: ObjectKind): Row[] {
  return Object.entries(OBJECTS[kind].properties).map(([name, { type, isReadOnly = false, isUnique = false }]) => ({
    name,
    label: name,
    type: type === 'number' ? 'number' : type === 'time' ? 'datetime' : 'string',
    calculated: false,
    hasUniqueValue: isUnique,
    modificationMetadata: { archivable: true, readOnlyDefinition: isReadOnly, readOnlyValue: isReadOnly },
  }))
}

/** What an account knows beside its objects. */
export interface Account {
  hasOwner(id: string): boolean
  /** The stages of a pipeline. */
  stages(pipeline: string): readonly string[] | undefined
}

export type Properties = Readonly<Record<string, string>>

export function findKind(nameOrId: string): ObjectKind | undefined {
  const kinds = Object.keys(OBJECTS) as ObjectKind[]
  return kinds.find((kind) => [kind, OBJECTS[kind].singular, OBJECTS[kind].id].includes(nameOrId.toLowerCase()))
}

/** The values as they are stored, all of them text; every wrong one is named. */
export function readProperties(
  kind: ObjectKind,
  written: Readonly<Record<string, unknown>>,
  account: Account,
  before: Properties,
): Properties {
  const errors: PropertyError[] = []
  const pipeline = String(written.pipeline ?? before.pipeline ?? 'default')
  const read = Object.entries(written).map(([name, value]) => {
    const property = OBJECTS[kind].properties[name]
    const wrong = (error: PropertyError['error'], message: string) => {
      errors.push({ name, error, message })
      return [name, ''] as const
    }
    if (!property) return wrong('PROPERTY_DOESNT_EXIST', `Property "${name}" does not exist`)
    if (property.isReadOnly)
      return wrong('READ_ONLY_VALUE', `"${name}" is a calculated property; its value cannot be set.`)
    const text = String(value)
    if (text === '') return [name, ''] as const
    const [stored, complaint] = READ[property.type](text, account, pipeline)
    return stored === undefined ? wrong(complaint, `${text} ${SAID[complaint]}`) : ([name, stored] as const)
  })
  return errors.length > 0 ? invalidProperties(errors) : Object.fromEntries(read)
}

type Complaint = 'INVALID_EMAIL' | 'INVALID_OPTION' | 'INVALID_LONG'
type Reading = readonly [stored: string] | readonly [stored: undefined, complaint: Complaint]

const SAID: Readonly<Record<Complaint, string>> = {
  INVALID_EMAIL: 'is not an email address',
  INVALID_OPTION: 'was not one of the allowed options',
  INVALID_LONG: 'was not a valid long.',
}

const READ: Readonly<Record<Property['type'], (text: string, account: Account, pipeline: string) => Reading>> = {
  text: (text) => [text],
  email: (text) => (/^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$/.test(text) ? [text.toLowerCase()] : [undefined, 'INVALID_EMAIL']),
  number: (text) => (Number.isFinite(Number(text)) ? [text] : [undefined, 'INVALID_LONG']),
  time: (text) => {
    const ms = timeOf(text)
    return Number.isNaN(ms) ? [undefined, 'INVALID_LONG'] : [new Date(ms).toISOString()]
  },
  owner: (text, account) => (account.hasOwner(text) ? [text] : [undefined, 'INVALID_OPTION']),
  pipeline: (text, account) => (account.stages(text) ? [text] : [undefined, 'INVALID_OPTION']),
  stage: (text, account, pipeline) =>
    account.stages(pipeline)?.includes(text) ? [text] : [undefined, 'INVALID_OPTION'],
}

/** Times are written as RFC 3339 or as milliseconds. */
export function timeOf(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Date.parse(text)
}
