import type { JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { jsonText, safeText } from '../../output/safe-text.ts'
import type { Edit } from '../list/list-state.ts'
import { recordName } from './change-text.ts'
import type { DiffLine } from './diff-line.ts'

const LONGEST = 60

/** The changes of all edits; equal ones are one line, the most frequent first. */
export function editDiff(edits: readonly Edit[]): readonly DiffLine[] {
  const groups = new Map<string, { line: DiffLine; count: number; first: CrmRecord }>()
  for (const { row, patch } of edits) {
    for (const [member, value] of Object.entries(patch)) {
      const before = row[member] ?? null
      const key = `${member}\n${JSON.stringify(before)}\n${JSON.stringify(value)}`
      const group = groups.get(key)
      if (group) group.count++
      else {
        const line = valueChange(member, before, value)
        groups.set(key, { line, count: 1, first: row })
      }
    }
  }
  return Array.from(groups.values(), ({ line, count, first }) =>
    count === 1 ? { ...line, label: `${recordName(first)}  ${line.label}` } : { ...line, count },
  ).toSorted((one, other) => other.count - one.count)
}

/** A line for each record that is deleted. */
export function deletionDiff(rows: readonly CrmRecord[]): readonly DiffLine[] {
  return rows.map((row) => ({ label: 'delete', old: recordName(row), new: undefined, count: 1 }))
}

/** A line for each record that is created. */
export function creationDiff(rows: readonly CrmRecord[]): readonly DiffLine[] {
  return rows.map((row) => ({ label: 'created', old: undefined, new: recordName(row), count: 1 }))
}

/** The change of one member of a record that is shown beside it. */
export function valueChange(member: string, before: JsonValue, after: JsonValue): DiffLine {
  return { label: safeText(member), old: valueText(before), new: valueText(after), count: 1 }
}

function valueText(value: JsonValue): string | undefined {
  if (value === null || value === '') return undefined
  const text = typeof value === 'string' ? value : jsonText(value)
  return safeText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
}
