import type { OutputStream } from '../core/streams.ts'
import { jsonText } from './json-text.ts'
import { ERASE_LINE } from './note-line.ts'

export const PROGRESS_FLAGS = ['auto', 'json', 'none'] as const

export type ProgressFlag = (typeof PROGRESS_FLAGS)[number]

/** The progress of a long list, on stderr. */
export interface Progress {
  add(count: number): void
  /** Erases the line; programs get the final counts. */
  end(): void
}

export interface ProgressOptions {
  readonly stderr: OutputStream
  readonly flag: ProgressFlag
  /** The counted records: `contacts`. */
  readonly plural: string
  /** Rows printed on the same terminal already show the progress. */
  readonly isStdoutTTY: boolean
  readonly now: () => number
}

/** A shorter command shows no progress. */
const SILENT_MS = 2_000

interface Mode {
  readonly firstMs: number
  readonly everyMs: number
  line(count: number, elapsedMs: number): string
  readonly last: 'line' | 'erase' | 'nothing'
}

/**
 * Counts rows, and from the third second on shows the count: four times a second on a terminal, a line every ten seconds
 * elsewhere, one JSON object per second for programs.
 */
export function createProgress(options: ProgressOptions): Progress {
  const { stderr, now } = options
  const mode = options.flag === 'none' || (options.flag === 'auto' && options.isStdoutTTY) ? undefined : modeOf(options)
  const startMs = now()
  let count = 0
  let saidMs: number | undefined
  return {
    add(more) {
      count += more
      const nowMs = now()
      if (!mode || nowMs - (saidMs ?? startMs) < (saidMs === undefined ? mode.firstMs : mode.everyMs)) return
      saidMs = nowMs
      stderr.write(mode.line(count, nowMs - startMs))
    },
    end() {
      if (!mode || saidMs === undefined || mode.last === 'nothing') return
      stderr.write(mode.last === 'erase' ? ERASE_LINE : mode.line(count, now() - startMs))
    },
  }
}

function modeOf({ flag, stderr, plural }: ProgressOptions): Mode {
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

/** 12,300; Intl would take longer than the rest of the line. */
function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
