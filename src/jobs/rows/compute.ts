import { CrmError } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { createExpression, type Query } from '../../expr/expression.ts'
import { loadJq } from '../../expr/jq.ts'
import type { RowOptions } from '../row.ts'
import { type Column, columnFor } from './columns.ts'
import { addFinding, type Draft, placeValue } from './draft.ts'
import { convertMember } from './members-to-row.ts'

interface Computed {
  readonly column: Column
  readonly query: Query
}

export type Compute = (drafts: readonly Draft[]) => Promise<void>

/**
 * `--compute FIELD=EXPR`: jq sees the columns under the names they have in the input, and the fields that were made of them.
 * Of its result null, and none at all, leave the field alone, so that a name which is not there clears nothing.
 */
export async function compileComputes({ compute, kind, note, nullToken }: ComputeOptions): Promise<Compute> {
  if (compute.length === 0) return async () => {}
  const jq = await loadJq()
  const all: Computed[] = []
  for (const typed of compute) {
    const { field, text } = parseCompute(typed)
    const query = await createExpression(jq, { flag: '--compute', text, say: note })
    if (query) all.push({ column: columnFor(kind, field, field), query })
  }
  return async (drafts) => {
    const sound = drafts.filter(({ findings }) => findings.length === 0)
    for (const { column, query } of all) {
      const results = await query.each(sound.map(visibleTo), (at) => `line ${sound[at]?.row.line}`)
      for (const [at, draft] of sound.entries()) placeResult(draft, column, results[at] ?? [], nullToken)
    }
  }
}

type ComputeOptions = Pick<RowOptions, 'compute' | 'kind' | 'note' | 'nullToken'>

function parseCompute(typed: string): { readonly field: string; readonly text: string } {
  const at = typed.indexOf('=')
  if (at > 0) return { field: typed.slice(0, at).trim(), text: typed.slice(at + 1) }
  throw new CrmError('usage', `--compute ${JSON.stringify(typed)} is not FIELD=EXPR`, {
    hint: `expected a jq expression of the row, such as --compute 'name=.first + " " + .last'`,
  })
}

function visibleTo({ row, given }: Draft): JsonObject {
  return { ...given, ...(row.id === undefined ? {} : { id: row.id }), ...row.fields }
}

function placeResult(draft: Draft, column: Column, results: readonly JsonValue[], nullToken: string | undefined): void {
  const [value = null] = results
  if (results.length > 1) {
    const message = `--compute ${column.name} gives ${results.length} results, expected one`
    addFinding(draft, { column: column.name, value: undefined, code: 'compute_failed', message })
  } else if (value !== null) {
    placeValue(draft, column, convertMember(value === nullToken ? null : value, column), value)
  }
}
