import { exactDigits, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { jsonText } from '../../output/json-text.ts'
import type { Changes } from './row.ts'
import { setMember } from './set-member.ts'

/** Whether a cell says what csv and tsv print for the value. */
export function isSameAsPrinted(cell: string, value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return cell === ''
  return cell === (typeof value === 'string' ? value : jsonText(value))
}

/** What a merge patch (RFC 7396) of these fields would change; texts among them are cells, or JSON strings. */
export function changedMembers(fields: JsonObject, existing: CrmRecord, areCells: boolean): Changes {
  const changed: JsonObject = {}
  const retyped: string[] = []
  const visit = (given: JsonValue, path: readonly string[], before: JsonValue | undefined): void => {
    if (isJsonObject(given) && (isJsonObject(before) || (areCells && Object.keys(given).length > 0))) {
      for (const [name, value] of Object.entries(given)) visitMember(value, [...path, name], own(before, name))
    } else if (!isSame(given, before, areCells)) {
      setMember(changed, path, given)
      if (areCells && typeof given === 'string' && isOtherType(before)) retyped.push(path.join('.'))
    }
  }
  /** A column `a.b` reaches inside `a`, unless the record has a member of just that name. */
  const visitMember: typeof visit = (given, path, before) => {
    const whole = path.join('.')
    if (areCells && path.length > 1 && Object.hasOwn(existing, whole)) visit(given, [whole], existing[whole])
    else visit(given, path, before)
  }
  visit(fields, [], existing)
  return { fields: changed, retyped }
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
  return isEqual(given, before)
}

function isEqual(one: JsonValue, other: JsonValue | undefined): boolean {
  if (one === other) return true
  const digits = exactDigits(one)
  if (digits !== undefined) return digits === exactDigits(other)
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isEqual(item, other[at]))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length && names.every((name) => isEqual(one[name] ?? null, own(other, name)))
  )
}
