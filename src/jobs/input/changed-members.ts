import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, setAtPath } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { jsonText } from '../../output/safe-text.ts'
import { nestedIn } from './cell-values.ts'
import type { Changes } from './row.ts'

/** Whether a cell equals the text that csv and tsv print for the value. */
export function isSameAsPrinted(cell: string, value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return cell === ''
  return cell === (typeof value === 'string' ? value : jsonText(value))
}

/** The members that a merge patch (RFC 7396) of these fields would change. `areCells`: texts are cells, not JSON strings. */
export function changesIn(fields: JsonObject, existing: CrmRecord, areCells: boolean): Changes {
  const changed: JsonObject = {}
  const retyped: string[] = []
  const visit = (cell: JsonValue, path: readonly string[], before: JsonValue | undefined): void => {
    const given = likeBefore(cell, before, areCells)
    if (isJsonObject(given) && (isJsonObject(before) || (areCells && Object.keys(given).length > 0))) {
      for (const [name, value] of Object.entries(given)) visitMember(value, [...path, name], own(before, name))
    } else if (!isSame(given, before, areCells)) {
      setAtPath(changed, path, given)
      if (areCells && typeof given === 'string' && isOtherType(before)) retyped.push(path.join('.'))
    }
  }
  /** A column `a.b` is a member of `a`, unless the record has a member named `a.b`. */
  const visitMember: typeof visit = (given, path, before) => {
    const whole = path.join('.')
    if (areCells && path.length > 1 && Object.hasOwn(existing, whole)) visit(given, [whole], existing[whole])
    else visit(given, path, before)
  }
  visit(fields, [], existing)
  return { fields: changed, retyped }
}

/** A cell that is the JSON of a list or an object where the record has one. */
function likeBefore(cell: JsonValue, before: JsonValue | undefined, areCells: boolean): JsonValue {
  const isList = Array.isArray(before)
  if (!areCells || typeof cell !== 'string' || !(isList || isJsonObject(before))) return cell
  const nested = nestedIn(cell)
  return nested && Array.isArray(nested) === isList ? nested : cell
}

function own(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function isOtherType(before: JsonValue | undefined): boolean {
  return before !== undefined && before !== null && typeof before !== 'string'
}

function isSame(given: JsonValue, before: JsonValue | undefined, areCells: boolean): boolean {
  if (given === null) return before === null || before === undefined
  if (areCells && typeof given === 'string') return isSameAsPrinted(given, before)
  return before !== undefined && canonicalJson(given) === canonicalJson(before)
}
