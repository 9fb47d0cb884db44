import { isUtf8 } from 'node:buffer'

/** Two bytes or more that UTF-8 encodes one character with; in Windows-1252 such a sequence is very rare. */
const UTF8_SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/

/** Bytes without a character in Windows-1252. */
const NOT_WINDOWS = /[\x81\x8d\x8f\x90\x9d]/

const BEYOND_ASCII = /[\x80-\xff]/

/** The encoding of one line, of which each unit is a byte; undefined if it is ASCII. */
export function encodingOf(units: string): 'utf-8' | 'windows-1252' | 'neither' | undefined {
  if (!BEYOND_ASCII.test(units)) return undefined
  if (isUtf8(Buffer.from(units, 'latin1'))) return 'utf-8'
  return UTF8_SEQUENCE.test(units) || NOT_WINDOWS.test(units) ? 'neither' : 'windows-1252'
}
