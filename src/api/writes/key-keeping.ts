import type { IncomingHttpHeaders } from 'node:http'
import type { JsonValue } from '../../core/json.ts'
import type { Wire } from '../../core/wire.ts'
import type { ApiOptions } from '../options.ts'
import type { Call } from '../transport/call.ts'

/** Headers that only a server with idempotency keys sends. */
const SHOWN_IN = ['idempotent-replayed', 'idempotency-replayed', 'idempotency-policy'] as const

/** Error codes that only such a server sends. */
const SHOWN_BY_CODE = /^idempotency_(?:in_progress|key_reused)$/

/** The name of such a header in an answer. */
export function showingHeader(headers: IncomingHttpHeaders): string | undefined {
  return SHOWN_IN.find((name) => headers[name] !== undefined)
}

export interface Shown {
  readonly headers?: IncomingHttpHeaders | undefined
  readonly serverCode?: string
}

/** Reads a JSON document of the server; undefined when there is none, null when the server does not answer. */
export type ReadDocument = (path: string) => Promise<JsonValue | undefined>

/**
 * Whether the server keeps idempotency keys, so that a create may be repeated with its key. The setting wire.idempotency
 * decides; without it the server has to show it.
 */
export class KeyKeeping {
  readonly #wire: Wire
  #asked: Promise<boolean | undefined> | undefined
  #isShown = false

  constructor(wire: Wire) {
    this.#wire = wire
  }

  get isKept(): boolean {
    return this.#wire.idempotency === undefined ? this.#isShown : this.#wire.idempotency === 'kept'
  }

  learn({ headers = {}, serverCode = '' }: Shown): void {
    this.#isShown ||= showingHeader(headers) !== undefined || SHOWN_BY_CODE.test(serverCode)
  }

  /** The same, after reading the OpenAPI document, once, for creates at this path. */
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
    const { documentNamesKey } = await import('./openapi-keys.ts')
    return documentNamesKey(read, { path, header: this.#wire.idempotencyHeader })
  }
}

/** Whether the server answered with what it kept of an earlier request under the same idempotency key. */
export function isReplayed(headers: IncomingHttpHeaders): boolean {
  return String(headers['idempotent-replayed'] ?? headers['idempotency-replayed']) === 'true'
}

/** For the first try of a write: behind a lost answer, the earlier request is its own. */
export function reportReplay(
  { onReplay }: Pick<ApiOptions, 'onReplay'>,
  { action }: Call,
  { headers }: { readonly headers?: IncomingHttpHeaders },
): void {
  if (headers && isReplayed(headers)) onReplay?.(action)
}
