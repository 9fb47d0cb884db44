import { duration, grouped, type ProgressOptions } from './progress.ts'
import { ERASE_LINE, jsonText, safeText } from './safe-text.ts'

/** How far one part of the planning is: the input, or the records of the server. */
interface PlanningStep {
  readonly what: string
  readonly unit: 'records' | 'bytes'
  readonly done: number
  /** In the unit; undefined if it is unknown. */
  readonly total: number | undefined
}

export interface PlanningProgress {
  step(step: PlanningStep): void
  /** Requests wait for the rate limit. False if nothing shows the time left. */
  wait(waitMs: number, why: string): boolean
  /** Erases the line. */
  end(): void
}

/** From the first half second on, because a person who sees nothing stops the command. */
const FIRST_MS = 500

const EVERY_MS = { terminal: 250, plain: 10_000, json: 1000 } as const

/** One line, overwritten on a terminal, every ten seconds elsewhere; one JSON object a second for programs. */
export function createPlanningProgress({
  stderr,
  flag,
  now,
}: Pick<ProgressOptions, 'stderr' | 'flag' | 'now'>): PlanningProgress {
  if (flag === 'none') return { step: () => {}, wait: () => false, end: () => {} }
  const mode = flag === 'json' ? 'json' : stderr.isTTY ? 'terminal' : 'plain'
  let dueMs = now() + FIRST_MS
  let last: PlanningStep | undefined
  let waiting: { readonly untilMs: number; readonly why: string } | undefined
  let isShown = false
  const startMs = now()
  const say = () => {
    const nowMs = now()
    if (nowMs < dueMs || !last) return
    // The log of a script needs no line about a small file on a slow machine.
    if (mode === 'plain' && !isShown && !isLarge(last) && nowMs - startMs < EVERY_MS.plain) return
    dueMs = nowMs + EVERY_MS[mode]
    const leftMs = waiting ? waiting.untilMs - nowMs : 0
    const wait = waiting && leftMs > 0 ? { leftMs, why: waiting.why } : undefined
    const line = mode === 'json' ? jsonLine(last, wait) : textLine(last, wait)
    stderr.write(mode === 'terminal' ? ERASE_LINE + line : `${line}\n`)
    isShown = true
  }
  // While a request or the rate limit is waited for, no step is reported.
  const timer = setInterval(say, EVERY_MS.terminal).unref()
  return {
    step(step) {
      last = step
      say()
    },
    wait(waitMs, why) {
      waiting = { untilMs: now() + waitMs, why }
      say()
      return mode !== 'plain' && last !== undefined
    },
    end() {
      clearInterval(timer)
      if (mode === 'terminal' && isShown) stderr.write(ERASE_LINE)
    },
  }
}

const LARGE = { bytes: 1_000_000, records: 2000 } as const

function isLarge({ unit, done, total = done }: PlanningStep): boolean {
  return total >= LARGE[unit]
}

type Wait = { readonly leftMs: number; readonly why: string } | undefined

function jsonLine({ what, unit, done, total }: PlanningStep, wait: Wait): string {
  const planning = {
    what,
    unit,
    done,
    total: total ?? null,
    waiting_ms: wait?.leftMs ?? null,
    paused: wait?.why ?? null,
  }
  return jsonText({ planning })
}

function textLine({ what, unit, done, total }: PlanningStep, wait: Wait): string {
  const part = total ? `${Math.min(100, Math.floor((done * 100) / total))} %` : `${grouped(done)} ${unit}`
  const parts = [`Reading ${what}: ${part}`, ...(wait ? [`waiting ${duration(wait.leftMs)}: ${wait.why}`] : [])]
  return safeText(parts.join(' · '))
}
