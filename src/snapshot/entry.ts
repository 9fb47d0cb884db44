import type { CrmRecord } from '../core/resources/registry.ts'

export const SNAPSHOT_TYPES = ['contact', 'deal'] as const

export type SnapshotType = (typeof SNAPSHOT_TYPES)[number]

/** A line of a snapshot between the first and the last one. */
export interface SnapshotEntry {
  readonly type: SnapshotType
  readonly record: CrmRecord
}

/** The first line. */
export interface SnapshotStart {
  readonly crm_snapshot: 1
  readonly server: string
  readonly taken_at: string
}

/** The last line; without it the snapshot is truncated. */
export interface SnapshotEnd {
  readonly type: 'end'
  readonly contacts: number
  readonly deals: number
}
