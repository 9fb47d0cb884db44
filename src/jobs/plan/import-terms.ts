import type { RowOptions } from '../input/row.ts'

/** How a file became operations: its failed rows, once they are corrected, become what they were to be in the first place. */
export interface ImportTerms {
  readonly as: 'import' | 'update' | 'delete'
  readonly match: { readonly names: readonly string[]; readonly mode: 'create' | 'upsert' | 'update' }
  readonly read: ReadTerms
}

/** Without the format: a file of failed rows has an ending of its own. */
export type ReadTerms = Pick<
  RowOptions,
  'map' | 'nullToken' | 'compute' | 'encoding' | 'delimiter' | 'quote' | 'isCsvSafe' | 'required'
>
