import type { Encoding } from './row.ts'

/**
 * Converts bytes to text and keeps byte offsets. `units` maps each code unit, of one byte or two, to one character;
 * delimiters and quotes are found in the units, and only the text between them is decoded.
 */
export interface Codec {
  readonly unitBytes: 1 | 2
  units(bytes: Buffer): string
  /** The bytes of these units. */
  raw(units: string): Buffer
  /** Decodes units whose bytes are known to be valid. */
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

/** A character without a byte in Windows-1252 becomes a question mark, as in other programs. */
function encodeWindows(text: string): string {
  return text.replace(/[^\p{ASCII}\xa0-\xff]/gu, (char) => {
    const at = UPPER_CONTROLS.indexOf(char)
    return at < 0 ? '?' : String.fromCharCode(0x80 + at)
  })
}
