import type { IncomingHttpHeaders } from 'node:http'
import type { Wire } from '../../core/wire.ts'
import type { KeyState } from '../errors/failure.ts'
import type { ReadDocument } from '../openapi-document.ts'
import type { ApiOptions } from '../options.ts'
import type { Call } from '../transport/call.ts'

/** Headers that only a server with idempotency keys sends. */
const KEY_HEADERS = ['idempotent-replayed', 'idempotency-replayed', 'idempotency-policy'] as const

/** Error codes that only such a server sends. */
const KEY_CODE = /^idempotency_(?:in_progress|key_reused)$/

/** The name of a header that only a server with idempotency keys sends. */
export function showingHeader(headers: IncomingHttpHeaders): string | undefined {
  return KEY_HEADERS.find((name) => headers[name] !== undefined)
}

export interface KeyEvidence {
  readonly headers?: IncomingHttpHeaders | undefined
  readonly serverCode?: string
}

/**
 * Whether the server keeps idempotency keys, so that a create may be repeated with its key. The connector
 * decides; without it, the answers of the server do.
 */
export class KeyKeeping implements KeyState {
  readonly #wire: Wire
  readonly #isOpen: boolean
  #asked: Promise<boolean | undefined> | undefined
  #isShown = false

  constructor({ wire, connector }: Pick<ApiOptions, 'wire' | 'connector'>) {
    this.#wire = wire
    this.#isOpen = wire.profile !== undefined && connector?.document.idempotency !== 'none'
  }

  get hint(): string | undefined {
    if (!this.#isOpen) return undefined
    return `if the server keeps idempotency keys, its connector can say so: idempotency: { header: ${this.#wire.idempotencyHeader} }`
  }

  get isKept(): boolean {
    return this.#wire.idempotency === undefined ? this.#isShown : this.#wire.idempotency === 'kept'
  }

  learn({ headers = {}, serverCode = '' }: KeyEvidence): void {
    this.#isShown ||= showingHeader(headers) !== undefined || KEY_CODE.test(serverCode)
  }

  /** Like `isKept`, after reading the OpenAPI document once for creates at this path. */
  async isKeptAt(path: string, read: ReadDocument): Promise<boolean> {
    if (this.isKept || this.#wire.idempotency !== undefined) return this.isKept
    this.#asked ??= this.#ask(path, read)
    const isNamed = await this.#asked
    // Read again the next time: the server did not answer.
    if (isNamed === undefined) this.#asked = undefined
    if (isNamed) this.#isShown = true
    return this.isKept
  }

  async #ask(path: string, read: ReadDocument): Promise<boolean | undefined> {
    const { documentNamesKey } = await import('../openapi-document.ts')
    return documentNamesKey(read, { path, header: this.#wire.idempotencyHeader })
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
