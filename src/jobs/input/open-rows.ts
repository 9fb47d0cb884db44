import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, setAtPath } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { jsonText } from '../../output/safe-text.ts'
import { mapFlag, nestedIn } from './columns.ts'
import { compileComputes } from './compute.ts'
import type { DecodedText, InputSample, OpenInput } from './cut-records.ts'
import { createFindingsFile } from './findings-file.ts'
import { detectFormat, inputName, positionText, readHead } from './input-file.ts'
import { openDelimited } from './open-delimited.ts'
import { openMembers } from './open-members.ts'
import type {
  Changes,
  ColumnUse,
  FindingGroup,
  Findings,
  FormatSummary,
  InputFormat,
  InputRow,
  RowFinding,
  RowOptions,
  RowSource,
} from './row.ts'
import { checkRow, createBlanks, type RowDraft } from './row-draft.ts'
import { cellName, columnLetters } from './workbook/cell-names.ts'

const SAMPLE_BYTES = 64 * 1024

/** Detects the format of the input; CrmError for flags that do not fit it, and for unreadable input. */
export async function openRows(options: RowOptions): Promise<RowSource> {
  const { path, name, signal } = options
  const input = { path, name, signal }
  const sample = await readSample(input)
  const format = options.readSheet ? 'xlsx' : (options.format ?? detectFormat(name, sample.text))
  const opened = await openFormat(options, input, format, sample)
  const findings = createFindings(options.findingsPath, (finding) => inSheet(finding, opened.summary))
  const blanks = createBlanks()
  const compute = await compileComputes(options)
  const texts = new Set(opened.summary.columns.flatMap(({ field, isText }) => (isText ? (field ?? []) : [])))
  return {
    summary: opened.summary,
    findings,
    blanks,
    changes: (fields, existing) => {
      const changes = changesIn(fields, existing, opened.areCells)
      return { ...changes, retyped: changes.retyped.filter((name) => !texts.has(name)) }
    },
    async *rows(onRefused) {
      findings.clear()
      blanks.clear()
      for await (const drafts of opened.drafts(blanks.add)) {
        await compute.run(drafts)
        for (const draft of drafts) checkRow(draft, options)
        const rows = keepValid(drafts, findings, onRefused)
        const { offset, length } = drafts.at(-1)?.row ?? { offset: 0, length: 0 }
        options.onBytes?.(offset + length)
        if (rows.length > 0) yield rows
      }
      const slip = compute.slip(opened.summary.columns)
      if (slip) throw slip
    },
  }
}

function keepValid(
  drafts: readonly RowDraft[],
  findings: Findings,
  onRefused: Parameters<RowSource['rows']>[0],
): readonly InputRow[] {
  const rows: InputRow[] = []
  for (const draft of drafts) {
    for (const finding of draft.findings) findings.add(finding)
    if (draft.findings.length === 0) rows.push(draft.row)
    else onRefused?.({ ...draft.row, findings: draft.findings })
  }
  return rows
}

/** A finding in a sheet names its cell; the whole row is that of its first one. */
function inSheet(finding: RowFinding, { sheet, columns }: FormatSummary): RowFinding {
  if (sheet === undefined) return finding
  const named = columns.findIndex(({ name, field }) => name === finding.column || field === finding.column)
  // A cell beyond the headings.
  const at = finding.code === 'ragged_row' ? columns.length : named
  return { ...finding, cell: cellName(sheet, `${columnLetters(Math.max(0, at))}${finding.line}`) }
}

async function readSample({ path }: DecodedText): Promise<InputSample> {
  const bytes = await readHead(path, SAMPLE_BYTES)
  return { text: bytes.toString(), isWhole: bytes.length < SAMPLE_BYTES }
}

async function openFormat(
  options: RowOptions,
  input: DecodedText,
  format: InputFormat,
  sample: InputSample,
): Promise<OpenInput> {
  if (format === 'csv' || format === 'tsv' || format === 'xlsx') return openDelimited(options, input, format, sample)
  return openMembers(options, input, format)
}

/** Whether a cell equals the text that csv and tsv print for the value. */
export function isSameAsPrinted(cell: string, value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return cell === ''
  return cell === (typeof value === 'string' ? value : jsonText(value))
}

/** The members that a merge patch (RFC 7396) of these fields would change. `areCells`: texts are cells, not JSON strings. */
export function changesIn(fields: JsonObject, existing: CrmRecord, areCells: boolean): Changes {
  const changed: JsonObject = {}
  const retyped: string[] = []
  const visit = (cell: JsonValue, path: readonly string[], before: JsonValue | undefined): void => {
    const given = likeBefore(cell, before, areCells)
    if (isJsonObject(given) && (isJsonObject(before) || (areCells && Object.keys(given).length > 0))) {
      for (const [name, value] of Object.entries(given)) visitMember(value, [...path, name], own(before, name))
    } else if (!isSame(given, before, areCells)) {
      setAtPath(changed, path, given)
      if (areCells && typeof given === 'string' && isOtherType(before)) retyped.push(path.join('.'))
    }
  }
  /** A column `a.b` is a member of `a`, unless the record has a member named `a.b`. */
  const visitMember: typeof visit = (given, path, before) => {
    const whole = path.join('.')
    if (areCells && path.length > 1 && Object.hasOwn(existing, whole)) visit(given, [whole], existing[whole])
    else visit(given, path, before)
  }
  visit(fields, [], existing)
  return { fields: changed, retyped }
}

/** A cell that is the JSON of a list or an object where the record has one. */
function likeBefore(cell: JsonValue, before: JsonValue | undefined, areCells: boolean): JsonValue {
  const isList = Array.isArray(before)
  if (!areCells || typeof cell !== 'string' || !(isList || isJsonObject(before))) return cell
  const nested = nestedIn(cell)
  return nested && Array.isArray(nested) === isList ? nested : cell
}

function own(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function isOtherType(before: JsonValue | undefined): boolean {
  return before !== undefined && before !== null && typeof before !== 'string'
}

function isSame(given: JsonValue, before: JsonValue | undefined, areCells: boolean): boolean {
  if (given === null) return before === null || before === undefined
  if (areCells && typeof given === 'string') return isSameAsPrinted(given, before)
  return before !== undefined && canonicalJson(given) === canonicalJson(before)
}

/** Samples of a cause, for programs; people are shown fewer. */
const SAMPLES = 50

/** A cause is a code and a column, and the input chooses the names of the columns. */
const MOST_GROUPS = 1_000

const LONGEST_VALUE = 60

const NAMES: Readonly<Record<string, string>> = {
  '\t': 'tab',
  ' ': 'space',
  '\n': 'LF',
  '\r\n': 'CRLF',
  '\r': 'CR',
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Windows-1252',
  mixed: 'UTF-8 and Windows-1252',
}

/** The number of causes shown; the rest are counted. */
const MOST_CAUSES = 10
/** The number of places shown for a cause, and for all of them. */
const MOST_PLACES = 3
const MOST_ROWS = 20

/** Findings for people. */
export interface FindingText {
  /** Each cause, its count and its first places. */
  readonly lines: readonly string[]
  /** The same with the places alone: no value is quoted. */
  readonly causes: readonly string[]
  /** Findings whose places are not among the lines. */
  readonly hidden: number
}

export function findingText(name: string, findings: Findings): FindingText {
  const groups = findings.groups()
  const [shown, others] = [groups.slice(0, MOST_CAUSES), groups.slice(MOST_CAUSES)]
  const more = others.reduce((sum, { count }) => sum + count, 0)
  const last = more === 0 ? [] : [`… and ${more} more of ${others.length} other causes`]
  const lines: string[] = []
  const causes: string[] = []
  let room = MOST_ROWS
  for (const group of shown) {
    const places = group.samples.slice(0, Math.min(MOST_PLACES, room))
    room -= places.length
    const cause = causeText(group)
    lines.push(cause, ...places.map((finding) => `  ${sampleText(name, finding)}`))
    const named = [...places.map(placeText), ...(group.count > places.length ? ['…'] : [])]
    causes.push(`${cause}: ${named.join(', ')}`)
  }
  const hidden = findings.count - more - (MOST_ROWS - room)
  return { lines: [...lines, ...last], causes: [...causes, ...last], hidden }
}

function causeText({ code, column, count }: FindingGroup): string {
  return `${count} × ${code.replaceAll('_', ' ')}${column === undefined ? '' : ` in ${JSON.stringify(column)}`}`
}

function sampleText(name: string, finding: RowFinding): string {
  const { value, message } = finding
  const shown = value === undefined ? '' : `${JSON.stringify(value)}: `
  return `${inputName(name)}, ${placeText(finding)}: ${shown}${message}`
}

function placeText({ line, position, cell }: RowFinding): string {
  return cell ?? positionText(line, position)
}

/** Lines for people: how an input is read. Flags can change each part of the first line. */
export function summaryLines(name: string, summary: FormatSummary): readonly string[] {
  const { format, sheet, encoding, hasBom, delimiter, quote, lineEnd, columns } = summary
  const ofText = [
    `${NAMES[encoding] ?? encoding}${hasBom ? ' with a byte order mark' : ''}`,
    ...(delimiter === undefined ? [] : [`delimiter ${NAMES[delimiter] ?? delimiter}`]),
    ...(format !== 'csv' || quote === '"' ? [] : [quote === undefined ? 'no quotes' : `quote ${quote}`]),
    ...(lineEnd === undefined ? [] : [`lines end in ${NAMES[lineEnd]}`]),
  ]
  const form = [format, ...(sheet === undefined ? ofText : [`sheet ${JSON.stringify(sheet)}`])]
  const taken = columns.filter(({ field }) => field !== undefined)
  const left = columns.filter(({ name: column, field }) => field === undefined && column !== '')
  return [
    `${inputName(name)}: ${form.join(', ')}`,
    `Columns: ${taken.map(useText).join(', ') || 'none'}`,
    ...(left.length === 0 ? [] : [`Left out: ${left.map((column) => column.name).join(', ')}`]),
    ...numbersLine(taken),
  ]
}

/** Zip codes that a spreadsheet keeps as numbers have lost their leading zeros there. */
function numbersLine(taken: readonly ColumnUse[]): readonly string[] {
  const [first, ...others] = taken.filter(({ type }) => type === 'number')
  if (!first) return []
  const names = [first, ...others].map(({ name }) => name).join(', ')
  return [`Numbers: ${names}; ${mapFlag(first, 'text')} keeps their digits as a text`]
}

function useText({ name, field }: ColumnUse): string {
  return name === field ? name : `${name} → ${field}`
}

interface Group {
  readonly code: RowFinding['code']
  readonly column: string | undefined
  count: number
  readonly samples: RowFinding[]
}

export function createFindings(path?: string, complete = (finding: RowFinding): RowFinding => finding): Findings {
  const groups = new Map<string, Group>()
  const file = path === undefined ? undefined : createFindingsFile(path)
  let count = 0
  return {
    get count() {
      return count
    },
    add(given) {
      const finding = complete(given)
      count++
      file?.add(finding)
      const { code, column } = finding
      const key = `${code} ${groups.size < MOST_GROUPS || column === undefined ? column : ''}`
      const group = groups.get(key) ?? { code, column, count: 0, samples: [] }
      groups.set(key, group)
      group.count++
      if (group.samples.length < SAMPLES) group.samples.push({ ...finding, value: shorten(finding.value) })
    },
    clear() {
      groups.clear()
      count = 0
      file?.clear()
    },
    async *all() {
      yield* file?.all() ?? [...groups.values()].flatMap(({ samples }) => samples)
    },
    removeFile: () => file?.clear(),
    groups: (): readonly FindingGroup[] => [...groups.values()].toSorted((one, other) => other.count - one.count),
  }
}

/** Also copies: a slice of the input would keep its whole window in memory. */
function shorten(value: string | undefined): string | undefined {
  if (value === undefined || value.length <= LONGEST_VALUE) return value
  return `${Buffer.from(value.slice(0, LONGEST_VALUE - 1)).toString()}…`
}
