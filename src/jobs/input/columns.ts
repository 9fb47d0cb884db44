import { nearest } from '../../core/nearest.ts'
import {
  FIELDS,
  fieldOf,
  type ImportableResource,
  isReadOnly,
  numericType,
  RESOURCES,
} from '../../core/resources/registry.ts'
import type { CellType, Mapping } from './parse-map.ts'

/** What a column of a failed-rows file is called: docs/imports.md. */
export const FAILED_PREFIX = '_crm_'

/** And its member in a file of JSON. */
export const FAILED_MEMBER = '_crm'

const LINE_COLUMN = '_crm_line'

/** A column, or a member of JSON, and what becomes of it. */
export interface Column {
  readonly name: string
  readonly role: Role
  /** `email`, `owner.name`; as the input has it where it is ignored. */
  readonly field: string
  /** The names on the way to the member. */
  readonly path: readonly string[]
  readonly type: CellType
  /** The API knows the field. */
  readonly isKnown: boolean
  /** `--map` names a type for it. */
  readonly isTyped: boolean
}

export interface UnknownColumn {
  readonly name: string
  /** What may have been meant. */
  readonly suggestion: string
}

export type ColumnResolver = (name: string) => Column | UnknownColumn

/** A dot reaches inside, as with `--set`, where names stand around it; `Dr.` and `No. 7` are names themselves. */
const DOTTED = /^[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}_][\p{L}\p{N}_-]*)+$/u

/**
 * `--map` first, then the fields by their names, in whatever case and with spaces or hyphens. A name that is nearly one of
 * them is refused; any other is kept as a member of that name, for records are open.
 */
export function createColumnResolver(kind: ImportableResource, mappings: ReadonlyMap<string, Mapping>): ColumnResolver {
  const fields = fieldsOf(kind)
  const byFolded = new Map(fields.map((field) => [foldName(field), field]))
  // A field whose values are ignored is never suggested: accepting it would drop the column.
  const suggested = fields.filter((field) => roleOf(kind, field) !== 'ignored').map(foldName)
  return (name) => {
    const mapping = mappings.get(name)
    if (mapping) return mappedColumn(kind, mapping)
    if (fields.includes(name) || roleOf(kind, name) !== 'field') return columnFor(kind, name, name)
    const field = byFolded.get(foldName(name))
    if (field !== undefined) return columnFor(kind, name, field)
    const suggestion = aliasOf(kind, name) ?? nearest(foldName(name), suggested)
    if (suggestion !== undefined) return { name, suggestion: byFolded.get(suggestion) ?? suggestion }
    return columnFor(kind, name, name)
  }
}

/** As `--map` says. */
export function mappedColumn(kind: ImportableResource, { column, field, type }: Mapping): Column {
  if (field === undefined) {
    return { name: column, role: 'ignored', field: column, path: [], type: 'text', isKnown: true, isTyped: false }
  }
  const plain = columnFor(kind, column, field)
  return type === undefined ? plain : { ...plain, type, isTyped: true }
}

export function columnFor(kind: ImportableResource, name: string, field: string): Column {
  return {
    name,
    role: roleOf(kind, field),
    field,
    path: DOTTED.test(field) ? field.split('.') : [field],
    type: numericType(kind, field) ?? 'text',
    isKnown: fieldsOf(kind).includes(field) || roleOf(kind, field) !== 'field',
    isTyped: false,
  }
}

/** Where the value of a column goes: a member of the record, its id, the deal of a note; nowhere. */
type Role = 'field' | 'id' | 'parent' | 'earlier_line' | 'ignored'

export function fieldsOf(kind: ImportableResource): readonly string[] {
  return FIELDS[kind]
}

function roleOf(kind: ImportableResource, field: string): Role {
  if (field === 'id') return 'id'
  if (kind === 'note' && field === 'deal_id') return 'parent'
  if (field === LINE_COLUMN) return 'earlier_line'
  if (field === FAILED_MEMBER || field.startsWith(FAILED_PREFIX)) return 'ignored'
  return isReadOnly(field) ? 'ignored' : 'field'
}

/** `E-Mail`, `owner ID`, `e_mail:`: one name to everybody but a program. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+|[.:]+$/g, '')
}

/** The field that this name may mean: it is suggested, and never used without asking. */
export function aliasOf(kind: ImportableResource, name: string): string | undefined {
  const folded = foldName(name)
  if (folded === foldName(`${RESOURCES[kind].singular}id`) || folded === 'recordid') return 'id'
  return fieldsOf(kind).find((field) => fieldOf(kind, field)?.aliases?.includes(folded))
}
