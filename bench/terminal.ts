import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** How Ink ends each frame: synchronized output is over. */
const FRAME_END = '\x1b[?2026l'

export interface BenchTerminal {
  /** Bytes and frames since it began. */
  bytes(): number
  frames(): number
  write(text: string): void
  /** Resolves with the next frame whose text, or that of one before it, holds `text`. */
  frameWith(text: string): Promise<void>
  /** Resolves with the next frame. */
  nextFrame(): Promise<void>
  /** Of the program in it, in MiB. */
  residentMib(): number
  end(): void
}

/** A program in a pseudo-terminal of 120 by 40: that of util-linux's script, because one of our own would need a compiler. */
export function openBenchTerminal(words: readonly string[], env: NodeJS.ProcessEnv): BenchTerminal {
  const command = `stty cols 120 rows 40; exec ${words.map((word) => `'${word}'`).join(' ')}`
  const { CI: _, ...rest } = env
  const child: ChildProcess = spawn('script', ['-qfec', command, '/dev/null'], {
    env: { ...rest, TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let bytes = 0
  let frames = 0
  let seen = ''
  let waiting: (() => void)[] = []
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    bytes += Buffer.byteLength(text)
    seen = (seen + text).slice(-200_000)
    const ended = text.split(FRAME_END).length - 1
    frames += ended
    if (ended === 0) return
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  })
  const nextFrame = () => new Promise<void>((resolve) => waiting.push(resolve))
  return {
    bytes: () => bytes,
    frames: () => frames,
    write: (text) => void child.stdin?.write(text),
    nextFrame,
    frameWith: async (text) => {
      while (!seen.includes(text)) await nextFrame()
    },
    residentMib: () => {
      const [pid = ''] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ')
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
    },
    end: () => void child.kill('SIGKILL'),
  }
}
