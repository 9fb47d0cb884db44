import type { CrmRecord } from '../core/resources/registry.ts'

export const SNAPSHOT_TYPES = ['contact', 'deal'] as const

export type SnapshotType = (typeof SNAPSHOT_TYPES)[number]

/** One line of a snapshot between its first and its last one. */
export interface SnapshotEntry {
  readonly type: SnapshotType
  readonly record: CrmRecord
}

/** The first line: what the file is. */
export interface SnapshotHead {
  readonly crm_snapshot: 1
  readonly server: string
  readonly taken_at: string
}

/** The last line, without which a snapshot was cut off. */
export interface SnapshotEnd {
  readonly type: 'end'
  readonly contacts: number
  readonly deals: number
}
