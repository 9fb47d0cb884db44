import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { shownValue } from './cell-values.ts'
import { type Column, type ColumnResolver, createColumnResolver, editOf, FAILED_MEMBER, parseMap } from './columns.ts'
import { withConversions } from './conversions.ts'
import type { DecodedText, ReadValue } from './cut-records.ts'
import { inputName } from './input-file.ts'
import { readJsonRows } from './read-json.ts'
import { type ColumnUse, type InputFormat, NO_LINE, type RowOptions } from './row.ts'
import { addFinding, convertMember, createDraft, type OpenInput, placeValue, type RowDraft } from './row-draft.ts'

type MembersFormat = Exclude<InputFormat, 'csv' | 'tsv' | 'xlsx'>

/** The input chooses the names, so the number that is kept needs a bound. */
const MOST_NAMES = 10_000

const NO_LINES = { delimiter: undefined, quote: undefined, lineEnd: undefined, head: undefined }

/** jsonl, json and yaml: every record has member names of its own. */
export async function openMembers(options: RowOptions, input: DecodedText, format: MembersFormat): Promise<OpenInput> {
  refuseCellFlags(options, format)
  const mappings = await withConversions(parseMap(options.map), options)
  const resolve = remember(createColumnResolver(options.kind, mappings, options))
  const { encoding, hasBom } = options.text
  const columns = await firstColumns(readValues(input, format), resolve.column)
  return {
    summary: { ...NO_LINES, format, encoding, hasBom, columns },
    areCells: false,
    async *drafts() {
      let count = 0
      for await (const values of readValues(input, format)) {
        count += values.length
        yield values.map((value) => draftOf(value, resolve.column, options))
      }
      const absent = [...mappings.keys()].filter((name) => !resolve.used.has(name))
      if (count === 0 || absent.length === 0) return
      const names = absent.map((each) => JSON.stringify(each)).join(', ')
      throw new CrmError('usage', `--map names ${names}, which no record of ${inputName(options.name)} has`, {
        hint: 'compare it with the member names of the input',
      })
    },
  }
}

async function* readValues(input: DecodedText, format: MembersFormat): AsyncGenerator<readonly ReadValue[]> {
  if (format !== 'yaml') return yield* readJsonRows(input, format)
  const { readYaml } = await import('./read-yaml.ts')
  yield* readYaml(input)
}

function remember(resolve: ColumnResolver) {
  const known = new Map<string, ReturnType<ColumnResolver>>()
  const used = new Set<string>()
  const column: ColumnResolver = (name) => {
    const found = known.get(name) ?? resolve(name)
    if (known.size < MOST_NAMES) known.set(name, found)
    used.add(name)
    return found
  }
  return { column, used }
}

/** The members of the first batch of records; later records may have more. */
async function firstColumns(
  batches: AsyncIterable<readonly ReadValue[]>,
  resolve: ColumnResolver,
): Promise<readonly ColumnUse[]> {
  for await (const values of batches) {
    const names = values.flatMap((read) => ('value' in read && isJsonObject(read.value) ? Object.keys(read.value) : []))
    return [...new Set(names)].map((name) => {
      const column = resolve(name)
      if ('suggestion' in column || column.role === 'ignored') return { name, field: undefined }
      return { name, field: column.field, ...editOf(column) }
    })
  }
  return []
}

function refuseCellFlags(
  { delimiter, quote, nullToken, isCsvSafe, isEmptyCleared, compute }: RowOptions,
  format: MembersFormat,
): void {
  const given = {
    '--delimiter': delimiter,
    '--quote': quote,
    // The result of --compute may be the null token.
    '--null': compute.length > 0 ? undefined : nullToken,
    '--from-csv-safe': isCsvSafe || undefined,
    '--clear-empty': isEmptyCleared || undefined,
  }
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
  if (flag === undefined) return
  throw new CrmError('usage', `${flag} applies to cells, and ${format} has none`, {
    hint: 'null clears a field in these formats; to read another format: --format csv',
  })
}

/** The row of a JSON or YAML record: values keep their types, and null clears a field. */
function draftOf(
  read: ReadValue,
  resolve: ColumnResolver,
  options: Pick<RowOptions, 'compute' | 'isTrimmed'>,
): RowDraft {
  const draft = createDraft(read, false)
  if ('repeated' in read) {
    const message = `the record has ${JSON.stringify(read.repeated)} twice; keep one of them`
    addFinding(draft, { column: read.repeated, value: undefined, code: 'duplicate_field', message })
  } else if ('fault' in read) {
    addFinding(draft, { column: undefined, value: undefined, code: 'not_json', message: `not JSON: ${read.fault}` })
  } else if (!isJsonObject(read.value)) {
    const value = shownValue(read.value)
    addFinding(draft, { column: undefined, value, code: 'wrong_type', message: 'expected an object' })
  } else return membersToRow(draft, read.value, resolve, options)
  return draft
}

function membersToRow(
  draft: RowDraft,
  record: JsonObject,
  resolve: ColumnResolver,
  { compute, isTrimmed }: Pick<RowOptions, 'compute' | 'isTrimmed'>,
): RowDraft {
  const converted: JsonObject = {}
  for (const name of Object.keys(record)) {
    const given = record[name] ?? null
    const member = isTrimmed && typeof given === 'string' ? given.trim() : given
    if (name === FAILED_MEMBER) draft.row.earlierLine = lineIn(member)
    const made = placeMember(draft, resolve(name), name, member)
    if (made !== undefined) converted[name] = made
  }
  return compute.length > 0 ? { ...draft, given: { ...record, ...converted } } : draft
}

/** Returns what a conversion made of the value, which expressions read in its place. */
function placeMember(
  draft: RowDraft,
  column: ReturnType<ColumnResolver>,
  name: string,
  member: JsonValue,
): JsonValue | undefined {
  if ('suggestion' in column) {
    const { suggestion } = column
    const is = suggestion === undefined ? 'the server has no such field:' : `did you mean ${suggestion}?`
    const to = suggestion === undefined ? '' : `${name}=${suggestion}, `
    const message = `${is} --map ${to}${name}=${name} to keep it, ${name}= to leave it out`
    addFinding(draft, { column: name, value: shownValue(member), code: 'unknown_column', message })
    return undefined
  }
  if (isAlreadySet(draft, column)) {
    const message = `the record has ${column.field} under two names; ${name} is one of them`
    addFinding(draft, { column: name, value: undefined, code: 'duplicate_field', message })
    return undefined
  }
  const made = convertMember(member, column)
  if (column.role !== 'ignored') placeValue(draft, column, made, member)
  return column.convert && 'value' in made ? made.value : undefined
}

function lineIn(failure: JsonValue): number {
  return isJsonObject(failure) && typeof failure.line === 'number' ? failure.line : NO_LINE
}

function isAlreadySet({ row }: RowDraft, { role, field, edit }: Column): boolean {
  if (role === 'id') return row.id !== undefined
  // placeValue names a second parent.
  return role === 'field' && edit === undefined && Object.hasOwn(row.fields, field)
}
