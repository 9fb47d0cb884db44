import { CrmError } from '../../core/errors.ts'
import type { ImportableResource } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-word.ts'
import { type Column, createColumnResolver, fieldsOf, mappedColumn, type UnknownColumn } from './columns.ts'
import { inputError, inputName, type Place } from './input-error.ts'
import type { Mapping } from './parse-map.ts'

export interface Heads extends Place {
  readonly name: string
  readonly kind: ImportableResource
  readonly heads: readonly string[]
  readonly mappings: ReadonlyMap<string, Mapping>
}

/** The columns of a line of heads; CrmError `invalid_input` for the ones that have no one meaning, all of them together. */
export function planColumns(input: Heads): readonly Column[] {
  const { heads, kind, mappings } = input
  refuseAbsent(input)
  rejectDuplicateHeaders(input)
  const resolve = createColumnResolver(kind, mappings)
  const found = heads.map((head, at) => {
    const numbered = mappingAt(input, at)
    // Of two columns of one name, what is computed and reported has to tell them apart.
    if (numbered)
      return mappedColumn(kind, { ...numbered, column: head === '' ? numberOf(at) : `${head} (${numberOf(at)})` })
    return head === '' ? unnamed() : resolve(head)
  })
  const unknown = found.filter((column): column is UnknownColumn => 'suggestion' in column)
  if (unknown.length > 0) throw unknownError(input, unknown)
  const columns = found.filter((column): column is Column => !('suggestion' in column))
  rejectDuplicateFields(input, columns)
  refuseStrange(input, columns)
  return columns
}

/** `#3` is the third column, unless one is called that. */
function mappingAt({ heads, mappings }: Heads, at: number): Mapping | undefined {
  const number = numberOf(at)
  return heads.includes(number) ? undefined : mappings.get(number)
}

function numberOf(at: number): string {
  return `#${at + 1}`
}

function unnamed(): Column {
  return { name: '', role: 'ignored', field: '', path: [], type: 'text', isKnown: false, isTyped: false }
}

function rejectDuplicateHeaders(input: Heads): void {
  const { heads } = input
  const first = new Map<string, number>()
  for (const [at, name] of heads.entries()) {
    if (name === '' || mappingAt(input, at)) continue
    const twin = first.get(name)
    first.set(name, twin ?? at)
    if (twin === undefined) continue
    throw inputError({
      ...input,
      what: `the column ${JSON.stringify(name)} is there twice, as ${numberOf(twin)} and ${numberOf(at)}`,
      hint: `--map ${shellWord(`${numberOf(at)}=`)} leaves the second one out, ${shellWord(`${numberOf(at)}=FIELD`)} takes it for another field`,
    })
  }
}

function rejectDuplicateFields(input: Heads, columns: readonly Column[]): void {
  const first = new Map<string, number>()
  for (const [at, { field, role }] of columns.entries()) {
    if (role === 'ignored') continue
    const twin = first.get(field)
    first.set(field, twin ?? at)
    if (twin === undefined) continue
    const [one, other] = [JSON.stringify(input.heads[twin]), JSON.stringify(input.heads[at])]
    throw inputError({
      ...input,
      what: `a column for ${JSON.stringify(field)} is there twice: ${one}, which is ${numberOf(twin)}, and ${other}, which is ${numberOf(at)}`,
      hint: `--map ${shellWord(`${numberOf(at)}=`)} leaves the second one out, ${shellWord(`${numberOf(at)}=FIELD`)} takes it for another field`,
    })
  }
}

function refuseAbsent({ name, heads, mappings }: Heads): void {
  const isThere = (column: string) => heads.includes(column) || heads.some((_, at) => numberOf(at) === column)
  const absent = [...mappings.keys()].filter((column) => !isThere(column))
  if (absent.length === 0) return
  throw new CrmError('usage', `--map names ${quoted(absent)}, which ${inputName(name)} does not have`, {
    hint: `its columns are ${quoted(heads)}`,
  })
}

function unknownError({ name, line, offset }: Heads, unknown: readonly UnknownColumn[]): CrmError {
  const map = unknown.map((column) => `${mapName(column.name)}=${column.suggestion}`).join(',')
  const questions = unknown.map((column) => `did you mean ${JSON.stringify(column.suggestion)}?`)
  const names = unknown.map((column) => JSON.stringify(column.name))
  const many = names.map((each, at) => `${each} (${questions[at]})`).join(', ')
  return inputError({
    name,
    line,
    offset,
    what: unknown.length === 1 ? `unknown column ${names[0]}; ${questions[0]}` : `unknown columns: ${many}`,
    hint: `--map ${shellWord(map)} if so; COLUMN= leaves one out, COLUMN=COLUMN keeps its name`,
  })
}

/** Without any column that is known, this is hardly a line of heads. */
function refuseStrange({ name, line, offset, kind, heads, mappings }: Heads, columns: readonly Column[]): void {
  if (mappings.size > 0 || columns.some(({ isKnown }) => isKnown)) return
  throw inputError({
    name,
    line,
    offset,
    what: `none of the columns ${quoted(heads)} is a field of a ${kind}`,
    hint: `the first line names the columns, such as ${fieldsOf(kind).slice(1, 4).join(', ')}; other names take --map COLUMN=FIELD`,
  })
}

/** A name with a comma in it stands in quotes there. */
function mapName(name: string): string {
  return /[",=]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name))
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ')
}
