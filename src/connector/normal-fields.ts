import type { FieldType } from '../core/resources/field.ts'
import { fieldOf, type Resource } from '../core/resources/registry.ts'
import type { Clear, FieldDocument, ValueType } from './document.ts'
import type { WrittenField } from './format.ts'

const TYPES: Readonly<Record<FieldType, ValueType>> = {
  id: 'id',
  reference: 'id',
  text: 'string',
  texts: 'any',
  number: 'number',
  integer: 'integer',
  time: 'time',
}

/** The type of a field without one: that of the registry, and of other fields whatever the server sends. */
export function defaultType(resource: Resource | undefined, field: string): ValueType {
  const known = resource && fieldOf(resource, field)
  return known ? TYPES[known.type] : 'any'
}

interface FieldsAround {
  readonly resource: Resource
  readonly clear: Clear
  readonly isOpen: boolean
  /** What an object of this noun is. */
  readonly referred: (noun: string) => Resource | undefined
}

export function normalFields(
  fields: Readonly<Record<string, string | WrittenField>>,
  around: FieldsAround,
): Readonly<Record<string, FieldDocument>> {
  const entries = Object.entries(fields).map(([name, field]) => {
    const written = typeof field === 'string' ? { at: field } : field
    const made = normalField(written, { ...around, type: defaultType(around.resource, name) })
    return [name, around.isOpen && isOwnValue(name, made) ? { ...made, type: 'any' as const } : made] as const
  })
  return Object.fromEntries(entries)
}

function normalField(field: WrittenField, usual: FieldsAround & { readonly type: ValueType }): FieldDocument {
  const type = field.many ? 'any' : field.join ? 'string' : (field.type ?? (field.map ? 'any' : usual.type))
  return {
    ...placesOf(field),
    isJoined: field.join !== undefined,
    isLoneLast: field.lone === 'last',
    emptyPart: field.empty,
    new: field.new ?? {},
    set: field.set ?? {},
    map: field.map,
    isOne: field.one ?? false,
    type,
    as: field.as,
    ref: field.ref === undefined ? undefined : usual.referred(field.ref),
    within: field.within ?? {},
    isRequired: field.required ?? false,
    max: listed(field.max),
    when: field.when ?? 'always',
    isCaseFolded: field.fold === 'case',
    clear: field.clear === undefined ? usual.clear : field.clear,
  }
}

/** Whether the field is the member of the same name, and at most its type is converted. */
export function isOwnValue(name: string, field: FieldDocument): boolean {
  const { read, write, map, ref, as, max, isJoined, isOne, isCaseFolded, clear } = field
  const isHere = read.length === 1 && [...read, ...write].every((path) => path === name)
  const isKept = !(map ?? ref ?? as) && !isJoined && !isOne && max.length === 0 && !isCaseFolded && clear === null
  return isHere && isKept && Object.keys({ ...field.set, ...field.new }).length === 0
}

function placesOf({ at, join, read, write }: WrittenField): Pick<FieldDocument, 'read' | 'write'> {
  const both = at ?? join
  return { read: listed(read ?? both), write: listed(write ?? both) }
}

function listed<Value extends string | number>(value: Value | readonly Value[] | undefined): readonly Value[] {
  if (value === undefined) return []
  return typeof value === 'object' ? value : [value]
}
