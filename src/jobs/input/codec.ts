import type { Encoding } from './row.ts'

/**
 * How bytes become text without losing where each piece of it stood. `units` makes one character of each byte, or of
 * each two; delimiters and quotes are found among those, and only what stands between them is turned into its text.
 */
export interface Codec {
  readonly unitBytes: 1 | 2
  units(bytes: Buffer): string
  /** The bytes that the units were made of. */
  raw(units: string): Buffer
  /** The text of a piece of units. The bytes are known to be valid. */
  text(units: string): string
  bytes(text: string): Buffer
}

/** 0x80 to 0x9f of Windows-1252; Node's own decoder has confused them with Latin-1 in some releases (nodejs/node 56542). */
const UPPER_CONTROLS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const CODECS: Readonly<Record<Encoding, Codec>> = {
  'utf-8': {
    unitBytes: 1,
    units: (bytes) => bytes.toString('latin1'),
    raw: (units) => Buffer.from(units, 'latin1'),
    text: (units) => Buffer.from(units, 'latin1').toString(),
    bytes: (text) => Buffer.from(text),
  },
  'windows-1252': {
    unitBytes: 1,
    units: (bytes) => bytes.toString('latin1'),
    raw: (units) => Buffer.from(units, 'latin1'),
    text: (units) => units.replace(/[\x80-\x9f]/g, (unit) => UPPER_CONTROLS[unit.charCodeAt(0) - 0x80] ?? unit),
    bytes: (text) => Buffer.from(encodeWindows(text), 'latin1'),
  },
  'utf-16le': {
    unitBytes: 2,
    units: (bytes) => bytes.toString('utf16le'),
    raw: (units) => Buffer.from(units, 'utf16le'),
    text: (units) => units,
    bytes: (text) => Buffer.from(text, 'utf16le'),
  },
  'utf-16be': {
    unitBytes: 2,
    units: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'),
    raw: (units) => Buffer.from(units, 'utf16le').swap16(),
    text: (units) => units,
    bytes: (text) => Buffer.from(text, 'utf16le').swap16(),
  },
}

export function codecOf(encoding: Encoding): Codec {
  return CODECS[encoding]
}

/** What Windows-1252 has no byte for becomes a question mark, as in every program that writes it. */
function encodeWindows(text: string): string {
  return text.replace(/[^\p{ASCII}\xa0-\xff]/gu, (char) => {
    const at = UPPER_CONTROLS.indexOf(char)
    return at < 0 ? '?' : String.fromCharCode(0x80 + at)
  })
}
