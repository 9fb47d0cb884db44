import type { Row } from '../emulator.ts'
import type { ObjectType } from './objects.ts'
import { invalid, invalidProperties, type PropertyError, takeBody, timeText } from './rules.ts'

export interface Value {
  readonly value: string
  readonly label: string
}

export interface Property {
  readonly type: 'text' | 'email' | 'number' | 'time' | 'date' | 'bool' | 'options' | 'owner' | 'pipeline' | 'stage'
  readonly label?: string
  readonly options?: readonly Value[]
  /** Several options, with semicolons between them. */
  readonly isMany?: boolean
  /** An earlier option is ignored. */
  readonly goesForward?: boolean
  readonly isReadOnly?: boolean
  readonly isUnique?: boolean
  /** Made by the account. */
  readonly isOwn?: boolean
}

export const OWNER: Property = { type: 'owner', label: 'Owner' }
const BOOLEANS: readonly Value[] = [
  { value: 'true', label: 'True' },
  { value: 'false', label: 'False' },
]

const SHOWN_AS: Readonly<Record<Property['type'], readonly [type: string, fieldType: string]>> = {
  text: ['string', 'text'],
  email: ['string', 'text'],
  number: ['number', 'number'],
  time: ['datetime', 'date'],
  date: ['date', 'date'],
  bool: ['bool', 'booleancheckbox'],
  options: ['enumeration', 'select'],
  owner: ['enumeration', 'select'],
  pipeline: ['enumeration', 'select'],
  stage: ['enumeration', 'radio'],
}

/** As the account lists them. */
export function shownProperty(type: ObjectType, name: string, property: Property): Row {
  const { isReadOnly = false, isUnique = false, isOwn = false, isMany = false, options = [] } = property
  const [shownType, fieldType] = SHOWN_AS[property.type]
  const time = timeText(Date.UTC(2026, 0, 1))
  const isKeptElsewhere = ['owner', 'pipeline', 'stage'].includes(property.type)
  const values = property.type === 'bool' ? BOOLEANS : options
  return {
    updatedAt: time,
    createdAt: time,
    name,
    label: property.label ?? name,
    type: shownType,
    fieldType: isMany ? 'checkbox' : fieldType,
    description: '',
    groupName: `${type.singular}information`,
    options: values.map((one, displayOrder) => ({ ...one, description: '', displayOrder, hidden: false })),
    ...(property.type === 'owner' && { referencedObjectType: 'OWNER' }),
    displayOrder: -1,
    calculated: false,
    externalOptions: isKeptElsewhere,
    archived: false,
    hasUniqueValue: isUnique,
    hidden: false,
    hubspotDefined: !isOwn,
    modificationMetadata: { archivable: isOwn, readOnlyDefinition: !isOwn, readOnlyValue: isReadOnly },
    formField: false,
  }
}

const TEXT = { type: 'string' }

export const PROPERTY = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
    label: TEXT,
    type: { enum: ['string', 'number', 'date', 'datetime', 'enumeration', 'bool'] },
    fieldType: TEXT,
    hasUniqueValue: { type: 'boolean' },
    options: { type: 'array', items: { type: 'object', required: ['label', 'value'] } },
  },
  required: ['name', 'label'],
}

export interface WrittenProperty {
  readonly name: string
  readonly label: string
  readonly type?: 'string' | 'number' | 'date' | 'datetime' | 'enumeration' | 'bool'
  readonly fieldType?: string
  readonly hasUniqueValue?: boolean
  readonly options?: readonly Value[]
}

const KEPT_AS = {
  string: 'text',
  number: 'number',
  date: 'date',
  datetime: 'time',
  enumeration: 'options',
  bool: 'bool',
} as const

export function propertyOf({ label, type = 'string', fieldType, hasUniqueValue, options }: WrittenProperty): Property {
  return {
    type: KEPT_AS[type],
    label,
    isOwn: true,
    isMany: fieldType === 'checkbox',
    isUnique: hasUniqueValue === true,
    ...(options && { options: options.map(({ value, label: shown }) => ({ value, label: shown })) }),
  }
}

export function addProperty(type: ObjectType, call: Parameters<typeof takeBody>[0]): Row {
  const written = takeBody<WrittenProperty>(call, PROPERTY)
  const { name } = written
  if (type.properties[name]) return invalid(`A property named '${name}' already exists.`)
  const property = propertyOf(written)
  type.properties[name] = property
  return shownProperty(type, name, property)
}

/** What an account knows beside its objects. */
export interface Account {
  hasOwner(id: string): boolean
  /** The stages of a pipeline. */
  stages(type: ObjectType, pipeline: string): readonly string[] | undefined
}

export type Properties = Readonly<Record<string, string>>

/** The values as they are stored, all of them text; every wrong one is named. */
export function readProperties(
  type: ObjectType,
  written: Readonly<Record<string, unknown>>,
  account: Account,
  before: Properties,
): Properties {
  const errors: PropertyError[] = []
  const { property: kept = '', first } = type.pipelines ?? {}
  const pipeline = String(written[kept] ?? before[kept] ?? first)
  const stages = (name: string) => account.stages(type, name)
  const read = Object.entries(written).flatMap(([name, value]) => {
    const property = type.properties[name]
    const wrong = (error: PropertyError['error'], message: string) => {
      errors.push({ name, error, message })
      return []
    }
    if (!property) return wrong('PROPERTY_DOESNT_EXIST', `Property "${name}" does not exist`)
    if (property.isReadOnly)
      return wrong('READ_ONLY_VALUE', `"${name}" is a calculated property; its value cannot be set.`)
    const text = String(value)
    if (text === '') return [[name, '']]
    const options = optionsOf(property, account, stages, pipeline)
    const [error, said] = complaint(property, text, options) ?? []
    if (error !== undefined) return wrong(error, `${text} ${said}`)
    const isEarlier = property.goesForward && isBefore(property, text, before[name])
    return isEarlier ? [] : [[name, stored(property, text)]]
  })
  return errors.length > 0 ? invalidProperties(errors) : Object.fromEntries(read)
}

function isBefore({ options = [] }: Property, text: string, before: string | undefined): boolean {
  const at = (value: string | undefined) => options.findIndex((one) => one.value === value)
  return at(text) < at(before)
}

/** Whether a value is one of those that are allowed, where only some are; and which, where they are few. */
interface Allowed {
  has(value: string): boolean
  readonly listed?: readonly string[]
}

function optionsOf(
  { type, options = [] }: Property,
  account: Account,
  stages: (pipeline: string) => readonly string[] | undefined,
  pipeline: string,
): Allowed | undefined {
  if (type === 'owner') return { has: (id) => account.hasOwner(id) }
  if (type === 'pipeline') return { has: (id) => stages(id) !== undefined }
  const isChoice = type === 'options' || type === 'bool' || type === 'stage'
  if (!isChoice) return undefined
  const listed =
    type === 'stage' ? (stages(pipeline) ?? []) : (type === 'bool' ? BOOLEANS : options).map((one) => one.value)
  return { has: (value) => listed.includes(value), listed }
}

type Complaint = readonly [error: PropertyError['error'], said: string]

function complaint(property: Property, text: string, allowed: Allowed | undefined): Complaint | undefined {
  const { type, isMany } = property
  if (allowed) {
    const values = isMany ? text.split(';').filter(Boolean) : [text]
    if (values.every((value) => allowed.has(value))) return undefined
    const list = allowed.listed ? `: [${allowed.listed.join(', ')}]` : ''
    return ['INVALID_OPTION', `was not one of the allowed options${list}`]
  }
  if (type === 'email' && !/^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$/.test(text))
    return ['INVALID_EMAIL', 'is not an email address']
  if (type === 'number' && !(text === text.trim() && Number.isFinite(Number(text))))
    return ['INVALID_NUMBER', 'was not a valid number.']
  return type === 'time' || type === 'date' ? complaintOfTime(type, timeOf(text)) : undefined
}

function complaintOfTime(type: 'time' | 'date', ms: number): Complaint | undefined {
  if (Number.isNaN(ms)) return ['INVALID_LONG', 'was not a valid long.']
  if (type === 'time' || ms % DAY_MS === 0) return undefined
  return ['INVALID_DATE', `is at ${timeText(ms).slice(11, -1)} UTC, not midnight!`]
}

const DAY_MS = 86_400_000

function stored({ type }: Property, text: string): string {
  if (type === 'email') return text.toLowerCase()
  if (type === 'time') return timeText(timeOf(text))
  return type === 'date' ? timeText(timeOf(text)).slice(0, 10) : text
}

/** Times are written as RFC 3339 or as milliseconds. */
export function timeOf(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Date.parse(text)
}
