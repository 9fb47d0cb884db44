import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { CRM, type Env } from './crm.ts'

export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0

export interface Terminal {
  type(text: string): void
  press(key: 'Enter' | 'C-c'): void
  /** What is on the screen now, its lines without trailing blanks. */
  screen(): string
  /** Waits for it on the screen, and gives that. */
  sees(text: string | RegExp): Promise<string>
}

/** A shell word each, so that the command line survives the shell that tmux starts. */
function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
}

/** crm in a real terminal of 80 by 24; when it has ended, the screen says `exit=` and its code. */
export function openTerminal(args: readonly string[], env: Env): Terminal {
  // A server of its own, so that nothing of it outlives the test or meets another test.
  const socket = `crm-test-${randomBytes(6).toString('hex')}`
  const tmux = (...words: string[]) =>
    spawnSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { encoding: 'utf8', env })
  const command = `${quoted([process.execPath, CRM, ...args])}; echo "exit=$?"; sleep 60`
  const started = tmux('new-session', '-d', '-x', '80', '-y', '24', '-s', 'crm', command)
  onTestFinished(() => void tmux('kill-server'))
  if (started.status !== 0) throw new Error(`tmux: ${started.stderr}`)
  const screen = () => tmux('capture-pane', '-p', '-t', 'crm').stdout
  return {
    type: (text) => void tmux('send-keys', '-t', 'crm', '-l', text),
    press: (key) => void tmux('send-keys', '-t', 'crm', key),
    screen,
    sees: async (text) => {
      const pattern = typeof text === 'string' ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text
      await expect.poll(screen, { timeout: 8_000, interval: 50 }).toMatch(pattern)
      return screen()
    },
  }
}
