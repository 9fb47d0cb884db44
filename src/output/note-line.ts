import type { OutputStream } from '../core/streams.ts'
import { safeText } from './safe-text.ts'

/** Carriage return, and erase to the end of the line (ECMA-48, EL). */
export const ERASE_LINE = '\r\x1b[K'

/** A line for people, in the place of the progress that may stand on the terminal. */
export function writeNoteLine(stderr: OutputStream, line: string): void {
  stderr.write(`${stderr.isTTY ? ERASE_LINE : ''}${safeText(line)}\n`)
}
