import type { JsonValue } from '../../core/json.ts'
import type { BatchOperation, ListOperation, ResourceDocument } from './document.ts'
import type { ListRules } from './list-rules.ts'
import type { RequestParts } from './requests.ts'
import { compileTemplate, fill, placeholdersOf } from './templates.ts'

/** Records that are asked for by the values of one field. */
export interface KeyedRules extends ListRules {
  /** The number of values in one request. */
  readonly size: number
  /** What a request for these values, given as keyValue has them, needs. */
  parts(values: readonly JsonValue[]): RequestParts
}

type ListRulesOf = (list: ListOperation) => ListRules

/**
 * By a batch read, else by a search whose index has a known age: without one, absence is no proof. Undefined also for a field that
 * the server compares by case, because rows are matched without it.
 */
export function keyedRules(field: string, described: ResourceDocument, rulesOf: ListRulesOf): KeyedRules | undefined {
  if (!isComparable(field, described)) return undefined
  const { read } = described.batch
  if (read && canAskBy(field, read)) return byBatch(field, read, rulesOf)
  const find = Object.hasOwn(described.find, field) ? described.find[field] : undefined
  if (!find || find.gives === 'id' || find.lagMs === undefined) return undefined
  return {
    ...rulesOf(find),
    size: find.values,
    parts: (values) => ({ values, ...(values.length === 1 && { value: values[0] }) }),
  }
}

function isComparable(field: string, { fields }: ResourceDocument): boolean {
  if (field === 'id') return true
  const document = Object.hasOwn(fields, field) ? fields[field] : undefined
  return document !== undefined && (document.isCaseFolded || document.type === 'integer' || document.type === 'id')
}

/** A request that names the field asks by id without a name. */
function canAskBy(field: string, { by, path, query, body }: BatchOperation): boolean {
  const parts = [path, query, body ?? null].map((each) => compileTemplate(each as JsonValue))
  return Object.hasOwn(by, field) || (field === 'id' && parts.flatMap(placeholdersOf).includes('by'))
}

function byBatch(field: string, read: BatchOperation, rulesOf: ListRulesOf): KeyedRules {
  const item = compileTemplate(read.item)
  const by = field === 'id' || !Object.hasOwn(read.by, field) ? undefined : read.by[field]
  const list = { ...read, items: read.results, up: {}, keep: {}, paging: NOT_PAGED }
  return {
    ...rulesOf(list),
    size: read.size,
    parts: (values) => ({
      items: values.flatMap((value) => fill(item, { value, id: value, by }) ?? []),
      ...(by !== undefined && { by }),
    }),
  }
}

const NOT_PAGED: ListOperation['paging'] = { by: 'none', in: 'query', start: 1 }
