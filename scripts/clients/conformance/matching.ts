import { decimalOf } from '../../../src/core/decimal.ts'
import { exactDigits, isJsonObject, type JsonObject, type JsonValue } from '../../../src/core/json.ts'

/** Values of `$name`, by name. Two names never have the same value. */
export type Variables = Map<string, JsonValue>

const RULES: Readonly<Record<string, (expected: JsonValue, actual: JsonValue | undefined) => boolean>> = {
  $absent: (_, actual) => actual === undefined || actual === null,
  $oneOf: (expected, actual) =>
    Array.isArray(expected) && expected.some((each) => JSON.stringify(each) === JSON.stringify(actual)),
  $not: (expected, actual) => JSON.stringify(expected) !== JSON.stringify(actual),
  $matches: (expected, actual) => typeof actual === 'string' && new RegExp(String(expected), 'sv').test(actual),
  $lacks: (expected, actual) => !(JSON.stringify(actual) ?? '').includes(String(expected)),
}

/** The differences between an expected and an actual value. Objects may have more members than expected. */
export function differences(
  expected: JsonValue,
  actual: JsonValue | undefined,
  variables: Variables,
  at: string,
): readonly string[] {
  if (typeof expected === 'string' && expected.startsWith('$')) return bound(expected, actual, variables, at)
  if (Array.isArray(expected)) return ofArrays(expected, actual, variables, at)
  if (isJsonObject(expected)) return ofObjects(expected, actual, variables, at)
  return isSame(expected, actual) ? [] : [unlike(at, expected, actual)]
}

function unlike(at: string, expected: JsonValue, actual: JsonValue | undefined): string {
  return `${at} is ${JSON.stringify(actual) ?? 'absent'}, expected ${JSON.stringify(expected)}`
}

/** Numbers by their value: all digits count, 1.50 is 1.5. */
function isSame(expected: JsonValue, actual: JsonValue | undefined): boolean {
  const isNumber = (value: JsonValue | undefined) => typeof value === 'number' || exactDigits(value) !== undefined
  if (!isNumber(expected)) return expected === actual
  const [one, other] = [decimalOf(expected), decimalOf(isNumber(actual) ? actual : undefined)]
  if (one === undefined || other === undefined) return false
  const scale = Math.max(one.scale, other.scale)
  return one.digits * 10n ** BigInt(scale - one.scale) === other.digits * 10n ** BigInt(scale - other.scale)
}

function bound(name: string, actual: JsonValue | undefined, variables: Variables, at: string): readonly string[] {
  if (actual === undefined || actual === null) return [`${at} is absent, expected ${name}`]
  const known = variables.get(name)
  if (known !== undefined) return isSame(known, actual) ? [] : [`${unlike(at, known, actual)}, which is ${name}`]
  const twin = [...variables].find(([, value]) => isSame(value, actual))
  if (twin) return [`${at} is ${JSON.stringify(actual)}, which is ${twin[0]}; expected another value`]
  variables.set(name, actual)
  return []
}

function ofArrays(
  expected: readonly JsonValue[],
  actual: JsonValue | undefined,
  variables: Variables,
  at: string,
): readonly string[] {
  if (!Array.isArray(actual)) return [unlike(at, [...expected], actual)]
  const length =
    actual.length === expected.length ? [] : [`${at} has ${actual.length} items, expected ${expected.length}`]
  return [...length, ...expected.flatMap((each, i) => differences(each, actual[i], variables, `${at}[${i}]`))]
}

function ofObjects(
  expected: JsonObject,
  actual: JsonValue | undefined,
  variables: Variables,
  at: string,
): readonly string[] {
  const rules = Object.entries(expected).filter(([name]) => Object.hasOwn(RULES, name))
  if (rules.length > 0) {
    return rules.every(([name, value]) => RULES[name]?.(filledIn(value, variables), actual))
      ? []
      : [unlike(at, expected, actual)]
  }
  if (!isJsonObject(actual)) return [unlike(at, expected, actual)]
  return Object.entries(expected).flatMap(([name, value]) =>
    differences(value, Object.hasOwn(actual, name) ? actual[name] : undefined, variables, `${at}.${name}`),
  )
}

/** The value with the values of its variables. Throws for a variable that has none. */
export function filledIn(value: JsonValue, variables: Variables): JsonValue {
  if (typeof value === 'string' && value.startsWith('$')) {
    const known = variables.get(value)
    if (known === undefined) throw new Error(`${value} has no value`)
    return known
  }
  if (Array.isArray(value)) return value.map((each) => filledIn(each, variables))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledIn(each, variables)]))
}
