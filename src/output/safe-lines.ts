import type { OutputStream } from '../core/streams.ts'
import { safeText } from './safe-text.ts'

/** Text of several lines, safe but for line ends and tabs, which mean what they do. */
export function safeLines(text: string): string {
  return text.replace(/[^\t\r\n]+|\r(?!\n)/g, safeText)
}

/** Safe text for a terminal, unchanged for a file or a program. */
export function linesFor(stdout: OutputStream, text: string): string {
  return stdout.isTTY ? safeLines(text) : text
}
