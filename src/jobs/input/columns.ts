import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import { foldName, nearest } from '../../core/nearest.ts'
import { parentNamed } from '../../core/resources/parents.ts'
import {
  FIELDS,
  fieldOf,
  type ImportableResource,
  isReadOnly,
  numericType,
  RESOURCES,
  type Resource,
} from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { COLUMN_TYPES, type ColumnType, typedHeader } from '../../output/record-output.ts'
import { type CellType, type Convert, type Converted, checkChoices, checkField } from './cell-values.ts'
import type { ColumnUse, ListEdit, ReferenceColumn, Relation, RowOptions, ServerMembers } from './row.ts'

/** The prefix of the columns that crm adds to a failed-rows file: docs/imports.md. */
export const FAILED_PREFIX = '_crm_'

/** The member that crm adds to a failed row of JSON. */
export const FAILED_MEMBER = '_crm'

const LINE_COLUMN = '_crm_line'

/** A column or JSON member of the input, and the field that it is written to. */
export interface Column {
  readonly name: string
  readonly role: Role
  /** `email`, `owner.name`; the name in the input if the column is ignored. */
  readonly field: string
  /** The member names from the record down. */
  readonly path: readonly string[]
  readonly type: CellType
  /** Whether the API documents the field. */
  readonly isKnown: boolean
  /** Whether `--map` names a type for it. */
  readonly isTyped: boolean
  /** From the text of a cell; undefined: by its type. */
  readonly convert?: Convert | undefined
  /** By what is known of the field. */
  readonly check?: ((value: JsonValue) => Converted) | undefined
  readonly reference?: ReferenceColumn['reference']
  readonly edit?: ReferenceColumn['edit']
  readonly label?: string
  readonly isJoined?: boolean
  readonly isLink?: boolean
  /** Of the role `parent`: what it has the ids of. */
  readonly parent?: Resource | undefined
}

export interface UnknownColumn {
  readonly name: string
  /** The field that was probably meant; undefined: the server has no such field, and none is near. */
  readonly suggestion: string | undefined
}

/** What is known of the members of records beside the fields of crm. */
type KnownMembers = Partial<Pick<RowOptions, 'server' | 'relations' | 'isNewAllowed'>>

export type ColumnResolver = (name: string) => Column | UnknownColumn

/** A dot between two names selects a nested member, as in `--set`; `Dr.` and `No. 7` are plain names. */
const DOTTED = /^[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}_][\p{L}\p{N}_-]*)+$/u

/**
 * `--map` comes first, then field names, ignoring case, spaces and hyphens. A name close to a field is refused; any other
 * name becomes a member of that name, because records are open. Members of a server may lack fields of crm.
 */
export function createColumnResolver(
  kind: ImportableResource,
  mappings: ReadonlyMap<string, Mapping>,
  { server, relations = [], isNewAllowed = false }: KnownMembers = {},
): ColumnResolver {
  const fields = fieldsOf(kind)
  const isOffered = (field: string) => roleOf(kind, field) !== 'field' || (server?.names.includes(field) ?? true)
  const offered = fields.filter(isOffered)
  const labels = offered.map((field) => [foldName(fieldOf(kind, field)?.label ?? field), field] as const)
  const byFolded = new Map([...labels, ...offered.map((field) => [foldName(field), field] as const)])
  // A field whose values are ignored is never suggested: accepting it would drop the column.
  const suggested = offered.filter((field) => roleOf(kind, field) !== 'ignored').map(foldName)
  const suggestionFor = (name: string) => {
    const alias = aliasOf(kind, name)
    const isAlias = alias !== undefined && isOffered(alias)
    const near = isAlias ? alias : (nearest(foldName(name), suggested) ?? meantRelation(name, relations))
    return twinIn(server, name) ?? near ?? (server?.isClosed ? nearest(name, server.names) : undefined)
  }
  const unknownColumn = (name: string): Column | UnknownColumn => {
    const suggestion = suggestionFor(name)
    if (suggestion !== undefined) return { name, suggestion: byFolded.get(suggestion) ?? suggestion }
    return server?.isClosed ? { name, suggestion } : columnFor(kind, name, name)
  }
  const columnOf = (name: string): Column | UnknownColumn => {
    const mapping = mappings.get(name)
    if (mapping) return mappedColumn(kind, { ...mapping, field: byLabel(mapping.field, server) }, relations)
    if (roleOf(kind, name) !== 'field') return columnFor(kind, name, name)
    const field = byFolded.get(foldName(name))
    const related = server?.names.includes(name) ? undefined : relatedColumn(kind, { name, field: name }, relations)
    const known = related ?? knownColumn(kind, name, server)
    if (known) return known
    // A sign is no part of a name: the column would be written whole.
    if (SIGNED.test(name)) return { name, suggestion: suggestionFor(name) }
    if (field !== undefined) return columnFor(kind, name, field)
    return isNewAllowed ? columnFor(kind, name, name) : unknownColumn(name)
  }
  return (name) => {
    const column = columnOf(name)
    if ('suggestion' in column) return column
    const { whole, members } = server?.ids ?? {}
    const isId = column.role === 'id' || column.role === 'parent' || members?.has(column.field)
    if (whole && isId && !column.reference)
      return { ...column, check: (value) => ({ value: typeof value === 'string' ? whole(value) : value }) }
    if (column.role !== 'field' || column.check) return column
    const choices = server?.choices?.(column.field)
    return choices ? { ...column, check: checkChoices(choices) } : column
  }
}

function byLabel(field: string | undefined, server: ServerMembers | undefined): string | undefined {
  const isName = field === undefined || server?.names.includes(field)
  return isName ? field : (server?.labelled?.(field) ?? field)
}

/** The column that one part of `--map` describes. */
export function mappedColumn(
  kind: ImportableResource,
  { column, field, type, convert }: Mapping,
  relations: readonly Relation[] = [],
): Column {
  if (field === undefined) return { ...ignoredColumn(column), convert }
  const related = relatedColumn(kind, { name: column, field }, relations)
  const plain = { ...(related ?? columnFor(kind, column, field)), convert }
  return type === undefined ? plain : { ...plain, type, isTyped: true }
}

/** The column of a header that may state its type, as `export --types` writes it: `score:number`. */
export function typedColumn(resolve: ColumnResolver, header: string): Column | UnknownColumn {
  const typed = typedHeader(header)
  if (!typed) return resolve(header)
  const column = resolve(typed.name)
  if ('suggestion' in column) {
    const { suggestion } = column
    return { name: header, suggestion: suggestion && `${suggestion}:${typed.type}` }
  }
  return { ...column, name: header, ...(column.role === 'field' && { type: typed.type, isTyped: true }) }
}

/** `company.domain`, `contacts+.email`, `deals[Decision maker]-`: a field, a label, the member that finds the records, and a sign. */
const NAMED = /^\s*([^.+[\]]+?)\s*(?:\[\s*(.+?)\s*\]\s*(?=[-+.]|$))?([+-])?\s*(?:\.\s*([\p{L}_][^+]*?)\s*)?([+-])?\s*$/u

const SIGNED = /[\p{L}\p{N}\])][+-]\s*$/u

const EDITS: Readonly<Record<string, ListEdit>> = { '+': 'add', '-': 'remove' }

/** For a name that says a relation wrongly: `compny.domain`, or a label where links have none. */
function meantRelation(name: string, relations: readonly Relation[]): string | undefined {
  const [, word = '', rest = ''] = /^([^.+[\]]+?)((?:\[.*)?[+-]?(?:\..+)?[+-]?)$/.exec(name) ?? []
  if (rest === '' || rest === '-') return undefined
  const words = relations.flatMap(({ names }) => names)
  const meant = words.find((each) => isTwin(each, word)) ?? nearest(foldName(word), words)
  const relation = relations.find(({ names }) => names.some((each) => each === meant))
  if (!relation) return undefined
  const [, sign = '', by = ''] = /^(?:\[[^\]]*\]?)?([+-]?)(.*)$/.exec(rest) ?? []
  return `${meant}${relation.isMany ? sign : ''}${relation.to === undefined ? '' : by}`
}

/** What is kept of a column that changes the values of records. */
export function editOf({ edit, label }: Pick<Column, 'edit' | 'label'>): Pick<ColumnUse, 'isEdit' | 'label'> {
  return { ...(edit && edit !== 'set' && { isEdit: true as const }), ...(label !== undefined && { label }) }
}

/** The relation that a name says, with the member that finds its records. */
function relationIn(named: string, relations: readonly Relation[]) {
  const [, word = '', label, sign, by, after] = NAMED.exec(named) ?? []
  const edit = EDITS[sign ?? after ?? '']
  const relation = relations.find(({ names }) => names.some((each) => isTwin(each, word)))
  if (relation?.isLink && relation.to === undefined && by !== undefined) throw notKnown(named, relation)
  if (!relation || (sign && after) || lacksOne({ by, edit, label }, relation)) return undefined
  const { to } = relation
  const member = by === undefined || to === undefined ? undefined : (FIELDS[to].find((each) => isTwin(each, by)) ?? by)
  return {
    relation,
    edit: edit ?? (relation.isLink ? 'set' : undefined),
    label,
    isPlain: by === undefined && edit === undefined,
    member: member === 'id' ? undefined : member,
  }
}

/** Its records cannot be looked up. */
function notKnown(named: string, { names }: Relation): CrmError {
  return new CrmError('invalid_input', `${named}: the fields of ${names.at(-1)} are not known yet`, {
    hint: 'crm objects reads them from the server; then run this command again',
  })
}

interface Said {
  readonly by: string | undefined
  readonly edit: ListEdit | undefined
  readonly label: string | undefined
}

/** Whether what a name says needs another kind of relation. */
function lacksOne({ by, edit, label }: Said, { to, isMany, isLink }: Relation): boolean {
  return (by !== undefined && to === undefined) || (edit !== undefined && !isMany) || (label !== undefined && !isLink)
}

/** The column of this name that says a relation; undefined if it says none, and for a field of the object itself. */
function relatedColumn(
  kind: ImportableResource,
  { name, field: named }: { readonly name: string; readonly field: string },
  relations: readonly Relation[],
): Column | undefined {
  const said = relationIn(named, relations)
  const isOwn = said?.isPlain && !(said.relation.isLink && isTwin(said.relation.field, named))
  if (!said || (isOwn && fieldsOf(kind).some((each) => isTwin(each, named)))) return undefined
  const { relation, edit, label, member } = said
  const { field, to, isJoined = false, isLink = false, isParent } = relation
  const reference = to !== undefined && member !== undefined && { reference: { to, by: member } }
  const plain = { ...columnFor(kind, name, field), ...(isLink && { isLink, isKnown: true, type: 'list' as const }) }
  const role = isParent && { role: 'parent' as const, parent: to }
  return { ...plain, ...role, ...reference, ...(edit && { edit, isJoined }), ...(label !== undefined && { label }) }
}

/** Undefined for a name that neither crm nor the server is known to have. */
function knownColumn(kind: ImportableResource, name: string, server?: ServerMembers): Column | undefined {
  // Some servers have it under such a name, as a member that they set.
  if (name.toLowerCase() === 'id') return columnFor(kind, name, 'id')
  if (server?.isReadOnly(name)) return ignoredColumn(name)
  if (server?.isNested(name)) return { ...columnFor(kind, name, name), type: 'nested' }
  const own = fieldsOf(kind)
  if (own.includes(name)) return columnFor(kind, name, name)
  if (server?.names.includes(name)) return serverColumn(kind, { name, field: name }, server)
  const labelled = server?.labelled?.(name)
  const isOwn = own.some((each) => foldName(each) === foldName(name))
  if (labelled === undefined || isOwn) return undefined
  if (server?.isReadOnly(labelled)) return aliasOf(kind, name) === 'id' ? undefined : ignoredColumn(name)
  return serverColumn(kind, { name, field: labelled }, server)
}

/** Of a member that crm does not know, the server may say the type. */
function serverColumn(
  kind: ImportableResource,
  { name, field }: { readonly name: string; readonly field: string },
  server: ServerMembers | undefined,
): Column {
  const column = columnFor(kind, name, field)
  const type = column.isKnown || server?.choices?.(field) ? undefined : server?.typeOf?.(field)
  return type === undefined ? column : { ...column, type, isTyped: true }
}

export function ignoredColumn(name: string): Column {
  return { name, role: 'ignored', field: name, path: [], type: 'text', isKnown: true, isTyped: false }
}

function columnFor(kind: ImportableResource, name: string, field: string): Column {
  return {
    name,
    role: roleOf(kind, field),
    parent: parentNamed(kind, field),
    field,
    path: DOTTED.test(field) ? field.split('.') : [field],
    type: typeOf(kind, field),
    check: checkField(kind, field),
    isKnown: fieldsOf(kind).includes(field) || roleOf(kind, field) !== 'field',
    isTyped: false,
  }
}

function typeOf(kind: ImportableResource, field: string): CellType {
  const type = fieldOf(kind, field)?.type
  return type === 'texts' ? 'list' : type === 'boolean' ? type : (numericType(kind, field) ?? 'text')
}

/** Where the value of a column goes: a member of the record, its id, what a note is on, or nowhere. */
type Role = 'field' | 'id' | 'parent' | 'earlier_line' | 'ignored'

export function fieldsOf(kind: ImportableResource): readonly string[] {
  return FIELDS[kind]
}

function roleOf(kind: ImportableResource, field: string): Role {
  if (field === 'id') return 'id'
  if (parentNamed(kind, field)) return 'parent'
  if (field === LINE_COLUMN) return 'earlier_line'
  if (field === FAILED_MEMBER || field.startsWith(FAILED_PREFIX)) return 'ignored'
  return isReadOnly(field) ? 'ignored' : 'field'
}

function twinIn(server: ServerMembers | undefined, name: string): string | undefined {
  return server?.names.find((each) => isTwin(each, name) && !server.isReadOnly(each))
}

/** Whether two names differ in their case, blanks, hyphens and underscores alone. */
export function isTwin(one: string, other: string): boolean {
  return foldName(one) === foldName(other) && foldName(one) !== ''
}

/** The field that this name may stand for; it is suggested, and used only if `--map` says so. */
export function aliasOf(kind: ImportableResource, name: string): string | undefined {
  const folded = foldName(name)
  if (folded === foldName(`${RESOURCES[kind].singular}id`) || folded === 'recordid') return 'id'
  return fieldsOf(kind).find((field) => fieldOf(kind, field)?.headings?.includes(folded))
}

/** One part of `--map`. */
export interface Mapping {
  /** The name of the column in the input. */
  readonly column: string
  /** Undefined drops the column. */
  readonly field: string | undefined
  /** Undefined: the documented type of the field, else text. */
  readonly type: ColumnType | undefined
  readonly conversion?: Conversion | undefined
  /** Of the conversion; set when its library is loaded. */
  readonly convert?: Convert | undefined
}

const CONVERSIONS = ['phone', 'email', 'date', 'number'] as const

/** `phone(CH)`: what a text is converted to before anything reads it, and how it is written. */
interface Conversion {
  readonly name: (typeof CONVERSIONS)[number]
  readonly argument: string | undefined
}

const EXPECTED =
  'expected --map COLUMN=FIELD, COLUMN=FIELD:number (or integer, boolean, json, text), FIELD:phone(CH), FIELD:email, FIELD:date(D.M.Y), FIELD:number(1.234,50), or COLUMN= to leave it out'

/** A column name with a comma is double-quoted: `--map '"Last, first"=name'`. */
const PART = /\s*(?:"((?:[^"]|"")*)"|([^",=][^,=]*))\s*=((?:\([^()]*\)|[^,])*)(?:,|$)/y

/** Parses `Email=email,Score=score:number,Fax=`; uses of the flag add up. */
export function parseMap(texts: readonly string[]): ReadonlyMap<string, Mapping> {
  const mappings = new Map<string, Mapping>()
  for (const text of texts) {
    PART.lastIndex = 0
    for (let at = 0; at < text.length; at = PART.lastIndex) {
      PART.lastIndex = at
      const mapping = readPart(PART.exec(text), text)
      if (mappings.has(mapping.column)) {
        throw new CrmError('usage', `--map names the column ${JSON.stringify(mapping.column)} twice`, {
          hint: EXPECTED,
        })
      }
      mappings.set(mapping.column, mapping)
    }
  }
  return mappings
}

const TARGET = /^(.*?)(?::(\w*)(?:\(([^()]*)\))?)?$/s

function readPart(match: RegExpExecArray | null, text: string): Mapping {
  if (!match) throw new CrmError('usage', `--map ${JSON.stringify(text)} is not COLUMN=FIELD`, { hint: EXPECTED })
  const [, quoted, plain = '', target = ''] = match
  const column = quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')
  const [, before = '', typed, argument] = TARGET.exec(target.trim()) ?? []
  const field = before === '' ? undefined : before
  const name = CONVERSIONS.find((each) => each === typed)
  if (name !== undefined && (name !== 'number' || argument !== undefined)) {
    return { column, field, type: undefined, conversion: { name, argument } }
  }
  const type = argument === undefined ? COLUMN_TYPES.find((each) => each === typed) : undefined
  if (typed === type) return { column, field, type }
  throw new CrmError('usage', `--map ${column}=${target}: ${JSON.stringify(typed)} is not a type`, { hint: EXPECTED })
}

/** A name with a comma, a quote or an equals sign is quoted in `--map`. */
export function mapName(name: string): string {
  return /[",=]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name
}

/** The flag that gives a column of the input a type. */
export function mapFlag(
  { name, field = name }: { readonly name: string; readonly field?: string | undefined },
  type: string,
) {
  return `--map ${shellWord(`${mapName(name)}=${field}:${type}`)}`
}
