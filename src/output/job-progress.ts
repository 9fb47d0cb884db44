import { jsonText } from './json-text.ts'
import { ERASE_LINE } from './note-line.ts'
import type { ProgressOptions } from './progress.ts'
import { safeText } from './safe-text.ts'

/** The progress of bulk work. */
export interface JobCounts {
  readonly done: number
  readonly total: number
  readonly failed: number
}

export interface JobPauseNote {
  readonly why: string
  readonly untilMs: number | undefined
}

export interface JobProgress {
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
  let from = { ms: startMs, done: -1 }
  let perSecond = 0
  let paused: JobPauseNote | undefined

  const measure = (counts: JobCounts, nowMs: number) => {
    if (from.done < 0) from = { ms: nowMs, done: counts.done }
    const elapsedMs = nowMs - from.ms
    if (elapsedMs > 0) perSecond = ((counts.done - from.done) * 1000) / elapsedMs
    if (elapsedMs > RATE_OVER_MS)
      from = { ms: nowMs - elapsedMs / 2, done: counts.done - (counts.done - from.done) / 2 }
  }
  const say = (counts: JobCounts, nowMs: number) => {
    const text = mode === 'json' ? jsonLine(counts, perSecond, paused) : textLine(counts, perSecond, { paused, nowMs })
    stderr.write(mode === 'terminal' ? `${ERASE_LINE}${text}` : `${text}\n`)
    saidMs = nowMs
  }
  return {
    update(counts) {
      if (flag === 'none') return
      const nowMs = now()
      if (from.done >= 0 && nowMs - saidMs < EVERY_MS[mode]) return
      measure(counts, nowMs)
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
    },
    end(counts) {
      if (flag === 'none') return
      if (mode === 'terminal') stderr.write(ERASE_LINE)
      if (mode === 'json') say(counts, now())
    },
  }
}

function jsonLine({ done, total, failed }: JobCounts, perSecond: number, paused: JobPauseNote | undefined): string {
  const numbers = { done, total, failed, per_second: Math.round(perSecond) }
  return jsonText({ progress: { ...numbers, paused: paused?.why ?? null } })
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
    parts.push(`${perSecond < 10 ? perSecond.toFixed(1) : grouped(Math.round(perSecond))}/s`)
    if (perSecond > 0) parts.push(`${duration(((total - done) / perSecond) * 1000)} left`)
  }
  return parts.join(' · ')
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
