import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import type { ImportableResource } from '../../core/resources/registry.ts'
import { aliasOf, foldName } from '../input/known-fields.ts'
import type { Verdict } from '../input/row.ts'

interface MatchInput {
  readonly resource: ImportableResource
  readonly inputName: string
  /** As typed: `name=.first + " " + .last`. */
  readonly compute: readonly string[]
  readonly verdict: Verdict
}

/** CrmError `usage` for a name of `--match` that no row has: rows without it would be refused one by one, or be made anew. */
export function refuseAbsentNames(
  names: readonly string[],
  { resource, inputName, compute, verdict }: MatchInput,
): void {
  const computed = compute.map((text) => text.slice(0, text.indexOf('=')).trim())
  const fields = [...verdict.columns.map(({ field }) => field), ...computed].filter((field) => field !== undefined)
  // In JSON, records without an id may stand before those that have one.
  const absent = names.find((name) => !fields.includes(name) && (name !== 'id' || verdict.head !== undefined))
  if (absent === undefined) return
  const alias = aliasOf(resource, absent)
  const meant =
    fields.find((field) => field === alias || foldName(field) === foldName(absent)) ?? nearest(absent, fields)
  const question = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new CrmError('usage', `${inputName} has no field ${absent} to match by${question}`, {
    hint:
      meant === undefined
        ? `one of: ${fields.join(', ')}`
        : `--match ${names.map((name) => (name === absent ? meant : name)).join(',')}`,
  })
}
