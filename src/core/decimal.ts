import { exactDigits, type JsonValue, parseExactJson } from './json.ts'

/** `digits / 10^scale`: sums of money must be exact to the cent, which sums of doubles are not. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

export const ZERO: Decimal = { digits: 0n, scale: 0 }

const NUMBER = /^(-?\d+)(?:\.(\d+))?(?:[eE]([-+]?\d{1,4}))?$/

/** The value of a number, or of a text that holds one, as some servers send amounts; undefined for any other value. */
export function decimalOf(value: JsonValue | undefined): Decimal | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : exactDigits(value)
  const match = NUMBER.exec(text ?? '')
  if (!match) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const digits = BigInt(whole + fraction)
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

export function addDecimals(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale)
  return { digits: digitsAt(one, scale) + digitsAt(other, scale), scale }
}

export function multipliedDecimal(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, scale: one.scale + other.scale }
}

const MORE_DIGITS = 6

/** With six digits more than the value has, rounded half away from zero; exact if they are enough. */
export function dividedDecimal({ digits, scale }: Decimal, by: number): Decimal {
  const divisor = BigInt(by)
  const wide = digits * 10n ** BigInt(MORE_DIGITS)
  const half = (wide < 0n ? -divisor : divisor) / 2n
  return { digits: (wide + half) / divisor, scale: scale + MORE_DIGITS }
}

/** Negative when `one` is smaller, as for Array.sort. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const { digits } = addDecimals(one, { ...other, digits: -other.digits })
  return digits < 0n ? -1 : digits > 0n ? 1 : 0
}

const PARTS = 1_000_000n

/** The ratio to the largest value, from 0 to 1, for drawing: above 0 for any value above 0. */
export function shareOf(part: Decimal, most: Decimal): number {
  if (part.digits <= 0n || most.digits <= 0n) return 0
  const scale = Math.max(part.scale, most.scale)
  return Math.max(Number.MIN_VALUE, Number((digitsAt(part, scale) * PARTS) / digitsAt(most, scale)) / Number(PARTS))
}

/** The value times a power of ten. */
export function shifted({ digits, scale }: Decimal, tens: number): Decimal {
  const moved = scale - tens
  return moved >= 0 ? { digits, scale: moved } : { digits: digits * 10n ** BigInt(-moved), scale: 0 }
}

/** All digits, without trailing zeros in the fraction. */
export function decimalText({ digits, scale }: Decimal): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const fraction = text.slice(text.length - scale).replace(/0+$/, '')
  const whole = text.slice(0, text.length - scale)
  return `${digits < 0n ? '-' : ''}${whole}${scale === 0 || fraction === '' ? '' : `.${fraction}`}`
}

/** The JSON value; keeps digits that a double cannot hold. */
export function decimalJson(decimal: Decimal): JsonValue {
  return parseExactJson(decimalText(decimal))
}

function digitsAt({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale)
}
