import type { CrmRecord } from '../../core/resources/registry.ts'

/** A member with more values than this is one of names, and keeping them would cost more than it saves. */
const MOST_VALUES = 4_000

/**
 * Makes equal texts of rows one text: a company or an owner of a hundred thousand rows is otherwise kept as often, and so is
 * the time of a record that was not changed since it was created.
 */
export function createTextSharing(): (rows: readonly CrmRecord[]) => void {
  const known = new Map<string, Map<string, string>>()
  const withNames = new Set<string>()

  function shared(member: string, value: string): string {
    if (withNames.has(member)) return value
    const values = known.get(member) ?? new Map<string, string>()
    known.set(member, values)
    const before = values.get(value)
    if (before !== undefined) return before
    values.set(value, value)
    if (values.size > MOST_VALUES) {
      withNames.add(member)
      known.delete(member)
    }
    return value
  }

  function shareIn(row: CrmRecord): void {
    let previous = ''
    for (const member in row) {
      const value = row[member]
      if (typeof value !== 'string') continue
      if (value !== previous) previous = shared(member, value)
      row[member] = previous
    }
  }

  return (rows) => rows.forEach(shareIn)
}
