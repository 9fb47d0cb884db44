/** The curve of RFC 9438, relative to the rate: back at it after 11 s. Chosen by test/jobs/send/governor.test.ts. */
const BETA = 0.85
const STEP_DOWN = 0.8
const SCALE_SECONDS = 20
/** Where the curve is at the rate itself. */
const FLAT_SECONDS = SCALE_SECONDS * Math.cbrt(1 - BETA)
/** So few refusals are no reason to be slower: some servers refuse now and then, whatever the rate. */
const BEARABLE_PART = 0.03
const COUNTED_OVER = 200
const GROWTH = 1.02
const FIRST_PER_SECOND = 50
const LEAST_PER_SECOND = 0.1
const FIRST_PAUSE_MS = 250
/** Of the time since the first refusal: so long a pause may go on behind the end of the limit. */
const PAUSE_GROWTH = 1
const LONGEST_PAUSE_MS = 30_000

/**
 * The rate of requests where no header tells it: grown soon while nothing is refused. From one refusal to the end of the
 * next, what got through over the time it took is what the server allows; around that the rate then feels its way.
 */
export class CubicRate {
  #perSecond = FIRST_PER_SECOND
  #allowed: { readonly perSecond: number; readonly sinceMs: number } | undefined
  #cycle: { readonly startMs: number; count: number } | undefined
  #cycles = 0
  #refusals = 0
  #refusedPart = 0
  #pausedUntilMs = 0
  #refusedSinceMs = 0

  get perSecond(): number {
    return this.#perSecond
  }

  /** Whether anything was ever refused. */
  get isFeltFor(): boolean {
    return this.#allowed !== undefined
  }

  /** Whether the last word was a refusal: one request is then enough to find out whether it still holds. */
  get isRefused(): boolean {
    return this.#refusals > 0
  }

  /** How long nothing should be sent; each refusal that follows a pause makes the next one longer. */
  pauseMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs)
  }

  succeeded(nowMs: number): void {
    this.#cycle ??= { startMs: nowMs, count: 0 }
    this.#cycle.count += 1
    this.#refusedPart *= 1 - 1 / COUNTED_OVER
    // Answers to what was sent before the pause say nothing about its end.
    if (this.#refusals > 0 && nowMs >= this.#pausedUntilMs) this.#goOn(nowMs, this.#cycle)
    else if (!this.#allowed) this.#perSecond = Math.min(this.#perSecond * GROWTH, 1e6)
    else this.#perSecond = curve(this.#allowed.perSecond, (nowMs - this.#allowed.sinceMs) / 1000)
  }

  refused(nowMs: number): void {
    this.#refusedPart += (1 - this.#refusedPart) / COUNTED_OVER
    if (nowMs < this.#pausedUntilMs) return
    if (this.#refusals === 0) this.#refusedSinceMs = nowMs
    const pauseMs = Math.max(FIRST_PAUSE_MS, (nowMs - this.#refusedSinceMs) * PAUSE_GROWTH)
    this.#pausedUntilMs = nowMs + Math.min(pauseMs, LONGEST_PAUSE_MS)
    this.#refusals += 1
  }

  /** From what another process of the account has found out, or for fewer or more of them. */
  adopt(perSecond: number, nowMs: number): void {
    this.#allowed = { perSecond, sinceMs: nowMs }
    this.#perSecond = curve(perSecond, 0)
  }

  #goOn(nowMs: number, { startMs, count }: { startMs: number; count: number }): void {
    this.#refusals = 0
    if (this.#refusedPart < BEARABLE_PART) this.#hold(nowMs)
    else this.adopt(this.#allowedBy((count * 1000) / Math.max(1, nowMs - startMs)), nowMs)
    this.#cycle = { startMs: nowMs, count: 0 }
    this.#cycles += 1
  }

  /**
   * What got through in the time it took; once that is known, rather a little less than what was too much. The first cycle
   * began somewhere within a limit's window and says too much; the second began at the end of one.
   */
  #allowedBy(measured: number): number {
    const least = this.#cycles > 1 ? Math.max(measured, this.#perSecond * STEP_DOWN) : measured
    return Math.max(LEAST_PER_SECOND, Math.min(least, this.#perSecond))
  }

  /** As it is: back on the flat part of the curve. Before anything was felt there is no curve to be on. */
  #hold(nowMs: number): void {
    if (this.#allowed) this.#allowed = { perSecond: this.#perSecond, sinceMs: nowMs - 1000 * FLAT_SECONDS }
  }
}

function curve(allowed: number, seconds: number): number {
  return Math.max(LEAST_PER_SECOND, allowed * (1 + ((seconds - FLAT_SECONDS) / SCALE_SECONDS) ** 3))
}
