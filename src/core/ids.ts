import { RESOURCES, type StoredResource } from './resources/registry.ts'

/** What has an id of this format, besides records. */
const OTHER_PREFIXES = { event: 'evt_', key: 'key_', job: 'job_', change: 'chg_' } as const

/** What has an id of this format: records, events, keys, jobs and changes of records. */
export type IdKind = StoredResource | keyof typeof OTHER_PREFIXES

/** The prefixes of ids, but those of objects that users described. */
export const ID_PREFIXES: readonly string[] = [
  ...Object.values(OTHER_PREFIXES),
  ...Object.values(RESOURCES).flatMap((each) => ('idPrefix' in each ? [each.idPrefix] : [])),
]

export function idPrefix(kind: IdKind): string {
  return kind in OTHER_PREFIXES
    ? OTHER_PREFIXES[kind as keyof typeof OTHER_PREFIXES]
    : RESOURCES[kind as StoredResource].idPrefix
}

/** Crockford's base32 in lower case: without i, l, o and u; the characters sort in the order of their values. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/** 2020-01-01T00:00:00Z; 41 bits of milliseconds from here last until September 2089. */
export const FIRST_ID_MS = 1_577_836_800_000

export const SERIALS_PER_MS = 4096

export const LAST_SERIAL = Number.MAX_SAFE_INTEGER

/** 11 digits hold 55 bits, so the first digit of a 53-bit serial is at most 7. */
const SERIAL_TEXT = /^[0-7][0-9a-hjkmnp-tv-z]{10}$/
const UPPER_DIGITS = 6
const LOWER_DIGITS = 5
const LOWER_RANGE = 2 ** 25

/**
 * The id of a serial: a whole number from 0 to LAST_SERIAL that grows with time. Ids of one kind have one length and
 * sort as their serials do.
 */
export function encodeId(kind: IdKind, serial: number): string {
  // Two halves of at most 32 bits: shifts are several times faster than eleven divisions of a 53-bit number.
  const upper = Math.floor(serial / LOWER_RANGE)
  const lower = serial % LOWER_RANGE
  let text = idPrefix(kind)
  for (let place = UPPER_DIGITS - 1; place >= 0; place--) text += DIGITS[(upper >>> (place * 5)) & 31]
  for (let place = LOWER_DIGITS - 1; place >= 0; place--) text += DIGITS[(lower >>> (place * 5)) & 31]
  return text
}

/** The serial of an id; undefined for an id of another kind, and for any other text. */
export function decodeId(kind: IdKind, text: string): number | undefined {
  const prefix = idPrefix(kind)
  if (!text.startsWith(prefix)) return undefined
  const digits = text.slice(prefix.length)
  if (!SERIAL_TEXT.test(digits)) return undefined
  let serial = 0
  for (const digit of digits) serial = serial * DIGITS.length + DIGITS.indexOf(digit)
  return serial
}

/** The first serial of a millisecond; below zero for a time before FIRST_ID_MS. */
export function firstSerialAt(timeMs: number): number {
  return (timeMs - FIRST_ID_MS) * SERIALS_PER_MS
}

export function timeOfSerial(serial: number): number {
  return FIRST_ID_MS + Math.floor(serial / SERIALS_PER_MS)
}
