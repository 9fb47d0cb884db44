import type { CrmRecord } from '../core/resources/registry.ts'
import { type FieldPath, fieldName, memberAt } from './fields.ts'

/** Selects the members named by `--fields`. */
export interface Selection {
  /** The named members, in that order, under their dotted names; null for an absent one. */
  pick(record: CrmRecord): CrmRecord
  /** Fields that no record so far had. */
  absent(): readonly string[]
}

export function createSelection(fields: readonly FieldPath[]): Selection {
  const unseen = new Set(fields)
  return {
    pick(record) {
      for (const path of unseen) if (memberAt(record, path) !== undefined) unseen.delete(path)
      return Object.fromEntries(fields.map((path) => [fieldName(path), memberAt(record, path) ?? null]))
    },
    absent: () => [...unseen].map(fieldName),
  }
}
