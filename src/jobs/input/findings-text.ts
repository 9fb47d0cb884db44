import { inputName } from './input-error.ts'
import type { Finding, FindingGroup, Findings } from './row.ts'

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
