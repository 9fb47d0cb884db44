import type { Buffer } from 'node:buffer'
import { crc32 } from 'node:zlib'
import type { Entry } from './entry.ts'

/** Eight hex digits and a space. */
const PREFIX_BYTES = 9
const SPACE = 32

export interface LinePlace {
  /** Lines before it. */
  readonly serial: number
  /** Lines that were synced when it was written. */
  readonly synced: number
}

export function encodeLine(entry: Entry, { serial, synced }: LinePlace): string {
  const json = `{"s":${serial},"y":${synced},${JSON.stringify(entry).slice(1)}`
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`
}

/** The entry of a line without its end; undefined when the line is not what was written. */
export function decodeLine(line: Buffer): (LinePlace & { readonly entry: Entry }) | undefined {
  if (line.length <= PREFIX_BYTES || line[PREFIX_BYTES - 1] !== SPACE) return undefined
  const json = line.subarray(PREFIX_BYTES)
  const crc = line.toString('latin1', 0, PREFIX_BYTES - 1)
  if (!/^[0-9a-f]{8}$/.test(crc) || Number.parseInt(crc, 16) !== crc32(json)) return undefined
  const { s: serial, y: synced, ...entry } = JSON.parse(json.toString('utf8')) as { s: number; y: number } & Entry
  return { serial, synced, entry: entry as Entry }
}
