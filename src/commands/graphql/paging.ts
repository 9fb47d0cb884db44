import { CrmError } from '../../core/errors.ts'
import type { GraphqlOperation } from '../../core/graphql-operations.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** Common names of the variable for the cursor. */
const CURSOR_VARIABLES = ['endCursor', 'after', 'cursor'] as const

/** CrmError `usage` for a query without a variable for the cursor. */
export function cursorVariable({ variables }: GraphqlOperation): string {
  const name = CURSOR_VARIABLES.find((each) => variables.includes(each))
  if (name !== undefined) return name
  throw new CrmError('usage', `--paginate needs a variable for the cursor: ${list(CURSOR_VARIABLES)}`, {
    hint: "such as: crm graphql 'query ($after: String) { deals(after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }' --paginate",
  })
}

function list(names: readonly string[]): string {
  return names.map((name) => `$${name}`).join(', ')
}

export interface FoundConnection {
  /** The members that lead to it from `data`. */
  readonly place: readonly string[]
  readonly value: JsonObject
}

/**
 * The one connection that has a `pageInfo`, or that of `path` (`deals`, or `deals.pageInfo`). CrmError `usage` where there is
 * none, or more than one to choose from.
 */
export function findConnection(data: JsonValue | undefined, path: string | undefined): FoundConnection {
  const all = connectionsIn(data ?? null, [])
  const wanted = path?.replace(/\.?pageInfo$/, '')
  const found = wanted === undefined ? all : all.filter(({ place }) => place.join('.') === wanted)
  const [only, ...others] = found
  if (only && others.length === 0) return only
  const known = all.map(({ place }) => place.join('.')).join(', ')
  if (all.length === 0) {
    throw new CrmError('usage', '--paginate needs a pageInfo in the answer', {
      hint: 'add pageInfo { hasNextPage endCursor } to the selection of the list',
    })
  }
  throw new CrmError(
    'usage',
    `--paginate ${wanted === undefined ? 'finds several lists' : `finds no list ${wanted}`}: ${known}`,
    {
      hint: `choose one of them: --page-path ${all[0]?.place.join('.')}`,
    },
  )
}

/** Connections within lists are ignored, because they are ambiguous. */
function connectionsIn(value: JsonValue, place: readonly string[]): readonly FoundConnection[] {
  if (!isJsonObject(value)) return []
  const own = isJsonObject(value.pageInfo) && 'hasNextPage' in value.pageInfo ? [{ place, value }] : []
  return [...own, ...Object.entries(value).flatMap(([name, member]) => connectionsIn(member, [...place, name]))]
}

/** Undefined on the last page; CrmError `bad_answer` if there is a next page without a cursor. */
export function nextCursor({ value }: FoundConnection): string | undefined {
  const pageInfo = isJsonObject(value.pageInfo) ? value.pageInfo : {}
  if (pageInfo.hasNextPage !== true) return undefined
  if (typeof pageInfo.endCursor === 'string') return pageInfo.endCursor
  throw new CrmError('bad_answer', 'there are more pages, but no endCursor for them', {
    hint: 'add endCursor to pageInfo, beside hasNextPage',
  })
}

/** Appends the lists of a later page to those of the first, and takes over its pageInfo. */
export function appendPage(first: FoundConnection, next: FoundConnection): void {
  for (const [name, value] of Object.entries(next.value)) {
    const before = first.value[name]
    if (Array.isArray(before) && Array.isArray(value)) before.push(...value)
    else first.value[name] = value
  }
}
