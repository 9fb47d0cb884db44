import type { IncomingHttpHeaders } from 'node:http'
import type { KeyState } from '../errors/failure.ts'
import type { ApiOptions } from '../options.ts'
import type { ServerTerms } from '../server-terms.ts'
import type { Call } from '../transport/call.ts'

/** Error codes that only a server with idempotency keys sends. */
const KEY_CODE = /^idempotency_(?:in_progress|key_reused)$/

/** The parameter of a policy, in seconds, as in RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers): `"account";w=86400`. */
const WINDOW = /;\s*w=(\d+)/

export interface KeyEvidence {
  readonly headers?: IncomingHttpHeaders | undefined
  readonly serverCode?: string
}

/**
 * Whether the server keeps idempotency keys, so that a create may be repeated with its key. The connector
 * decides; without it, the answers of the server do.
 */
export class KeyKeeping implements KeyState {
  readonly #terms: ServerTerms
  readonly #isOpen: boolean
  readonly #headers: readonly string[]
  readonly #isDrafted: boolean
  #isShown = false
  #statedMs = Number.POSITIVE_INFINITY

  constructor({ terms, connector }: Pick<ApiOptions, 'terms' | 'connector'>) {
    const { idempotency, drafted } = connector?.document ?? {}
    this.#terms = terms
    this.#isOpen = terms.profile !== undefined && idempotency !== 'none'
    this.#isDrafted = drafted !== undefined && typeof idempotency === 'object'
    this.#headers = typeof idempotency === 'object' ? (idempotency.kept ?? []) : []
  }

  get hint(): string | undefined {
    if (!this.#isOpen) return undefined
    if (this.#isDrafted) return 'crm connectors check --write shows whether the server keeps idempotency keys'
    return `if the server keeps idempotency keys, its connector can say so: idempotency: { header: ${this.#terms.idempotencyHeader} }`
  }

  get isKept(): boolean {
    return this.#terms.idempotency === undefined ? this.#isShown : this.#terms.idempotency === 'kept'
  }

  /** Whether any answer of the server may still show it. */
  get canBeShown(): boolean {
    return this.#terms.idempotency === undefined && this.#headers.length > 0 && !this.#isShown
  }

  /** How long the server keeps keys: what its connector says, or less where answers of the server do. */
  windowMs(described: number): number {
    return Math.min(described, this.#statedMs)
  }

  learn({ headers = {}, serverCode = '' }: KeyEvidence): void {
    const shown = this.#headers.flatMap((name) => headers[name.toLowerCase()] ?? [])
    this.#isShown ||= shown.length > 0 || KEY_CODE.test(serverCode)
    for (const text of shown) {
      const [, seconds] = WINDOW.exec(text) ?? []
      if (seconds !== undefined) this.#statedMs = Math.min(this.#statedMs, Number(seconds) * 1000)
    }
  }
}

/** Whether the answer is the kept result of an earlier request with the same idempotency key. */
export function isReplayed(headers: IncomingHttpHeaders): boolean {
  return String(headers['idempotent-replayed'] ?? headers['idempotency-replayed']) === 'true'
}

/** For the first try of a write only: after a lost answer, the earlier request is its own. */
export function reportReplay(
  { onReplay }: Pick<ApiOptions, 'onReplay'>,
  { action }: Call,
  { headers }: { readonly headers?: IncomingHttpHeaders },
): void {
  if (headers && isReplayed(headers)) onReplay?.(action)
}
