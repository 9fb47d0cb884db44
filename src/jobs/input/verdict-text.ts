import { inputName } from './input-error.ts'
import type { ColumnUse, Verdict } from './row.ts'

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
