import type { OutputStream } from '../core/streams.ts'
import { jsonText } from './json-text.ts'
import { ERASE_LINE } from './note-line.ts'

export const PROGRESS_FLAGS = ['auto', 'json', 'none'] as const

export type ProgressFlag = (typeof PROGRESS_FLAGS)[number]

/** How far a long list has come, on stderr. */
export interface Progress {
  add(count: number): void
  /** Erases the line; programs get the last numbers. */
  end(): void
}

export interface ProgressOptions {
  readonly stderr: OutputStream
  readonly flag: ProgressFlag
  /** What is counted: `contacts`. */
  readonly plural: string
  /** Rows that scroll by on the same terminal say it better. */
  readonly isStdoutTTY: boolean
  readonly now: () => number
}

/** What is over sooner needs no word. */
const SILENT_MS = 2_000

interface Way {
  readonly firstMs: number
  readonly everyMs: number
  line(count: number, elapsedMs: number): string
  readonly last: 'line' | 'erase' | 'nothing'
}

/**
 * Counts, and from the third second on says so: four times a second on a terminal, a line every ten seconds elsewhere,
 * a JSON object a second for programs.
 */
export function createProgress(options: ProgressOptions): Progress {
  const { stderr, now } = options
  const way = options.flag === 'none' || (options.flag === 'auto' && options.isStdoutTTY) ? undefined : wayOf(options)
  const startMs = now()
  let count = 0
  let saidMs: number | undefined
  return {
    add(more) {
      count += more
      const nowMs = now()
      if (!way || nowMs - (saidMs ?? startMs) < (saidMs === undefined ? way.firstMs : way.everyMs)) return
      saidMs = nowMs
      stderr.write(way.line(count, nowMs - startMs))
    },
    end() {
      if (!way || saidMs === undefined || way.last === 'nothing') return
      stderr.write(way.last === 'erase' ? ERASE_LINE : way.line(count, now() - startMs))
    },
  }
}

function wayOf({ flag, stderr, plural }: ProgressOptions): Way {
  if (flag === 'json') {
    return {
      firstMs: SILENT_MS,
      everyMs: 1_000,
      line: (done, elapsedMs) =>
        `${jsonText({ progress: { done, unit: plural, per_second: perSecond(done, elapsedMs), elapsed_ms: elapsedMs } })}\n`,
      last: 'line',
    }
  }
  const text = (done: number, elapsedMs: number): string =>
    `${grouped(done)} ${plural} · ${grouped(perSecond(done, elapsedMs))}/s`
  if (!stderr.isTTY) return { firstMs: 10_000, everyMs: 10_000, line: (...so) => `${text(...so)}\n`, last: 'nothing' }
  return { firstMs: SILENT_MS, everyMs: 250, line: (...so) => ERASE_LINE + text(...so), last: 'erase' }
}

function perSecond(done: number, elapsedMs: number): number {
  return Math.round((done * 1000) / Math.max(1, elapsedMs))
}

/** 12,300: Intl would cost more than all else here. */
function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
