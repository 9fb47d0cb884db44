/** Concurrent attempts per subscription; the limit adapts to its answers. */
const FIRST_LIMIT = 4
const LOWEST_LIMIT = 2
const HIGHEST_LIMIT = 64

/** The longest pause that an endpoint can request. */
const LONGEST_PAUSE_MS = 5 * 60 * 1000

/** `healthy` raises the limit, `overloaded` (no answer, or an overload) lowers it, `unknown` leaves it. */
export type EndpointHealth = 'healthy' | 'overloaded' | 'unknown'

interface Endpoint {
  limit: number
  pausedUntilMs: number
}

/** Keeps a dead endpoint from using up the sockets, and a recovering one from being overloaded. */
export class EndpointLimits {
  readonly #endpoints = new Map<string, Endpoint>()

  limitOf(webhookId: string, nowMs: number): number {
    const endpoint = this.#endpoints.get(webhookId)
    if (!endpoint) return FIRST_LIMIT
    return nowMs < endpoint.pausedUntilMs ? 0 : endpoint.limit
  }

  record(webhookId: string, health: EndpointHealth): void {
    const endpoint = this.#endpointOf(webhookId)
    if (health === 'healthy') endpoint.limit = Math.min(HIGHEST_LIMIT, endpoint.limit * 2)
    if (health === 'overloaded') endpoint.limit = Math.max(LOWEST_LIMIT, Math.floor(endpoint.limit / 2))
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
