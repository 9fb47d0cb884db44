import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Env, envWithoutSecrets } from '../../core/streams.ts'

/** Where a text went: `tmux` keeps it, and states that it does; a terminal states nothing. */
export type CopiedTo = 'tmux' | 'terminal' | 'too long'

/** The limit of hterm and tmux. */
const MOST_BYTES = 74_994

/**
 * Copies a text: in tmux into its buffer and, where tmux can, the clipboard; else by OSC 52, with which the terminal itself copies
 * it, also over ssh.
 */
export async function copyToClipboard(text: string, env: Env, writeRaw: (text: string) => void): Promise<CopiedTo> {
  if (env.TMUX && (await isInTmux(text, env))) return 'tmux'
  const data = Buffer.from(text).toString('base64')
  if (data.length > MOST_BYTES) return 'too long'
  const sequence = `\x1b]52;c;${data}\x07`
  writeRaw(sequence)
  // A tmux on the way passes on what is wrapped for it, if it is allowed to.
  if (/^(?:tmux|screen)/.test(env.TERM ?? '')) writeRaw(`\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`)
  return 'terminal'
}

/** By its own command, because since 3.3 it takes the sequence of a program only if it is told to. */
async function isInTmux(text: string, env: Env): Promise<boolean> {
  const child = spawn('tmux', ['load-buffer', '-w', '-'], {
    env: envWithoutSecrets(env),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.on('error', () => {})
  child.stdin.end(text)
  // An error of spawn: there is no program of this name.
  const [exit] = await once(child, 'close').catch(() => [undefined])
  return exit === 0
}
