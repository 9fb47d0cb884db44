import type { Buffer } from 'node:buffer'
import type { Resource } from '../../core/resources/registry.ts'
import type { WriteKind } from './answer-signs.ts'

/** A change of one record. */
export interface Write {
  readonly kind: WriteKind
  readonly resource: Resource
  /** Of the record that is changed or deleted. */
  readonly id?: string | undefined
  /** Of the record that the created one belongs to. */
  readonly parentId?: string | undefined
  /** JSON in crm's names; sent byte for byte if the connector translates nothing. */
  readonly body: Buffer | null
  /** A create that the server turns into a change if it has a record with the same value in this field. */
  readonly upsertBy?: string | undefined
  /** An update that restores a deleted record, without values. */
  readonly isRestore?: true
  readonly idempotencyKey: string
  readonly ifMatch: string | undefined
  /** JSON of what it replaces, where no version guards it. */
  readonly was?: string | undefined
  /** For messages, after "cannot": `create the contact of line 7`. */
  readonly action: string
}
