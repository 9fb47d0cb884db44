import type { Socket } from 'node:net'

/** What clients that send or read slowly may keep in memory. */
const MAX_BYTES = 256 * 1024 * 1024

/** Bodies in memory, by connection. Beyond the limit, the connections that have kept theirs for longest are closed. */
export class HeldBytes {
  readonly #bytesOf = new Map<Socket, number>()
  readonly #onFull: () => void
  readonly #maxBytes: number
  #sum = 0

  constructor(onFull: () => void, maxBytes = MAX_BYTES) {
    this.#onFull = onFull
    this.#maxBytes = maxBytes
  }

  hold(socket: Socket, bytes: number): void {
    this.#sum += bytes
    this.#bytesOf.set(socket, (this.#bytesOf.get(socket) ?? 0) + bytes)
    for (const [oldest] of this.#bytesOf) {
      if (this.#sum <= this.#maxBytes || this.#bytesOf.size === 1) return
      this.release(oldest)
      this.#onFull()
      oldest.destroy()
    }
  }

  release(socket: Socket): void {
    this.#sum -= this.#bytesOf.get(socket) ?? 0
    this.#bytesOf.delete(socket)
  }
}
