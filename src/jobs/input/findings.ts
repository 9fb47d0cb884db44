import { appendFileSync, existsSync, rmSync } from 'node:fs'
import { linesOf } from '../../files/lines.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { mapFlag } from './columns.ts'
import { inputName, positionText } from './input-file.ts'
import type { ColumnUse, FindingGroup, Findings, FormatSummary, RowFinding } from './row.ts'

/** Samples of a cause, for programs; people are shown fewer. */
const SAMPLES = 50

/** A cause is a code and a column, and the input chooses the names of the columns. */
const MOST_GROUPS = 1_000

const LONGEST_VALUE = 60

const FLUSH_CHARS = 64 * 1024

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

/** Findings as text. */
export interface FindingText {
  /** Each cause, its count and its first places. */
  readonly lines: readonly string[]
  /** The same without values. */
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

/** With a path, the file there has all findings: an input may have a million of them. */
export function createFindings(path?: string, complete = (finding: RowFinding): RowFinding => finding): Findings {
  const groups = new Map<string, FindingGroup & { count: number; readonly samples: RowFinding[] }>()
  let [count, unwritten] = [0, '']
  const write = () => {
    if (path === undefined || unwritten === '') return
    try {
      appendFileSync(path, unwritten, { mode: 0o600 })
    } catch (error) {
      throw toMachineError(error, path)
    }
    unwritten = ''
  }
  const removeFile = () => {
    unwritten = ''
    if (path !== undefined) rmSync(path, { force: true })
  }
  return {
    get count() {
      return count
    },
    add(given) {
      const finding = complete(given)
      count++
      if (path !== undefined) unwritten += `${JSON.stringify(finding)}\n`
      if (unwritten.length > FLUSH_CHARS) write()
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
      removeFile()
    },
    async *all() {
      write()
      if (path === undefined) yield* [...groups.values()].flatMap(({ samples }) => samples)
      else if (existsSync(path)) for await (const line of linesOf(path)) yield JSON.parse(line)
    },
    removeFile,
    groups: () => [...groups.values()].toSorted((one, other) => other.count - one.count),
  }
}

/** Also copies: a slice of the input would keep its whole window in memory. */
function shorten(value: string | undefined): string | undefined {
  if (value === undefined || value.length <= LONGEST_VALUE) return value
  return `${Buffer.from(value.slice(0, LONGEST_VALUE - 1)).toString()}…`
}
