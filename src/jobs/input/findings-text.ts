import { inputName } from './input-error.ts'
import type { ColumnUse, Finding, FindingGroup, Findings, Verdict } from './row.ts'

/** For programs; people are shown fewer. */
const SAMPLES = 50

/** Causes have a code and a column, and who makes the input names the columns. */
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

/** So many causes are shown; more are counted. */
const MOST_CAUSES = 10
/** More of one cause would be more of the same. */
const MOST_PLACES = 3

/** Causes, how often each was met, and its first places; for people, as lines. */
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

function sampleText(name: string, { line, offset, value, message }: Finding): string {
  const shown = value === undefined ? '' : `${JSON.stringify(value)}: `
  return `${inputName(name)}, line ${line}, byte ${offset}: ${shown}${message}`
}

/** How an input is read, in two or three lines for people; every word of the first is a flag's to change. */
export function verdictLines(name: string, verdict: Verdict): readonly string[] {
  const { format, encoding, hasBom, delimiter, quote, lineEnd, columns } = verdict
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
  readonly code: Finding['code']
  readonly column: string | undefined
  count: number
  readonly samples: Finding[]
}

export function createFindings(): Findings {
  const groups = new Map<string, Group>()
  let count = 0
  return {
    get count() {
      return count
    },
    add(finding) {
      count++
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
    },
    groups: (): readonly FindingGroup[] => [...groups.values()].toSorted((one, other) => other.count - one.count),
  }
}

/** Also a copy: a slice of the input would keep the whole window that it came from. */
function shorten(value: string | undefined): string | undefined {
  if (value === undefined || value.length <= LONGEST_VALUE) return value
  return `${Buffer.from(value.slice(0, LONGEST_VALUE - 1)).toString()}…`
}
