import { CrmError } from '../../core/errors.ts'
import type { ImportableResource } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import {
  type Column,
  createColumnResolver,
  fieldsOf,
  type Mapping,
  mappedColumn,
  typedColumn,
  type UnknownColumn,
} from './columns.ts'
import { type InputPlace, inputError, inputName } from './input-file.ts'
import type { ServerMembers } from './row.ts'

export interface HeaderRow extends InputPlace {
  readonly name: string
  readonly kind: ImportableResource
  readonly headers: readonly string[]
  /** Of a workbook. */
  readonly sheet?: string | undefined
  readonly mappings: ReadonlyMap<string, Mapping>
  readonly server?: ServerMembers | undefined
}

/** The columns of a header row; CrmError `invalid_input` for duplicate columns, and for unknown ones, all in one error. */
export function planColumns(input: HeaderRow): readonly Column[] {
  const { headers, kind, mappings, server } = input
  rejectAbsentColumns(input)
  rejectDuplicateHeaders(input)
  const resolve = createColumnResolver(kind, mappings, server)
  const found = headers.map((header, at) => {
    const numbered = mappingAt(input, at)
    // The number tells two columns of the same name apart in --compute and in reports.
    if (numbered)
      return mappedColumn(kind, { ...numbered, column: header === '' ? numberOf(at) : `${header} (${numberOf(at)})` })
    if (header === '') return unnamed()
    return mappings.has(header) ? resolve(header) : typedColumn(resolve, header)
  })
  const unknown = found.filter((column): column is UnknownColumn => 'suggestion' in column)
  if (unknown.length > 0) throw unknownError(input, unknown)
  const columns = found.filter((column): column is Column => !('suggestion' in column))
  rejectDuplicateFields(input, columns)
  rejectUnknownHeaders(input, columns)
  return columns
}

/** `#3` is the third column, unless a column has that name. */
function mappingAt({ headers, mappings }: HeaderRow, at: number): Mapping | undefined {
  const number = numberOf(at)
  return headers.includes(number) ? undefined : mappings.get(number)
}

function numberOf(at: number): string {
  return `#${at + 1}`
}

function unnamed(): Column {
  return { name: '', role: 'ignored', field: '', path: [], type: 'text', isKnown: false, isTyped: false }
}

function rejectDuplicateHeaders(input: HeaderRow): void {
  const { headers } = input
  const first = new Map<string, number>()
  for (const [at, name] of headers.entries()) {
    if (name === '' || mappingAt(input, at)) continue
    const firstAt = first.get(name)
    first.set(name, firstAt ?? at)
    if (firstAt === undefined) continue
    throw inputError({
      ...input,
      what: `duplicate column ${JSON.stringify(name)}: ${numberOf(firstAt)} and ${numberOf(at)}`,
      hint: `--map ${shellWord(`${numberOf(at)}=`)} drops the second one, ${shellWord(`${numberOf(at)}=FIELD`)} maps it to another field`,
    })
  }
}

function rejectDuplicateFields(input: HeaderRow, columns: readonly Column[]): void {
  const first = new Map<string, number>()
  for (const [at, { field, role }] of columns.entries()) {
    if (role === 'ignored') continue
    const firstAt = first.get(field)
    first.set(field, firstAt ?? at)
    if (firstAt === undefined) continue
    const [one, other] = [JSON.stringify(input.headers[firstAt]), JSON.stringify(input.headers[at])]
    throw inputError({
      ...input,
      what: `two columns for ${JSON.stringify(field)}: ${one} (${numberOf(firstAt)}) and ${other} (${numberOf(at)})`,
      hint: `--map ${shellWord(`${numberOf(at)}=`)} drops the second one, ${shellWord(`${numberOf(at)}=FIELD`)} maps it to another field`,
    })
  }
}

function rejectAbsentColumns({ name, headers, mappings }: HeaderRow): void {
  const exists = (column: string) => headers.includes(column) || headers.some((_, at) => numberOf(at) === column)
  const absent = [...mappings.keys()].filter((column) => !exists(column))
  if (absent.length === 0) return
  throw new CrmError('usage', `--map names ${quoted(absent)}, which ${inputName(name)} does not have`, {
    hint: `its columns are ${quoted(headers)}`,
  })
}

function unknownError(input: HeaderRow, unknown: readonly UnknownColumn[]): CrmError {
  const map = unknown.map((column) => `${mapName(column.name)}=${column.suggestion}`).join(',')
  const questions = unknown.map((column) => `did you mean ${JSON.stringify(column.suggestion)}?`)
  const names = unknown.map((column) => JSON.stringify(column.name))
  const many = names.map((each, at) => `${each} (${questions[at]})`).join(', ')
  return inputError({
    ...input,
    what: unknown.length === 1 ? `unknown column ${names[0]}; ${questions[0]}` : `unknown columns: ${many}`,
    hint: `--map ${shellWord(map)} if so; COLUMN= leaves one out, COLUMN=COLUMN keeps its name`,
  })
}

/** A first line without any known column is probably not a header row. */
function rejectUnknownHeaders(input: HeaderRow, columns: readonly Column[]): void {
  const { kind, headers, mappings } = input
  if (mappings.size > 0 || columns.some(({ isKnown }) => isKnown)) return
  throw inputError({
    ...input,
    what: `none of the columns ${quoted(headers)} is a field of a ${kind}`,
    hint: `the first line names the columns, such as ${fieldsOf(kind).slice(1, 4).join(', ')}; other names take --map COLUMN=FIELD`,
  })
}

/** A name with a comma, a quote or an equals sign is quoted in `--map`. */
export function mapName(name: string): string {
  return /[",=]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name))
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ')
}
