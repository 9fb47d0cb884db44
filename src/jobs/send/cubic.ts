/** Growth of RFC 9438, with the constants that a simulation of several kinds of limits settled on. */
const BETA = 0.85
const C = 0.02
const GROWTH = 1.04
const FIRST_PER_SECOND = 50
const LEAST_PER_SECOND = 0.1
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

/**
 * The rate of requests where no header tells it: grown soon while nothing is refused. From one refusal to the end of the
 * next, what got through over the time it took is what the server allows; around that the rate then feels its way.
 */
export class CubicRate {
  #perSecond = FIRST_PER_SECOND
  #allowed: { readonly perSecond: number; readonly sinceMs: number } | undefined
  #cycle: { readonly startMs: number; count: number } | undefined
  #refusals = 0
  #pausedUntilMs = 0

  get perSecond(): number {
    return this.#perSecond
  }

  /** Whether anything was ever refused. */
  get isFeltFor(): boolean {
    return this.#allowed !== undefined
  }

  /** How long nothing should be sent; each refusal that follows a pause doubles the next one. */
  pauseMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs)
  }

  succeeded(nowMs: number): void {
    this.#cycle ??= { startMs: nowMs, count: 0 }
    this.#cycle.count += 1
    // Answers to what was sent before the pause say nothing about its end.
    if (this.#refusals > 0 && nowMs >= this.#pausedUntilMs) this.#goOn(nowMs, this.#cycle)
    else if (!this.#allowed) this.#perSecond = Math.min(this.#perSecond * GROWTH, 1e6)
    else this.#perSecond = curve(this.#allowed.perSecond, (nowMs - this.#allowed.sinceMs) / 1000)
  }

  refused(nowMs: number): void {
    if (nowMs < this.#pausedUntilMs) return
    this.#pausedUntilMs = nowMs + Math.min(FIRST_PAUSE_MS * 2 ** this.#refusals, LONGEST_PAUSE_MS)
    this.#refusals += 1
  }

  /** From what another process of the account has found out, or for fewer or more of them. */
  adopt(perSecond: number, nowMs: number): void {
    this.#allowed = { perSecond, sinceMs: nowMs }
    this.#perSecond = curve(perSecond, 0)
  }

  #goOn(nowMs: number, { startMs, count }: { startMs: number; count: number }): void {
    this.#refusals = 0
    this.adopt(Math.max(LEAST_PER_SECOND, (count * 1000) / Math.max(1, nowMs - startMs)), nowMs)
    this.#cycle = { startMs: nowMs, count: 0 }
  }
}

function curve(allowed: number, seconds: number): number {
  const k = Math.cbrt((allowed * (1 - BETA)) / C)
  return Math.max(LEAST_PER_SECOND, C * (seconds - k) ** 3 + allowed)
}
