import { type Io, writeText } from '../core/streams.ts'
import { endedError, interruptedError, readAnswer, type Taken } from './read-answer.ts'
import { safeText } from './safe-text.ts'

const KEYS = { enter: '\r', interrupt: '\x03', end: '\x04', backspace: '\b', delete: '\x7f', clear: '\x15' } as const

/**
 * Asks a question on stderr, printed unchanged: `Delete it? [y/N] `. True only for `y` or `yes`. The end of input before an
 * answer is CrmError `unconfirmed`, an abort CrmError `interrupted`.
 */
export async function askYesNo(io: Io, question: string, signal: AbortSignal): Promise<boolean> {
  return /^y(?:es)?$/i.test(await askTyped(io, question, signal))
}

/** Reads a line, trimmed; fails as askYesNo does. */
export async function askTyped(io: Io, question: string, signal: AbortSignal): Promise<string> {
  await writeText(io.stderr, safeText(question))
  try {
    return await readAnswer(io.stdin, signal, (text) => {
      const end = text.indexOf('\n')
      return end === -1 ? undefined : { answer: text.slice(0, end).trim(), rest: text.slice(end + 1) }
    })
  } catch (error) {
    // The terminal shows no line end for Ctrl-C and Ctrl-D; the message begins on a new line.
    await writeText(io.stderr, '\n')
    throw error
  }
}

/** Reads a line without echo. CrmError `interrupted` on Ctrl-C, `unconfirmed` at the end of input. */
export async function askHidden(io: Io, question: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = io
  // Before the question, so that keys typed ahead are not shown.
  if (stdin.isTTY) stdin.setRawMode?.(true)
  try {
    await writeText(stderr, safeText(question))
    return await readAnswer(stdin, signal, takeHidden)
  } finally {
    if (stdin.isTTY) stdin.setRawMode?.(false)
    await writeText(stderr, '\n')
  }
}

/** Reads a line from a terminal in raw mode, which sends a character for each key, including editing keys. */
function takeHidden(text: string): Taken<string> | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: arrows and function keys, ECMA-48 5.4
  const typed = [...text.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)/g, '')]
  let line: string[] = []
  for (const [index, key] of typed.entries()) {
    if (key === KEYS.interrupt) throw interruptedError()
    if (key === KEYS.end && line.length === 0) throw endedError()
    if (key === KEYS.enter || key === '\n')
      return { answer: line.join('').trim(), rest: typed.slice(index + 1).join('') }
    line = edit(line, key)
  }
  return undefined
}

function edit(line: string[], key: string): string[] {
  if (key === KEYS.clear) return []
  if (key === KEYS.backspace || key === KEYS.delete) return line.slice(0, -1)
  return key >= ' ' ? [...line, key] : line
}
