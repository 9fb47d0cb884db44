import type { OutputStream } from '../core/streams.ts'
import { safeText } from './safe-text.ts'

/** Makes a text of several lines safe, except line ends and tabs, which are kept. */
export function safeLines(text: string): string {
  return text.replace(/[^\t\r\n]+|\r(?!\n)/g, safeText)
}

/** Safe text for a terminal, unchanged for a file or a program. */
export function linesFor(stdout: OutputStream, text: string): string {
  return stdout.isTTY ? safeLines(text) : text
}
