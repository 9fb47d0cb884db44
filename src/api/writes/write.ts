import type { Buffer } from 'node:buffer'
import type { ParentRecord } from '../../core/resources/parents.ts'
import type { CrmRecord, Resource } from '../../core/resources/registry.ts'

export type WriteKind = 'create' | 'update' | 'delete'

/** A change of one record. */
export interface Write {
  readonly kind: WriteKind
  readonly resource: Resource
  /** Of the record that is changed or deleted. */
  readonly id?: string | undefined
  /** The record that the created one belongs to. */
  readonly parent?: ParentRecord | undefined
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

/** What a 2xx means for a write. Only what the connector declares is done. */
export type WriteOutcome =
  | {
      readonly type: 'done'
      /** In crm's names; the id alone if the answer shows no more, undefined if it shows nothing. */
      readonly record: CrmRecord | undefined
      readonly id: string | undefined
      /** The record of the redacted answer, for messages. */
      readonly quoted: () => CrmRecord | undefined
      /** For an upsert: whether it made the record, if the server says so. */
      readonly isMade?: boolean
    }
  | {
      readonly type: 'in doubt'
      /** A clause about the answer. */
      readonly why: string
      /** The answer has another form than the connector describes, as those to other rows would have. */
      readonly isContradiction: boolean
      /** The write took effect, and lost a part of the record. */
      readonly isLost?: true
    }
