import { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'

/** More wait in PostgreSQL behind one another, and a second connection uses another core of it. */
const MAX_SHARED = 16

type Work<T> = (client: PoolClient) => Promise<T>

/** A connection of the pool in use. */
interface Taken {
  readonly client: PoolClient
  /** After it, the connection leaves the pool when it is released. */
  end(): void
  release(): void
}

/** A connection that operations use at the same time. */
interface Shared {
  readonly taken: Promise<Taken>
  uses: number
}

/** Lends the connections of a pool. */
export class DatabaseConnections {
  readonly #pool: Pool
  readonly #isLost: (error: unknown) => boolean
  readonly #shared = new Set<Shared>()

  /** `isLost`: whether an error says that the connection is of no use any more. */
  constructor(pool: Pool, isLost: (error: unknown) => boolean) {
    this.#pool = pool
    this.#isLost = isLost
  }

  /** For a transaction, and for statements that may take long: nothing else is sent over the connection meanwhile. */
  async alone<T>(work: Work<T>): Promise<T> {
    const taken = await this.#take()
    try {
      return await work(taken.client)
    } catch (error) {
      if (this.#isLost(error)) taken.end()
      throw error
    } finally {
      taken.release()
    }
  }

  /** For one short statement: those of others follow over the same connection without a wait for its answer. */
  async shared<T>(work: Work<T>): Promise<T> {
    const connection = this.#free()
    connection.uses++
    try {
      return await work((await connection.taken).client)
    } catch (error) {
      this.#shared.delete(connection)
      if (this.#isLost(error)) await connection.taken.then((taken) => taken.end(), ignored)
      throw error
    } finally {
      connection.uses--
      if (connection.uses === 0) {
        this.#shared.delete(connection)
        await connection.taken.then((taken) => taken.release(), ignored)
      }
    }
  }

  #free(): Shared {
    for (const connection of this.#shared) if (connection.uses < MAX_SHARED) return connection
    const connection = { taken: this.#take(), uses: 0 }
    this.#shared.add(connection)
    return connection
  }

  async #take(): Promise<Taken> {
    const client = await this.#pool.connect()
    // Without a listener, an error of a connection in use ends the process; its statements reject as well.
    let isEnded = false
    const end = (): void => {
      isEnded = true
    }
    client.on('error', end)
    const release = (): void => {
      client.removeListener('error', end)
      client.release(isEnded)
    }
    return { client, end, release }
  }
}

/** Those of all connections, also of those that the server has not yet answered. */
export class Sockets {
  readonly #open = new Set<Socket>()
  #isCut = false

  open(): Socket {
    const socket = new Socket()
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    if (this.#isCut) setImmediate(() => socket.destroy())
    return socket
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#open) socket.destroy()
  }
}

/** A failed connection is reported to the caller that requested it. */
function ignored(): void {}
