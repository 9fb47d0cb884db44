import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import type { Env } from '../harness/home.ts'
import { CRM } from './crm.ts'

export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0

export interface Terminal {
  type(text: string): void
  /** As tmux names it: Enter, Escape, C-c, Down. */
  press(...keys: readonly string[]): void
  paste(text: string): void
  resize(columns: number, rows: number): void
  /** As another program that has the terminal open. */
  writeOver(text: string): void
  /** As a window that is closed: what runs in it is sent SIGHUP. */
  close(): void
  /** Whether the program draws on the alternate screen, which leaves the first one unchanged. */
  isOnAlternateScreen(): boolean
  isCursorVisible(): boolean
  /** Whether the program asked for reports of the mouse. */
  isMouseOn(): boolean
  /** What was copied last in tmux. */
  copied(): string
  /** Of the process in it. */
  pid(): number
  /** What is on the screen now, its lines without trailing blanks. */
  screen(): string
  /** Waits for it on the screen, and gives that. */
  sees(text: string | RegExp): Promise<string>
}

/** A shell word each, so that the command line survives the shell that tmux starts. */
function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** crm in a real terminal; when it has ended, the screen says `exit=` and its code. */
export function openTerminal(args: readonly string[], env: Env, size: Size = { columns: 80, rows: 24 }): Terminal {
  return openCommand(`${quoted([process.execPath, CRM, ...args])}; echo "exit=$?"; sleep 60`, env, size)
}

/** A shell that a person types in, which has job control. */
export function openShell(env: Env): Terminal {
  return openCommand("PS1='shell> ' bash --norc --noprofile -i", env, { columns: 100, rows: 24 })
}

/** A program of another kind, as its shell command. */
export function openProgram(command: string, env: Env): Terminal {
  return openCommand(command, env, { columns: 110, rows: 24 })
}

function openCommand(command: string, env: Env, size: Size): Terminal {
  // A server of its own, so that nothing of it outlives the test or meets another test.
  const socket = `crm-test-${randomBytes(6).toString('hex')}`
  const tmux = (...words: string[]) =>
    spawnSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { encoding: 'utf8', env })
  const started = tmux('new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), '-s', 'crm', command)
  onTestFinished(() => void tmux('kill-server'))
  if (started.status !== 0) throw new Error(`tmux: ${started.stderr}`)
  const asked = (name: string) => tmux('display-message', '-p', '-t', 'crm', `#{${name}}`).stdout.trim()
  const screen = () => tmux('capture-pane', '-p', '-t', 'crm').stdout
  return {
    type: (text) => void tmux('send-keys', '-t', 'crm', '-l', '--', text),
    press: (...keys) => void tmux('send-keys', '-t', 'crm', ...keys),
    paste: (text) => {
      tmux('set-buffer', '-b', 'pasted', '--', text)
      // With the brackets that tell a program that it was pasted.
      tmux('paste-buffer', '-p', '-b', 'pasted', '-t', 'crm')
    },
    resize: (columns, rows) => void tmux('resize-window', '-t', 'crm', '-x', String(columns), '-y', String(rows)),
    writeOver: (text) => appendFileSync(asked('pane_tty'), text),
    close: () => void tmux('kill-session', '-t', 'crm'),
    isOnAlternateScreen: () => asked('alternate_on') === '1',
    isMouseOn: () => asked('mouse_any_flag') === '1',
    isCursorVisible: () => asked('cursor_flag') === '1',
    copied: () => tmux('show-buffer').stdout,
    pid: () => Number(asked('pane_pid')),
    screen,
    sees: async (text) => {
      const pattern = typeof text === 'string' ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text
      await expect.poll(screen, { timeout: 8_000, interval: 50 }).toMatch(pattern)
      return screen()
    },
  }
}
