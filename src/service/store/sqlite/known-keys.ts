import type { ApiKey } from '../store.ts'
import { findKey } from './api-keys.ts'
import type { Connection } from './connection.ts'

/** Beyond this number all are dropped: there are few keys. */
const MAX_KEYS = 10_000

/**
 * The keys of the last requests, kept until the database changed. Whether another process changed it is asked once per turn of
 * the event loop, so a key that is revoked elsewhere stops with the next turn.
 */
export class KnownKeys {
  readonly #db: Connection
  readonly #keys = new Map<string, ApiKey>()
  #dataVersion: number | undefined
  #isCurrent = false

  constructor(db: Connection) {
    this.#db = db
  }

  find(hash: string): ApiKey | undefined {
    if (!this.#isCurrent) this.#refresh()
    const known = this.#keys.get(hash)
    if (known) return known
    const key = findKey(this.#db, hash)
    if (!key) return undefined
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
    this.#keys.set(hash, key)
    return key
  }

  /** Changes keys in this process, which PRAGMA data_version does not show. */
  changing<T>(change: () => T): T {
    this.#keys.clear()
    return change()
  }

  #refresh(): void {
    // Changes only when another connection commits: https://sqlite.org/pragma.html#pragma_data_version
    const [current] = this.#db.get<[number]>('PRAGMA data_version') ?? []
    if (current !== this.#dataVersion) this.#keys.clear()
    this.#dataVersion = current
    this.#isCurrent = true
    setImmediate(() => {
      this.#isCurrent = false
    })
  }
}
