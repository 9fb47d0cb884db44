import type { ApiKey } from '../store.ts'

/** A key that another process revokes stops here no later; at once where its notification arrives. */
const KEPT_MS = 500

/** Beyond this number all are dropped: there are few keys. */
const MAX_KEYS = 10_000

/** The keys of the last requests, so that not each of them asks the database. */
export class KnownKeys {
  readonly #keys = new Map<string, { readonly key: ApiKey; readonly untilMs: number }>()
  /** Changes when keys are forgotten, so that a read that began before is not kept. */
  #epoch = 0

  /** `read` looks into the database. */
  async find(hash: string, read: () => Promise<ApiKey | undefined>): Promise<ApiKey | undefined> {
    const known = this.#keys.get(hash)
    if (known && performance.now() < known.untilMs) return known.key
    const epoch = this.#epoch
    const untilMs = performance.now() + KEPT_MS
    const key = await read()
    if (key && epoch === this.#epoch) {
      if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
      this.#keys.set(hash, { key, untilMs })
    }
    return key
  }

  forget(): void {
    this.#keys.clear()
    this.#epoch++
  }
}
