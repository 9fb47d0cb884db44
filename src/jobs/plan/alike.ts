import type { JsonObject } from '../../core/json.ts'
import { canonicalJson } from './canonical-json.ts'
import { matchKey } from './match-key.ts'

/** What a person would tell a record by: its address, else its name. */
export function naturalName(record: JsonObject): string | undefined {
  return matchKey(record, ['email']) ?? matchKey(record, ['name'])
}

/** What a record says in these members; null and absent are the same to a server that keeps no nulls. */
export function textOf(record: JsonObject, names: readonly string[]): string {
  return names.map((name) => canonicalJson(Object.hasOwn(record, name) ? (record[name] ?? null) : null)).join('\n')
}
