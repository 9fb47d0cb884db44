import { createFindingsFile } from './findings-file.ts'
import { inputName } from './input-file.ts'
import type { ColumnUse, FindingGroup, Findings, FormatSummary, RowFinding } from './row.ts'

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
}

/** The number of causes shown; the rest are counted. */
const MOST_CAUSES = 10
/** The number of places shown for a cause. */
const MOST_PLACES = 3

/** Lines for people: each cause, its count and its first places. */
export function findingLines(name: string, findings: Findings): readonly string[] {
  const groups = findings.groups()
  const shown = groups.slice(0, MOST_CAUSES)
  const hidden = groups.slice(MOST_CAUSES).reduce((sum, { count }) => sum + count, 0)
  return [
    ...shown.flatMap((group) => groupLines(name, group)),
    ...(hidden === 0 ? [] : [`… and ${hidden} more of ${groups.length - shown.length} other causes`]),
  ]
}

function groupLines(name: string, { code, column, count, samples }: FindingGroup): readonly string[] {
  const what = code.replaceAll('_', ' ')
  const head = `${count} × ${what}${column === undefined ? '' : ` in ${JSON.stringify(column)}`}`
  return [head, ...samples.slice(0, MOST_PLACES).map((finding) => `  ${sampleText(name, finding)}`)]
}

function sampleText(name: string, { line, offset, value, message }: RowFinding): string {
  const shown = value === undefined ? '' : `${JSON.stringify(value)}: `
  return `${inputName(name)}, line ${line}, byte ${offset}: ${shown}${message}`
}

/** Lines for people: how an input is read. Flags can change each part of the first line. */
export function summaryLines(name: string, summary: FormatSummary): readonly string[] {
  const { format, encoding, hasBom, delimiter, quote, lineEnd, columns } = summary
  const form = [
    format,
    `${NAMES[encoding]}${hasBom ? ' with a byte order mark' : ''}`,
    ...(delimiter === undefined ? [] : [`delimiter ${NAMES[delimiter] ?? delimiter}`]),
    ...(format !== 'csv' || quote === '"' ? [] : [quote === undefined ? 'no quotes' : `quote ${quote}`]),
    ...(lineEnd === undefined ? [] : [`lines end in ${NAMES[lineEnd]}`]),
  ]
  const taken = columns.filter(({ field }) => field !== undefined)
  const left = columns.filter(({ name: column, field }) => field === undefined && column !== '')
  return [
    `${inputName(name)}: ${form.join(', ')}`,
    `Columns: ${taken.map(useText).join(', ') || 'none'}`,
    ...(left.length === 0 ? [] : [`Left out: ${left.map((column) => column.name).join(', ')}`]),
  ]
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

export function createFindings(path?: string): Findings {
  const groups = new Map<string, Group>()
  const file = path === undefined ? undefined : createFindingsFile(path)
  let count = 0
  return {
    get count() {
      return count
    },
    add(finding) {
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
