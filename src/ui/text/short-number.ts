import { compareDecimals, type Decimal, decimalOf, decimalText, shifted } from '../../core/decimal.ts'
import type { JsonValue } from '../../core/json.ts'
import { cellText } from '../../output/safe-text.ts'
import { textWidth } from '../../output/terminal-text.ts'

const UNITS: readonly (readonly [unit: string, tens: number])[] = [
  ['T', 12],
  ['B', 9],
  ['M', 6],
  ['K', 3],
]

const ONE: Decimal = { digits: 1n, scale: 0 }

/** `213.3M`, `1.2K`, `852`: at most six characters and a sign up to a thousand trillions, rounded towards zero. */
export function shortNumber(value: Decimal): string {
  const size = value.digits < 0n ? { ...value, digits: -value.digits } : value
  const sign = value.digits < 0n ? '-' : ''
  const [unit, tens] = UNITS.find(([, each]) => compareDecimals(size, shifted(ONE, each)) >= 0) ?? ['', 0]
  return `${sign}${cutAfterTenths(decimalText(shifted(size, -tens)))}${unit}`
}

function cutAfterTenths(text: string): string {
  return text.replace(/(\.\d)\d+$/, '$1').replace(/\.0$/, '')
}

/** A number whole where it fits, else short: no digit of it is ever cut. */
export function numberCell(value: JsonValue | undefined, width: number): string {
  const whole = cellText(value)
  const decimal = textWidth(whole) > width ? decimalOf(value) : undefined
  return decimal ? shortNumber(decimal) : whole
}
