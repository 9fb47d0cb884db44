import { CrmError } from '../../core/errors.ts'
import { linkText } from '../../core/links.ts'
import type { ImportableResource } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import {
  type Column,
  createColumnResolver,
  FAILED_PREFIX,
  fieldsOf,
  ignoredColumn,
  type Mapping,
  mapName,
  mappedColumn,
  typedColumn,
  type UnknownColumn,
} from './columns.ts'
import { type InputPlace, inputError, inputName } from './input-file.ts'
import type { RowOptions } from './row.ts'

export interface HeaderRow extends InputPlace {
  readonly name: string
  readonly kind: ImportableResource
  readonly headers: readonly string[]
  /** Of a workbook. */
  readonly sheet?: string | undefined
  readonly mappings: ReadonlyMap<string, Mapping>
  readonly server?: RowOptions['server']
  readonly relations?: RowOptions['relations']
  readonly isNewAllowed?: RowOptions['isNewAllowed']
}

/** The columns of a header row; CrmError `invalid_input` for duplicate columns, and for unknown ones, all in one error. */
export function planColumns(input: HeaderRow): readonly Column[] {
  const { headers, kind, mappings, relations } = input
  rejectAbsentColumns(input)
  const numberOf = numbersOf(headers)
  // `#3` is the third column, unless a column has that name.
  const numbered = headers.map((_, at) => (headers.includes(numberOf(at)) ? undefined : mappings.get(numberOf(at))))
  const named = headers.map((name, at) => (name === '' || numbered[at] ? undefined : name))
  rejectTwice(input, named, (name, one, other) => `duplicate column ${name}: ${numberOf(one)} and ${numberOf(other)}`)
  const resolve = createColumnResolver(kind, mappings, input)
  const found = headers.map((header, at) => {
    const mapping = numbered[at]
    // The number tells two columns of the same name apart in --compute and in reports.
    const column = header === '' ? numberOf(at) : `${header} (${numberOf(at)})`
    if (mapping) return mappedColumn(kind, { ...mapping, column }, relations)
    if (header === '') return UNNAMED
    return mappings.has(header) ? resolve(header) : typedColumn(resolve, header)
  })
  const unknown = found.filter((column) => 'suggestion' in column)
  if (unknown.length > 0) throw unknownError(input, unknown)
  const columns = found.filter((column): column is Column => !('suggestion' in column))
  const isWhole = ({ role, edit, label }: Column) =>
    role !== 'ignored' && (edit === undefined || edit === 'set') && label === undefined
  const whole = new Set(columns.filter(isWhole).map(({ field }) => field))
  const fields = columns.map(({ field, role, edit, label }) => {
    if (role === 'ignored' || !edit || whole.has(field)) return role === 'ignored' ? undefined : field
    return `${linkText(field, label)}${EDIT_SIGNS[edit]}`
  })
  const shown = (at: number) => `${JSON.stringify(headers[at])} (${numberOf(at)})`
  rejectTwice(input, fields, (field, one, other) => `two columns for ${field}: ${shown(one)} and ${shown(other)}`)
  rejectUnknownHeaders(input, columns)
  return columns
}

/** In names such as `tags+`. */
export const EDIT_SIGNS = { add: '+', remove: '-', set: '' } as const

/** `#3` for the third column. The columns that crm adds to failed rows do not count, so that `--map` applies to both files. */
function numbersOf(headers: readonly string[]): (at: number) => string {
  const added = (to: number) => headers.slice(0, to).filter((name) => name.startsWith(FAILED_PREFIX)).length
  return (at) => {
    const name = headers[at] ?? ''
    return name.startsWith(FAILED_PREFIX) ? name : `#${at + 1 - added(at)}`
  }
}

const UNNAMED: Column = { ...ignoredColumn(''), isKnown: false }

function rejectTwice(
  input: HeaderRow,
  names: readonly (string | undefined)[],
  what: (name: string, one: number, other: number) => string,
): void {
  const numberOf = numbersOf(input.headers)
  const first = new Map<string, number>()
  for (const [at, name] of names.entries()) {
    if (name === undefined) continue
    const firstAt = first.get(name) ?? at
    first.set(name, firstAt)
    if (firstAt === at) continue
    const [drop, map] = [`${numberOf(at)}=`, `${numberOf(at)}=FIELD`].map(shellWord)
    const hint = `--map ${drop} drops the second one, ${map} maps it to another field`
    throw inputError({ ...input, what: what(JSON.stringify(name), firstAt, at), hint })
  }
}

function rejectAbsentColumns({ name, headers, mappings }: HeaderRow): void {
  const numberOf = numbersOf(headers)
  const exists = (column: string) => headers.includes(column) || headers.some((_, at) => numberOf(at) === column)
  const absent = [...mappings.keys()].filter((column) => !exists(column))
  if (absent.length === 0) return
  throw new CrmError('usage', `--map names ${quoted(absent)}, which ${inputName(name)} does not have`, {
    hint: `its columns are ${quoted(headers)}`,
  })
}

function unknownError(input: HeaderRow, unknown: readonly UnknownColumn[]): CrmError {
  const map = unknown.map((column) => `${mapName(column.name)}=${column.suggestion ?? ''}`).join(',')
  const questions = unknown.map(({ suggestion }) =>
    suggestion === undefined ? 'the server has no such field' : `did you mean ${JSON.stringify(suggestion)}?`,
  )
  const names = unknown.map((column) => JSON.stringify(column.name))
  const many = names.map((each, at) => `${each} (${questions[at]})`).join(', ')
  return inputError({
    ...input,
    what: unknown.length === 1 ? `unknown column ${names[0]}; ${questions[0]}` : `unknown columns: ${many}`,
    hint: `--map ${shellWord(map)}${unknown.some(({ suggestion }) => suggestion) ? ' if so' : ''}; COLUMN= leaves one out, COLUMN=COLUMN keeps its name`,
  })
}

/** A first line without any known column is probably not a header row. */
function rejectUnknownHeaders(input: HeaderRow, columns: readonly Column[]): void {
  const { kind, headers, mappings, server } = input
  const isKnown = (column: Column) => column.isKnown || server?.names.includes(column.field) === true
  if (mappings.size > 0 || columns.some(isKnown)) return
  throw inputError({
    ...input,
    what: `none of the columns ${quoted(headers)} is a field of a ${kind}`,
    hint: `the first line names the columns, such as ${fieldsOf(kind).slice(1, 4).join(', ')}; other names take --map COLUMN=FIELD`,
  })
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name))
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ')
}
