/** Tries under way at one subscription; how many it may have follows what it answers. */
const FIRST_LIMIT = 4
const LOWEST_LIMIT = 2
const HIGHEST_LIMIT = 64

/** However long an endpoint asks to be left alone, it is tried again after this. */
const LONGEST_PAUSE_MS = 5 * 60 * 1000

/** An answer in time lets more go at once, silence or an overload fewer; other failures are about their event. */
export type Mood = 'well' | 'busy' | 'unclear'

interface Endpoint {
  limit: number
  pausedUntilMs: number
}

/** Keeps a dead endpoint from holding the sockets that others need, and one that recovers from being run over. */
export class EndpointLimits {
  readonly #endpoints = new Map<string, Endpoint>()

  limitOf(webhookId: string, nowMs: number): number {
    const endpoint = this.#endpoints.get(webhookId)
    if (!endpoint) return FIRST_LIMIT
    return nowMs < endpoint.pausedUntilMs ? 0 : endpoint.limit
  }

  record(webhookId: string, mood: Mood): void {
    const endpoint = this.#endpointOf(webhookId)
    if (mood === 'well') endpoint.limit = Math.min(HIGHEST_LIMIT, endpoint.limit * 2)
    if (mood === 'busy') endpoint.limit = Math.max(LOWEST_LIMIT, Math.floor(endpoint.limit / 2))
  }

  pause(webhookId: string, untilMs: number, nowMs: number): void {
    const endpoint = this.#endpointOf(webhookId)
    endpoint.pausedUntilMs = Math.max(endpoint.pausedUntilMs, Math.min(untilMs, nowMs + LONGEST_PAUSE_MS))
  }

  #endpointOf(webhookId: string): Endpoint {
    const known = this.#endpoints.get(webhookId)
    if (known) return known
    const endpoint = { limit: FIRST_LIMIT, pausedUntilMs: 0 }
    this.#endpoints.set(webhookId, endpoint)
    return endpoint
  }
}
