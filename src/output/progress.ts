import type { OutputStream } from '../core/streams.ts'
import { ERASE_LINE, jsonText, safeText } from './safe-text.ts'

export const PROGRESS_FLAGS = ['auto', 'json', 'none'] as const

export type ProgressFlag = (typeof PROGRESS_FLAGS)[number]

/** The progress of a long list, on stderr. */
export interface ProgressLine {
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
export function createProgress(options: ProgressOptions): ProgressLine {
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
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** The progress of bulk work. */
interface JobCounts {
  readonly done: number
  readonly total: number
  readonly failed: number
}

interface JobPauseNote {
  readonly why: string
  readonly untilMs: number | undefined
}

interface JobProgress {
  /** After every row. */
  update(counts: JobCounts): void
  pause(pause: JobPauseNote | undefined): void
  /** Erases the line; programs get the final counts. */
  end(counts: JobCounts): void
}

const FIRST_MS = 1000

const EVERY_MS = { terminal: 250, plain: 10_000, json: 1000 } as const

/** The period that the rate is averaged over: the current rate, not the mean of an hour. */
const RATE_OVER_MS = 5000

type JobProgressOptions = Pick<ProgressOptions, 'stderr' | 'flag' | 'now'>

/** A line on stderr four times a second on a terminal, every ten seconds elsewhere; for programs one JSON object per second. */
export function createJobProgress({ stderr, flag, now }: JobProgressOptions): JobProgress {
  const mode = flag === 'json' ? 'json' : stderr.isTTY ? 'terminal' : 'plain'
  const startMs = now()
  let saidMs = startMs + FIRST_MS - EVERY_MS[mode]
  if (mode === 'plain') saidMs = startMs
  const rate = createRate()
  let paused: JobPauseNote | undefined
  let last: JobCounts | undefined
  let timer: NodeJS.Timeout | undefined

  const say = (counts: JobCounts, nowMs: number) => {
    const perSecond = rate.perSecond()
    const text =
      mode === 'json' ? jsonLine(counts, perSecond, { paused, nowMs }) : textLine(counts, perSecond, { paused, nowMs })
    stderr.write(mode === 'terminal' ? `${ERASE_LINE}${text}` : `${text}\n`)
    saidMs = nowMs
  }
  /** During a pause no row ends, so nothing else shows the time that is left. */
  const tick = () => {
    if (last) say(last, now())
  }
  return {
    update(counts) {
      if (flag === 'none') return
      last = counts
      const nowMs = now()
      if (rate.isBegun() && nowMs - saidMs < EVERY_MS[mode]) return
      rate.measure(counts.done, nowMs)
      if (nowMs - saidMs >= EVERY_MS[mode]) say(counts, nowMs)
    },
    pause(pause) {
      const isNew = pause !== undefined && pause.why !== paused?.why
      paused = pause
      if (flag !== 'none' && isNew && mode !== 'json') {
        const until =
          pause.untilMs === undefined ? '' : ` until ${new Date(pause.untilMs).toISOString().slice(11, 19)} UTC`
        const erase = mode === 'terminal' ? ERASE_LINE : ''
        stderr.write(`${erase}${safeText(`Waiting${until}: ${pause.why}`)}\n`)
      }
      clearInterval(timer)
      if (pause && flag !== 'none' && mode !== 'plain') timer = setInterval(tick, EVERY_MS[mode]).unref()
    },
    end(counts) {
      clearInterval(timer)
      if (flag === 'none') return
      if (mode === 'terminal') stderr.write(ERASE_LINE)
      if (mode === 'json') say(counts, now())
    },
  }
}

function jsonLine(
  { done, total, failed }: JobCounts,
  perSecond: number,
  { paused, nowMs }: { paused: JobPauseNote | undefined; nowMs: number },
): string {
  const numbers = { done, total, failed, per_second: Math.round(perSecond) }
  const waitMs = paused?.untilMs === undefined ? null : Math.max(0, paused.untilMs - nowMs)
  return jsonText({ progress: { ...numbers, paused: paused?.why ?? null, waiting_ms: waitMs } })
}

function textLine(
  { done, total, failed }: JobCounts,
  perSecond: number,
  { paused, nowMs }: { paused: JobPauseNote | undefined; nowMs: number },
): string {
  const parts = [`${grouped(done)} of ${grouped(total)} rows`]
  if (failed > 0) parts.push(`${grouped(failed)} failed`)
  if (paused) {
    const leftMs = paused.untilMs === undefined ? 0 : paused.untilMs - nowMs
    parts.push(safeText(leftMs > 1000 ? `waiting ${duration(leftMs)}: ${paused.why}` : `waiting: ${paused.why}`))
  } else {
    parts.push(...rateTexts(perSecond, total - done))
  }
  return parts.join(' · ')
}

/** `163/s`, and `25 s left` if it is known. */
export function rateTexts(perSecond: number, left: number): readonly string[] {
  const rate = `${perSecond < 10 ? perSecond.toFixed(1) : grouped(Math.round(perSecond))}/s`
  return perSecond > 0 ? [rate, `${duration((left / perSecond) * 1000)} left`] : [rate]
}

export interface Rate {
  isBegun(): boolean
  measure(done: number, nowMs: number): void
  perSecond(): number
}

/** Rows per second over the last seconds. */
export function createRate(): Rate {
  let from: { ms: number; done: number } | undefined
  let perSecond = 0
  return {
    isBegun: () => from !== undefined,
    measure: (done, nowMs) => {
      from ??= { ms: nowMs, done }
      const elapsedMs = nowMs - from.ms
      if (elapsedMs > 0) perSecond = ((done - from.done) * 1000) / elapsedMs
      if (elapsedMs > RATE_OVER_MS) from = { ms: nowMs - elapsedMs / 2, done: done - (done - from.done) / 2 }
    },
    perSecond: () => perSecond,
  }
}

export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
