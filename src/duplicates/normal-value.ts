import { idText, type JsonValue } from '../core/json.ts'
import { foldedLine } from '../core/nearest.ts'
import type { Comparison } from './match-key.ts'

const EMAIL_NAME = /e-?_?mail/i
const PHONE_NAME = /phone|mobile|^tel/i
const ADDRESS = /<\s*(?:mailto:)?([^\s<>]+@[^\s<>]+)\s*>|^\s*mailto:\s*([^\s<>?]+@[^\s<>?]+)/i

/** Country codes and leading zeros differ between two spellings of one number; its last nine digits do not. */
const PHONE_DIGITS = 9
const LEAST_DIGITS = 6
const EXTENSION = /(?:;ext=|\bext\.?|\bx)\s*(\d{1,6})\s*$/i

/** The form in which a value is compared; undefined for one that is never a duplicate: absent, empty, or no plain value. */
export function comparedValue(
  member: string,
  value: JsonValue | undefined,
  comparison: Comparison,
): string | undefined {
  const text = typeof value === 'boolean' ? String(value) : idText(value)
  if (text === undefined || text.trim() === '') return undefined
  if (comparison === 'exact') return text
  if (comparison === 'normalised' && PHONE_NAME.test(member)) return phoneDigits(text)
  if (comparison === 'normalised' && EMAIL_NAME.test(member)) return foldedLine(addressIn(text))
  return foldedLine(text)
}

/** `"Ada" <ada@x.org>` and `mailto:ada@x.org` are their addresses. */
function addressIn(text: string): string {
  const [, inBrackets, linked] = ADDRESS.exec(text) ?? []
  return inBrackets ?? linked ?? text
}

/** An extension belongs to the number: colleagues share the digits before it. */
function phoneDigits(text: string): string | undefined {
  const extension = EXTENSION.exec(text)
  const digits = (extension ? text.slice(0, extension.index) : text).replace(/\D/g, '')
  if (digits.length < LEAST_DIGITS) return undefined
  return digits.slice(-PHONE_DIGITS) + (extension ? `x${extension[1]}` : '')
}
