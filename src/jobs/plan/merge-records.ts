import { canonicalJson, isSameJson, type JsonObject, type JsonValue, memberOf } from '../../core/json.ts'
import { foldedLine } from '../../core/nearest.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'

export const MERGE_RULES = ['winner', 'newest', 'longest', 'union'] as const

/** Which value of a member is kept of several records. */
export type MergeRule = (typeof MERGE_RULES)[number]

/** The rule of each member; `*` is that of all others. */
export type MergeRules = ReadonlyMap<string, MergeRule>

interface Merged {
  readonly winner: CrmRecord
  readonly losers: readonly CrmRecord[]
  readonly rules: MergeRules
  /** Whether the server sets a member. */
  readonly isSet: (name: string) => boolean
}

/** The change that gives the winner what the rules choose; empty if it has that already. */
export function winnerPatch({ winner, losers, rules, isSet }: Merged): JsonObject {
  const newest = [winner, ...losers].toSorted((one, other) => changedMs(other) - changedMs(one))
  const names = new Set([winner, ...losers].flatMap((record) => Object.keys(record)))
  const patch: JsonObject = {}
  for (const name of names) {
    if (isReadOnly(name) || isSet(name)) continue
    const own = memberOf(winner, name)
    const others = newest.filter((record) => record !== winner).map((record) => memberOf(record, name))
    const values = [own, ...others].filter((value) => !isEmpty(value))
    const byTime = newest.map((record) => memberOf(record, name)).filter((value) => !isEmpty(value))
    const kept = CHOICES[rules.get(name) ?? rules.get('*') ?? 'winner'](values, byTime)
    if (kept !== undefined && !isSameJson(kept, own)) patch[name] = kept
  }
  return patch
}

/** Of the values that are not empty: `values` has that of the winner first, and the others by time; `byTime` the newest first. */
type Choice = (values: readonly JsonValue[], byTime: readonly JsonValue[]) => JsonValue | undefined

const CHOICES: Readonly<Record<MergeRule, Choice>> = {
  winner: (values) => values[0],
  newest: (_, byTime) => byTime[0],
  longest: (values) => values.toSorted((one, other) => cellText(other).length - cellText(one).length)[0],
  union: unionOf,
}

const SEPARATOR = /\s*;\s*/

/** All entries of lists, and all texts with semicolons between them, each once; of other values the winner's. */
function unionOf(values: readonly JsonValue[]): JsonValue | undefined {
  if (values.length > 0 && values.every((value) => Array.isArray(value)))
    return [...new Map(values.flat().map((entry) => [canonicalJson(entry), entry])).values()]
  if (!values.every((value) => typeof value === 'string')) return values[0]
  const texts = new Map<string, string>()
  for (const text of values.flatMap((value) => value.split(SEPARATOR))) {
    if (text !== '' && !texts.has(foldedLine(text))) texts.set(foldedLine(text), text)
  }
  return [...texts.values()].join('; ') || undefined
}

function isEmpty(value: JsonValue): boolean {
  return (
    value === null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
  )
}

/** When a record was changed last; long ago if it does not say. */
export function changedMs({ updated_at: updated, created_at: created }: CrmRecord): number {
  const time = updated ?? created
  const timeMs = typeof time === 'number' ? time : recordTimeMs(time)
  return Number.isNaN(timeMs) ? Number.MIN_SAFE_INTEGER : timeMs
}
