/** A round is long enough to be measured, and short enough to follow a server that changes. */
const ROUND_MS = 100
const MOST_GROWTH = 1.5
/** Less than this is the noise of measuring. */
const REAL_GAIN = 1.05
const SLOWER_THAN = 2
const HOLD_ROUNDS = 30
const BASE_LIFE_MS = 30_000

/**
 * How many requests are under way at once. More, while the server does more with them or answers as fast as ever; back
 * when it does not, because what then grows is only the queue in front of it (Brakmo & Peterson, TCP Vegas, 1994). A
 * server that commits in groups answers more slowly and does more all the same, so latency alone does not decide.
 */
export class Width {
  readonly #most: number
  #width: number
  #before = { width: 0, perMs: 0 }
  #heldRounds = 0
  #startMs: number | undefined
  #answers = 0
  #tookMs = 0
  #base = { ms: Number.POSITIVE_INFINITY, atMs: 0 }

  constructor(start: number, most: number) {
    this.#width = Math.min(start, most)
    this.#most = most
  }

  get now(): number {
    return this.#width
  }

  answered(nowMs: number, tookMs: number): void {
    this.#startMs ??= nowMs
    this.#answers += 1
    this.#tookMs += tookMs
    const elapsedMs = nowMs - this.#startMs
    if (elapsedMs < ROUND_MS || this.#answers < 2 * this.#width) return
    this.#decide(this.#answers / elapsedMs, this.#tookMs / this.#answers, nowMs)
    this.#startMs = nowMs
    this.#answers = 0
    this.#tookMs = 0
  }

  /** Half, when a request came back refused or not at all. */
  shrink(): void {
    this.#width = Math.max(1, Math.floor(this.#width / 2))
    this.#heldRounds = 0
    this.#before = { width: 0, perMs: 0 }
  }

  #decide(perMs: number, averageMs: number, nowMs: number): void {
    if (averageMs < this.#base.ms || nowMs - this.#base.atMs > BASE_LIFE_MS) this.#base = { ms: averageMs, atMs: nowMs }
    const hasGrown = this.#width > this.#before.width
    const hasGained = perMs > this.#before.perMs * REAL_GAIN
    const isQuick = averageMs <= this.#base.ms * SLOWER_THAN
    if (hasGrown && !hasGained && !isQuick && this.#before.width > 0) {
      this.#width = this.#before.width
      this.#heldRounds = HOLD_ROUNDS
      return
    }
    if (this.#heldRounds > 0) {
      this.#heldRounds -= 1
      return
    }
    this.#before = { width: this.#width, perMs }
    this.#width = Math.min(this.#most, Math.ceil(this.#width * MOST_GROWTH))
  }
}
