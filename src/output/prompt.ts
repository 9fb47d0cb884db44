import { type Io, writeText } from '../core/streams.ts'
import { readAnswer } from './read-answer.ts'
import { safeText } from './safe-text.ts'

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
