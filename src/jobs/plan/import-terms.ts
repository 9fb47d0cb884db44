import type { RowOptions } from '../input/row.ts'

/** How a file became operations; a retry applies the same terms to its corrected rows. */
export interface ImportTerms {
  readonly as: 'import' | 'update' | 'delete'
  readonly match: { readonly names: readonly string[]; readonly mode: 'create' | 'upsert' | 'update' }
  readonly read: ReadTerms
}

/** Without the format: a failed-rows file has an extension of its own. */
export type ReadTerms = Pick<
  RowOptions,
  'map' | 'nullToken' | 'compute' | 'encoding' | 'delimiter' | 'quote' | 'isCsvSafe' | 'required'
>
