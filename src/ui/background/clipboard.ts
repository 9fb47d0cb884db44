import type { Env } from '../../core/streams.ts'

/** What terminals take at the most, as hterm and tmux have it. */
const MOST_BYTES = 74_994

/**
 * OSC 52: the terminal itself puts the text on the clipboard, over ssh too. tmux hands on what is wrapped for it.
 * Undefined for a text that is too long.
 */
export function clipboardSequence(text: string, env: Env): string | undefined {
  const data = Buffer.from(text).toString('base64')
  if (data.length > MOST_BYTES) return undefined
  const sequence = `\x1b]52;c;${data}\x07`
  return env.TMUX ? `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\` : sequence
}
