import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** What happens at the next COMMIT: lost on its way, or its answer is; or it never arrives and nothing is cut. */
export type CommitLoss = 'request' | 'answer' | 'held'

/** A TCP proxy between a service and its database, whose connections can be cut. */
export interface CutProxy {
  readonly port: number
  /** Cuts all connections; how many there were. */
  cutAll(): number
  /** Cuts the connection of the next COMMIT, for which the promise waits, or for another call. */
  loseNextCommit(loss: CommitLoss): Promise<void>
  /** Resolves when a COMMIT has passed. */
  nextCommit(): Promise<void>
  /** From now on, what the database says arrives so much later. */
  delay(ms: number): void
  close(): void
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

/** The end of a message of the simple protocol, and of its answer. */
const COMMIT = Buffer.from('COMMIT\0')

export async function startCutProxy(target: () => { readonly host: string; readonly port: number }): Promise<CutProxy> {
  const pairs = new Set<Pair>()
  const met: (() => void)[] = []
  let loss: { readonly kind: CommitLoss; readonly done: () => void } | undefined
  let delayMs = 0

  const cut = ({ client, server }: Pair): void => {
    client.resetAndDestroy()
    server.destroy()
  }
  const fromClient = (pair: Pair, chunk: Buffer): void => {
    if (!chunk.includes(COMMIT)) return void pair.server.write(chunk)
    for (const resolve of met.splice(0)) resolve()
    const now = loss
    loss = undefined
    if (now?.kind === 'request') cut(pair)
    else if (now?.kind !== 'held') pair.server.write(chunk)
    if (now?.kind === 'answer') {
      // What arrives first may be the answer of an earlier statement: cut there, the COMMIT may not have been done.
      pair.server.removeAllListeners('data')
      pair.server.on('data', (answer) => (answer.includes(COMMIT) ? cut(pair) : pair.client.write(answer)))
    }
    now?.done()
  }
  const server = createServer((client) => {
    const pair = { client, server: connect(target()) }
    pairs.add(pair)
    client.setNoDelay(true)
    pair.server.setNoDelay(true)
    client.on('data', (chunk: Buffer) => fromClient(pair, chunk))
    // One after the other, also when the delay ends.
    let passed = Promise.resolve()
    pair.server.on('data', (chunk) => {
      const arrivesMs = performance.now() + delayMs
      passed = passed.then(async () => {
        const leftMs = arrivesMs - performance.now()
        if (leftMs > 0) await setTimeout(leftMs)
        client.write(chunk)
      })
    })
    client.on('error', () => {})
    pair.server.on('error', () => {})
    client.on('close', () => {
      pairs.delete(pair)
      pair.server.destroy()
    })
    pair.server.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cutAll: () => {
      const { size } = pairs
      for (const pair of pairs) cut(pair)
      return size
    },
    loseNextCommit: (kind) => {
      loss?.done()
      return new Promise((done) => {
        loss = { kind, done }
      })
    },
    nextCommit: () => new Promise((resolve) => met.push(resolve)),
    delay: (ms) => (delayMs = ms),
    close: () => {
      server.close()
      for (const pair of pairs) cut(pair)
    },
  }
}
