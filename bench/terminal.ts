import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuSeconds } from './processes.ts'

/** How Ink ends each frame: synchronized output is over. */
const FRAME_END = '\x1b[?2026l'

/** On the busiest machine. */
const FRAME_WITHIN_MS = 30_000

export interface BenchTerminal {
  /** Bytes and frames since it began. */
  bytes(): number
  frames(): number
  write(text: string): void
  /** Resolves with the next frame whose text, or that of one before it, holds `text`. */
  frameWith(text: string): Promise<void>
  /** Resolves with the next frame, or with the next one that writes `having`. */
  nextFrame(having?: string): Promise<void>
  /** Moves the cursor so many times, as fast as the frames come. */
  drawFrames(count: number): Promise<void>
  /** Of the program in it, in MiB. */
  residentMib(): number
  /** That the program in it has used so far. */
  cpuSeconds(): number
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
  let begun = ''
  let waiting: { readonly having: string; readonly wake: () => void }[] = []
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    bytes += Buffer.byteLength(text)
    seen = (seen + text).slice(-200_000)
    const parts = (begun + text).split(FRAME_END)
    begun = parts.pop() ?? ''
    frames += parts.length
    const isIn = (having: string) => parts.some((frame) => frame.includes(having))
    const woken = waiting.filter(({ having }) => isIn(having))
    waiting = waiting.filter(({ having }) => !isIn(having))
    for (const { wake } of woken) wake()
  })
  const pid = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ')[0])
  const nextFrame = async (having = '') => {
    const frame = new Promise<boolean>((resolve) => waiting.push({ having, wake: () => resolve(true) }))
    if (!(await Promise.race([frame, delay(FRAME_WITHIN_MS, false, { ref: false })])))
      throw new Error('no frame was drawn')
  }
  return {
    bytes: () => bytes,
    frames: () => frames,
    write: (text) => void child.stdin?.write(text),
    nextFrame,
    frameWith: async (text) => {
      while (!seen.includes(text)) await nextFrame()
    },
    drawFrames: async (count) => {
      for (let drawn = 0; drawn < count; drawn++) {
        const frame = nextFrame()
        child.stdin?.write(drawn % 60 < 30 ? '\x1b[B' : '\x1b[A')
        await frame
      }
    },
    residentMib: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1]) / 1024,
    cpuSeconds: () => cpuSeconds(pid()),
    end: () => void child.kill('SIGKILL'),
  }
}
