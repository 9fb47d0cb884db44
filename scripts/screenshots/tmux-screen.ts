import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface TmuxScreen {
  /** Keys by their names in tmux. */
  press(...keys: readonly string[]): void
  type(text: string): void
  sees(text: string): Promise<void>
  /** With its colours. */
  picture(): string
  /** Kills what the shell in it runs, with SIGKILL. */
  killRunning(): void
  close(): void
}

/** A job of 20,000 requests, on a busy machine. */
const LONGEST_WAIT_MS = 300_000
const ASKED_EVERY_MS = 50

/** A command in a terminal of its own, of 256 colours. */
export function openTmux(name: string, command: string, { columns, rows }: Size, env: NodeJS.ProcessEnv): TmuxScreen {
  const socket = `crm-shot-${process.pid}-${name}`
  const tmux = (...words: string[]) =>
    spawnSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { encoding: 'utf8', env })
  const size = ['-x', String(columns), '-y', String(rows)]
  tmux('new-session', '-d', ...size, '-s', 'crm', `TERM=xterm-256color exec ${command}`)
  const plain = () => tmux('capture-pane', '-p', '-t', 'crm').stdout
  return {
    press: (...keys) => {
      for (const key of keys) tmux('send-keys', '-t', 'crm', key)
    },
    type: (text) => void tmux('send-keys', '-t', 'crm', '-l', '--', text),
    sees: async (text) => {
      for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS; waitedMs += ASKED_EVERY_MS) {
        if (plain().includes(text)) return
        await delay(ASKED_EVERY_MS)
      }
      throw new Error(`${name}: ${text} does not appear on the screen:\n${plain()}`)
    },
    picture: () => tmux('capture-pane', '-e', '-p', '-t', 'crm').stdout.replace(/\n$/, ''),
    killRunning: () => {
      const shell = Number(tmux('display-message', '-p', '-t', 'crm', '#{pane_pid}').stdout)
      for (const pid of descendantsOf(shell)) process.kill(pid, 'SIGKILL')
    },
    close: () => void tmux('kill-server'),
  }
}

/** As Linux lists them. */
function descendantsOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}
