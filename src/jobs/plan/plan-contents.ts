import { isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import type { PlanFile } from './plan-file.ts'
import type { PlanHead, PlanOperation } from './plan-format.ts'
import { type FieldCount, FieldCounts } from './plan-writer.ts'
import { type Preview, PreviewBuilder } from './preview.ts'

/** What an operation writes, as values. */
export interface OperationValues {
  readonly body: JsonObject | undefined
  /** As it was: the members of the body, or the whole record of a deletion; undefined if the plan does not have it. */
  readonly was: JsonObject | undefined
}

/** Parses the body, which takes seconds for a million operations. */
export function operationValues({ head: { was }, body }: Pick<PlanOperation, 'head' | 'body'>): OperationValues {
  return {
    body: body ? objectIn(body.toString('utf8')) : undefined,
    was: was === undefined ? undefined : objectIn(was),
  }
}

function objectIn(text: string): JsonObject | undefined {
  const value = parseExactJson(text)
  return isJsonObject(value) ? value : undefined
}

/** The members that a plan writes, and their values where it has those from before. */
export function contentsOfPlan(plan: PlanFile): { readonly fields: readonly FieldCount[]; readonly preview: Preview } {
  const [fields, preview] = [new FieldCounts(), new PreviewBuilder()]
  for (const operation of plan.all()) {
    const { head } = operation
    const { body, was } = operationValues(operation)
    if (body) fields.add(head.do, body)
    const isKnown = was !== undefined || head.do === 'create'
    if (isKnown) preview.add({ ...placeOf(operation), ...(body && { body }), ...(was && { before: was }) })
  }
  return { fields: fields.list(), preview: preview.list() }
}

function placeOf({ head: { do: kind, id, line } }: PlanOperation) {
  return { do: kind, ...(id !== undefined && { id }), ...(line !== undefined && { line }) }
}

/** That a create may change a record; undefined if it cannot. */
export function upsertText({ upsert, terms }: Pick<PlanHead, 'upsert' | 'terms'>): string | undefined {
  if (upsert !== undefined)
    return `Creates are upserts by ${upsert}: a record with the same ${upsert} is changed, and its current values are not known.`
  const [name, ...others] = terms?.match.mode === 'upsert' ? terms.match.names : []
  if (name === undefined || name === 'id' || others.length > 0) return undefined
  return `A create that the server refuses because a record has the same ${name} changes that record.`
}
