import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import {
  type Column,
  type ColumnResolver,
  createColumnResolver,
  FAILED_MEMBER,
  parseMap,
  type UnknownColumn,
} from './columns.ts'
import { withConversions } from './convert/converters.ts'
import type { DecodedText, OpenInput, ReadValue } from './cut-records.ts'
import { inputName } from './input-file.ts'
import { readJsonRows } from './read-json.ts'
import { type ColumnUse, type InputFormat, type InputRow, NO_LINE, type RowOptions } from './row.ts'
import { addFinding, convertMember, createDraft, placeValue, type RowDraft, shownValue } from './row-draft.ts'

type MembersFormat = Exclude<InputFormat, 'csv' | 'tsv' | 'xlsx'>

/** The input chooses the names, so the number that is kept needs a bound. */
const MOST_NAMES = 10_000

const NO_LINES = { delimiter: undefined, quote: undefined, lineEnd: undefined, head: undefined }

/** jsonl, json and yaml: every record has member names of its own. */
export async function openMembers(options: RowOptions, input: DecodedText, format: MembersFormat): Promise<OpenInput> {
  refuseCellFlags(options, format)
  const mappings = await withConversions(parseMap(options.map), options)
  const used = new Set<string>()
  const rules = {
    resolve: remember(createColumnResolver(options.kind, mappings, options.server), used),
    hasGiven: options.compute.length > 0,
    isTrimmed: options.isTrimmed,
  }
  const columns = await firstColumns(readValues(input, format), rules.resolve)
  const { encoding, hasBom } = options.text
  return {
    summary: { ...NO_LINES, format, encoding, hasBom, columns },
    areCells: false,
    async *drafts() {
      let count = 0
      for await (const values of readValues(input, format)) {
        count += values.length
        yield values.map((value) => draftOf(value, rules))
      }
      const absent = [...mappings.keys()].filter((name) => !used.has(name))
      if (count > 0 && absent.length > 0) throw absentError(options.name, absent)
    },
  }
}

async function* readValues(input: DecodedText, format: MembersFormat): AsyncGenerator<readonly ReadValue[]> {
  if (format !== 'yaml') return yield* readJsonRows(input, format)
  const { readYaml } = await import('./read-yaml.ts')
  yield* readYaml(input)
}

function draftOf(read: ReadValue, rules: MemberRules): RowDraft {
  if ('value' in read) return membersToRow(read.value, read, rules)
  const draft = createDraft(read, false)
  if ('repeated' in read) {
    const message = `the record has ${JSON.stringify(read.repeated)} twice; keep one of them`
    addFinding(draft, { column: read.repeated, value: undefined, code: 'duplicate_field', message })
  } else {
    addFinding(draft, { column: undefined, value: undefined, code: 'not_json', message: `not JSON: ${read.fault}` })
  }
  return draft
}

function remember(resolve: ColumnResolver, used: Set<string>): ColumnResolver {
  const known = new Map<string, ReturnType<ColumnResolver>>()
  return (name) => {
    const column = known.get(name) ?? resolve(name)
    if (known.size < MOST_NAMES) known.set(name, column)
    used.add(name)
    return column
  }
}

/** The members of the first batch of records; later records may have more. */
async function firstColumns(
  batches: AsyncIterable<readonly ReadValue[]>,
  resolve: ColumnResolver,
): Promise<readonly ColumnUse[]> {
  const uses = new Map<string, ColumnUse>()
  for await (const values of batches) {
    for (const read of values) {
      if (!('value' in read) || !isJsonObject(read.value)) continue
      for (const name of Object.keys(read.value)) uses.set(name, useOf(name, resolve))
    }
    break
  }
  return [...uses.values()]
}

function useOf(name: string, resolve: ColumnResolver): ColumnUse {
  const column = resolve(name)
  return { name, field: 'suggestion' in column || column.role === 'ignored' ? undefined : column.field }
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

function absentError(name: string, absent: readonly string[]): CrmError {
  const names = absent.map((each) => JSON.stringify(each)).join(', ')
  return new CrmError('usage', `--map names ${names}, which no record of ${inputName(name)} has`, {
    hint: 'compare it with the member names of the input',
  })
}

interface MemberRules {
  readonly resolve: ColumnResolver
  readonly hasGiven: boolean
  readonly isTrimmed: boolean
}

/** The row of a JSON or YAML record: values keep their types, and null clears a field. */
function membersToRow(
  value: JsonValue,
  place: Pick<InputRow, 'line' | 'offset' | 'length' | 'position'>,
  rules: MemberRules,
): RowDraft {
  const draft = createDraft(place, false)
  if (!isJsonObject(value)) {
    addFinding(draft, {
      column: undefined,
      value: shownValue(value),
      code: 'wrong_type',
      message: 'expected an object',
    })
    return draft
  }
  const converted: JsonObject = {}
  for (const name of Object.keys(value)) {
    const column = rules.resolve(name)
    const given = value[name] ?? null
    const member = rules.isTrimmed && typeof given === 'string' ? given.trim() : given
    if (name === FAILED_MEMBER) draft.row.earlierLine = lineIn(member)
    const made = placeMember(draft, column, { name, member })
    if (made !== undefined) converted[name] = made
  }
  return rules.hasGiven ? { ...draft, given: { ...value, ...converted } } : draft
}

function lineIn(failure: JsonValue): number {
  return isJsonObject(failure) && typeof failure.line === 'number' ? failure.line : NO_LINE
}

/** Returns what a conversion made of the value, which expressions read in its place. */
function placeMember(
  draft: RowDraft,
  column: Column | UnknownColumn,
  { name, member }: { readonly name: string; readonly member: JsonValue },
): JsonValue | undefined {
  if ('suggestion' in column) {
    addUnknown(draft, column, member)
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

function isAlreadySet({ row }: RowDraft, { role, field }: Column): boolean {
  if (role === 'id') return row.id !== undefined
  return role === 'parent' ? row.parent !== undefined : role === 'field' && Object.hasOwn(row.fields, field)
}

function addUnknown(draft: RowDraft, { name, suggestion }: UnknownColumn, value: JsonValue): void {
  const message = `did you mean ${suggestion}? --map ${name}=${suggestion}, ${name}=${name} to keep it, ${name}= to leave it out`
  addFinding(draft, { column: name, value: shownValue(value), code: 'unknown_column', message })
}
