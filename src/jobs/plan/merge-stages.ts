import type { JsonObject, JsonValue } from '../../core/json.ts'
import { foldedLine } from '../../core/nearest.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

/** The change of a winner. */
export interface MergeStages {
  /** Undefined without members. */
  readonly first: JsonObject | undefined
  /** What a server with unique values takes only when the loser at `holder`, which has the value, is deleted; by holder. */
  readonly last: readonly LastChange[]
}

interface LastChange {
  readonly patch: JsonObject
  readonly holder: number
}

/** Splits the values of unique members off that the winner takes from a loser. */
export function mergeStages(patch: JsonObject, losers: readonly CrmRecord[], unique: ReadonlySet<string>): MergeStages {
  const holderOf = (name: string) =>
    unique.has(name) ? losers.findIndex((loser) => isSameText(loser[name], patch[name])) : -1
  const held = losers.map((_, holder) => ({ patch: pick(patch, (name) => holderOf(name) === holder), holder }))
  return {
    first: ifAny(pick(patch, (name) => holderOf(name) < 0)),
    last: held.filter((change) => ifAny(change.patch)),
  }
}

function pick(patch: JsonObject, isChosen: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => isChosen(name)))
}

function isSameText(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return typeof one === 'string' && typeof other === 'string' && foldedLine(one) === foldedLine(other)
}

function ifAny(patch: JsonObject): JsonObject | undefined {
  return Object.keys(patch).length === 0 ? undefined : patch
}
