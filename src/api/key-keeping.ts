import type { IncomingHttpHeaders } from 'node:http'
import type { JsonValue } from '../core/json.ts'
import type { Wire } from '../core/wire.ts'

/** Only a server that keeps idempotency keys says anything in one of these: whether an answer is a replay, and its terms. */
const SHOWN_IN = ['idempotent-replayed', 'idempotency-replayed', 'idempotency-policy'] as const

/** Problems that only such a server knows. */
const SHOWN_BY_CODE = /^idempotency_(?:in_progress|key_reused)$/

/** The header of an answer that shows it. */
export function showingHeader(headers: IncomingHttpHeaders): string | undefined {
  return SHOWN_IN.find((name) => headers[name] !== undefined)
}

export interface Shown {
  readonly headers?: IncomingHttpHeaders | undefined
  readonly serverCode?: string
}

/** The JSON of a document of the server; undefined where there is none, null where the server does not answer. */
export type ReadDocument = (path: string) => Promise<JsonValue | undefined>

/**
 * Whether a create may be sent once more under its key: where the server is known to keep keys. A person's word decides;
 * without one the server has to show it.
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

  /** The same, where the OpenAPI document may tell of creates at this path what no answer has shown; it is read once. */
  async isKeptAt(path: string, read: ReadDocument): Promise<boolean> {
    if (this.isKept || this.#wire.idempotency !== undefined) return this.isKept
    this.#asked ??= this.#ask(path, read)
    const isNamed = await this.#asked
    // A server that was down may be asked again.
    if (isNamed === undefined) this.#asked = undefined
    if (isNamed) this.#isShown = true
    return this.isKept
  }

  async #ask(path: string, read: ReadDocument): Promise<boolean | undefined> {
    const { documentNamesKey } = await import('./openapi-keys.ts')
    return documentNamesKey(read, { path, header: this.#wire.idempotencyHeader })
  }
}
