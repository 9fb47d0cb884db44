import type { JsonObject, JsonValue } from '../../core/json.ts'
import { foldedLine } from '../../core/nearest.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

/** The change of a winner; undefined for a part without members. */
export interface MergeStages {
  readonly first: JsonObject | undefined
  /** What a server with unique values takes only when the loser at `holder`, which has the value, is deleted. */
  readonly last: { readonly patch: JsonObject; readonly holder: number } | undefined
}

/** Splits the value of `unique` off, if the winner takes it from a loser. */
export function mergeStages(patch: JsonObject, losers: readonly CrmRecord[], unique: string | undefined): MergeStages {
  const { [unique ?? '']: value, ...others } = patch
  const holder = losers.findIndex((loser) => isSameText(loser[unique ?? ''], value))
  if (unique === undefined || value === undefined || holder < 0) return { first: ifAny(patch), last: undefined }
  return { first: ifAny(others), last: { patch: { [unique]: value }, holder } }
}

function isSameText(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return typeof one === 'string' && typeof other === 'string' && foldedLine(one) === foldedLine(other)
}

function ifAny(patch: JsonObject): JsonObject | undefined {
  return Object.keys(patch).length === 0 ? undefined : patch
}
