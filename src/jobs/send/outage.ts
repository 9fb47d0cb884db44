const FAILURES_IN_A_ROW = 20
const FIRST_PROBE_MS = 1000
const LONGEST_PROBE_MS = 15_000

/** Notices that nothing gets through any more, and lets one request at a time find out when it does again. */
export class Outage {
  readonly #steadyMs: () => number
  #inARow = 0
  #sinceMs = 0
  #probes = 0
  #nextProbeMs = 0

  constructor(steadyMs: () => number) {
    this.#steadyMs = steadyMs
  }

  get isOn(): boolean {
    return this.#inARow >= FAILURES_IN_A_ROW
  }

  /** How long nothing has got through. */
  get lastsMs(): number {
    return this.#inARow === 0 ? 0 : this.#steadyMs() - this.#sinceMs
  }

  get untilProbeMs(): number {
    return this.isOn ? Math.max(0, this.#nextProbeMs - this.#steadyMs()) : 0
  }

  /** True when this failure is the one that makes an outage of it. */
  failed(): boolean {
    const wasOn = this.isOn
    if (this.#inARow === 0) this.#sinceMs = this.#steadyMs()
    this.#inARow += 1
    if (!this.isOn) return false
    this.#nextProbeMs = this.#steadyMs() + Math.min(FIRST_PROBE_MS * 2 ** this.#probes, LONGEST_PROBE_MS)
    this.#probes += 1
    return !wasOn
  }

  succeeded(): void {
    this.#inARow = 0
    this.#probes = 0
  }
}
