import type { Finding, FindingGroup, Findings } from './row.ts'

/** For programs; people are shown fewer. */
const SAMPLES = 50
/** Causes have a code and a column, and who makes the input names the columns. */
const MOST_GROUPS = 1_000
const LONGEST_VALUE = 60

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
