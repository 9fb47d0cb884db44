import { CrmError } from '../../core/errors.ts'
import type { Env } from '../../core/streams.ts'

/** The limit of hterm and tmux. */
const MOST_BYTES = 74_994

/**
 * OSC 52: the terminal itself copies the text to the clipboard, also over ssh. tmux passes on a sequence that is wrapped for
 * it. Undefined for a text that is too long.
 */
export function clipboardSequence(text: string, env: Env): string | undefined {
  const data = Buffer.from(text).toString('base64')
  if (data.length > MOST_BYTES) return undefined
  const sequence = `\x1b]52;c;${data}\x07`
  return env.TMUX ? `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\` : sequence
}

/** A CrmError that states why a file could not be written; any error not from the system is returned unchanged. */
export function fileProblem(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error
  const reason = error.code === 'EEXIST' ? 'it exists already' : error.message
  return new CrmError('machine', `cannot write ${path}: ${reason}`, { cause: error, hint: 'name another file' })
}
