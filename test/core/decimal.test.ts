import { describe, expect, test } from 'vitest'
import {
  addDecimals,
  compareDecimals,
  decimalJson,
  decimalOf,
  decimalText,
  shareOf,
  ZERO,
} from '../../src/core/decimal.ts'
import { type JsonValue, parseExactJson } from '../../src/core/json.ts'

const sum = (...values: readonly JsonValue[]) =>
  decimalText(values.reduce((total, value) => addDecimals(total, decimalOf(value) ?? ZERO), ZERO))

describe('a sum of decimals', () => {
  test('is exact to the cent, unlike a sum of doubles', () => {
    expect(0.1 + 0.2).not.toBe(0.3)
    expect(sum(0.1, 0.2)).toBe('0.3')
    const cents = Array.from({ length: 10_000 }, (_, at) => ((at * 104_729) % 1_000_000) / 100)
    const exact = cents.reduce((total, amount) => total + Math.round(amount * 100), 0)
    expect(Number(sum(...cents))).toBe(exact / 100)
    expect(String(cents.reduce((total, amount) => total + amount, 0))).not.toBe(String(exact / 100))
  })

  test('accepts numbers in every JSON notation, texts that hold a number, and both signs', () => {
    expect(sum(1e21, 1.5e-7, -0.00000015)).toBe('1000000000000000000000')
    expect(sum('1200.50', ' 3 ')).toBe('1203.5')
    expect(sum(-10.05, 10)).toBe('-0.05')
    expect(sum(parseExactJson('9007199254740993'), 1)).toBe('9007199254740994')
    expect(sum(parseExactJson('123456789012345678.91'), 0.01)).toBe('123456789012345678.92')
    expect([decimalOf('12,5'), decimalOf(''), decimalOf(null), decimalOf(true), decimalOf('1e99999')]).toEqual(
      Array(5).fill(undefined),
    )
  })

  test('is written into JSON with all its digits', () => {
    expect(JSON.stringify(decimalJson(decimalOf(parseExactJson('123456789012345678.92')) ?? ZERO))).toBe(
      '123456789012345678.92',
    )
    expect(decimalJson({ digits: 5280534258n, scale: 2 })).toBe(52805342.58)
    expect(decimalJson({ digits: -0n, scale: 2 })).toBe(0)
  })

  test('is compared and drawn by its value, whatever its scale', () => {
    const [small, large] = [decimalOf(0.5) ?? ZERO, decimalOf('1e400') ?? ZERO]
    expect([compareDecimals(small, large), compareDecimals(large, small), compareDecimals(small, small)]).toEqual([
      -1, 1, 0,
    ])
    expect(shareOf(decimalOf(1) ?? ZERO, decimalOf('4.0') ?? ZERO)).toBe(0.25)
    expect(shareOf(small, large)).toBeGreaterThan(0)
    expect([shareOf(ZERO, large), shareOf(ZERO, ZERO)]).toEqual([0, 0])
  })
})
