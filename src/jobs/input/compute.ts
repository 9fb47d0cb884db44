import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { MembersRead } from '../../core/members-read.ts'
import { createExpression, type ExpressionOutcome, type Query } from '../../expr/expression.ts'
import { memberUses } from '../../expr/expressions.ts'
import { loadJq } from '../../expr/jq.ts'
import { type Column, mappedColumn } from './columns.ts'
import type { ColumnUse, RowOptions } from './row.ts'
import { addFinding, convertMember, placeValue, type RowDraft } from './row-draft.ts'

interface Computed {
  /** The flag as typed, for messages: one field may be computed twice. */
  readonly typed: string
  readonly column: Column
  readonly query: Query
}

export interface Compute {
  run(drafts: readonly RowDraft[]): Promise<void>
  /** CrmError `usage` for a member that no row has and that is not the name of a column or field. */
  slip(columns: readonly ColumnUse[]): CrmError | undefined
}

/**
 * `--compute FIELD=EXPR`: jq reads the columns under their names in the input, and the converted fields. A result of null, or
 * no result, leaves the field unchanged, so a misspelt name clears nothing.
 */
export async function compileComputes({
  compute,
  kind,
  relations,
  note,
  nullToken,
  nowMs,
}: ComputeOptions): Promise<Compute> {
  if (compute.length === 0) return { run: async () => {}, slip: () => undefined }
  const jq = await loadJq()
  const all: Computed[] = []
  for (const typed of compute) {
    const { field, text } = parseCompute(typed)
    const query = await createExpression(jq, { flag: '--compute', text, say: note, nowMs })
    if (query)
      all.push({ typed, column: mappedColumn(kind, { column: field, field, type: undefined }, relations), query })
  }
  const members = new MembersRead(
    all.flatMap(({ column, query }) => memberUses(`--compute ${column.name}`, query.uses('record'))),
  )
  return {
    run: async (drafts) => {
      const valid = drafts.filter(({ findings }) => findings.length === 0)
      for (const computed of all) {
        const { query } = computed
        const rows = valid.map(visibleTo)
        members.see(rows)
        const outcomes = await query.outcomes(rows, (at) => `line ${valid[at]?.row.line}`)
        for (const [at, draft] of valid.entries()) placeOutcome(draft, computed, outcomes[at], nullToken)
      }
    },
    slip: (columns) => {
      // A column that is empty in every row is absent from all of them.
      const named = [
        ...columns.flatMap(({ name, field = name }) => [name, field]),
        ...all.map(({ column }) => column.field),
      ]
      const known = new Set(named.flatMap((name) => [name, ...name.split('.').slice(0, 1)]))
      return members.slip('rows', known)
    },
  }
}

type ComputeOptions = Pick<RowOptions, 'compute' | 'kind' | 'relations' | 'note' | 'nullToken' | 'nowMs'>

/** The field that `--compute FIELD=EXPR` sets. */
export function computedField(typed: string): string {
  return typed.slice(0, Math.max(0, typed.indexOf('='))).trim()
}

function parseCompute(typed: string): { readonly field: string; readonly text: string } {
  const at = typed.indexOf('=')
  if (at > 0) return { field: computedField(typed), text: typed.slice(at + 1) }
  throw new CrmError('usage', `--compute ${JSON.stringify(typed)} is not FIELD=EXPR`, {
    hint: `expected a jq expression of the row, such as --compute 'name=.first + " " + .last'`,
  })
}

function visibleTo({ row, given }: RowDraft): JsonObject {
  return { ...given, ...(row.id === undefined ? {} : { id: row.id }), ...row.fields }
}

/** A failure rejects its row alone, so all failures are reported together. */
function placeOutcome(
  draft: RowDraft,
  { typed, column }: Computed,
  outcome: ExpressionOutcome = { results: [] },
  nullToken: string | undefined,
): void {
  const fail = (reason: string) => {
    draft.refused.push(column.field)
    const message = `--compute ${JSON.stringify(typed)} ${reason}`
    addFinding(draft, { column: column.name, value: undefined, code: 'compute_failed', message })
  }
  if ('reason' in outcome) {
    fail(`fails: ${outcome.reason}`)
    return
  }
  const { results } = outcome
  const [value = null] = results
  if (results.length > 1) fail(`gives ${results.length} results, expected one`)
  else if (value !== null) {
    placeValue(draft, column, convertMember(value === nullToken ? null : value, column), value)
  }
}
