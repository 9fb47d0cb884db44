import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { valueAt } from '../value-at.ts'
import type { StatedCount } from './counts.ts'
import type { Sign } from './envelope.ts'

const NAMES = ['message', 'msg', 'warning', 'warnings', 'notice', 'notices']
const AROUND = [[], ['meta'], ['metadata'], ['pagination'], ['paging']]
const CUT =
  /\b(?:truncated|incomplete|partial|cut off|not all|only the first|limit (?:was )?(?:reached|exceeded)|timed out)\b/i
/** `Showing 7 of 237`; also `1-7 of 237`. */
const OF = /\b(\d[\d,]*)\s+(?:\w+\s+)?(?:out\s+)?of\s+(?:\w+\s+)?(\d[\d,]*)\b/gi

/** Sentences beside the records: that the answer is a part, or the total number. */
export function readTexts(json: JsonValue): {
  readonly signs: readonly Sign[]
  readonly counts: readonly StatedCount[]
} {
  const texts = AROUND.flatMap((place) => NAMES.map((name) => [...place, name])).flatMap((place) =>
    textsIn(valueAt(json, place)).map((text) => ({ at: place.join('.'), text })),
  )
  return {
    signs: texts.flatMap(({ at, text }) => (CUT.test(text) ? [{ at, ownName: at, value: undefined }] : [])),
    counts: texts.flatMap(({ at, text }) => countsIn(text).map((count) => ({ count, at }))),
  }
}

export function isCutText(text: string): boolean {
  return CUT.test(text)
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.slice(0, 20).flatMap(textsIn)
  return isJsonObject(value) ? [value.message, value.text, value.detail].flatMap((each) => textsIn(each)) : []
}

function countsIn(text: string): readonly number[] {
  return [...text.matchAll(OF)].flatMap(([, part = '', whole = '']) => {
    const [came, all] = [part, whole].map((digits) => Number(digits.replaceAll(',', ''))) as [number, number]
    return came < all ? [all] : []
  })
}
