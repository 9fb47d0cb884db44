import { connect } from 'node:net'

export interface Load {
  readonly url: string
  readonly connections: number
  readonly forMs: number
  /** The bytes of the request to send next. */
  readonly request: (number: number) => string
}

export interface Throughput {
  readonly count: number
  readonly perSecond: number
  readonly p99Ms: number
}

/** Sends requests over keep-alive connections, one at a time each; every answer must be 204, or a 2xx with a Content-Length. */
export async function runLoad(load: Load): Promise<Throughput> {
  const latencies: number[] = []
  const startedMs = performance.now()
  const endMs = startedMs + load.forMs
  let sent = 0
  const nextRequest = () => (performance.now() < endMs ? load.request(sent++) : undefined)
  const record = (tookMs: number) => latencies.push(tookMs)
  await Promise.all(Array.from({ length: load.connections }, () => runConnection(load.url, nextRequest, record)))
  const tookMs = performance.now() - startedMs
  latencies.sort((one, other) => one - other)
  const p99Ms = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN
  return { count: latencies.length, perSecond: (latencies.length / tookMs) * 1000, p99Ms }
}

function runConnection(
  url: string,
  nextRequest: () => string | undefined,
  record: (tookMs: number) => void,
): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    let buffered: Buffer = Buffer.alloc(0)
    let sentMs = 0
    const sendNext = () => {
      const request = nextRequest()
      sentMs = performance.now()
      if (request === undefined) socket.end(resolve)
      else socket.write(request)
    }
    socket.on('connect', sendNext)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`${url} closed the connection`)))
    socket.on('data', (chunk: Buffer) => {
      buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
      const size = answerBytes(buffered)
      if (Number.isNaN(size)) socket.destroy(new Error(`unexpected answer: ${buffered.toString('utf8', 0, 600)}`))
      if (!(buffered.length >= size)) return
      buffered = buffered.subarray(size)
      record(performance.now() - sentMs)
      sendNext()
    })
  })
}

/** The length of the answer that starts here: infinite before its head is complete, NaN for a failure. */
function answerBytes(buffered: Buffer): number {
  const headEnd = buffered.indexOf('\r\n\r\n')
  if (headEnd < 0) return Number.POSITIVE_INFINITY
  const head = buffered.toString('latin1', 0, headEnd)
  if (!/^HTTP\/1.1 2/.test(head)) return Number.NaN
  if (head.startsWith('HTTP/1.1 204')) return headEnd + 4
  return headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1])
}

export function getRequest(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`
}

export function postRequest(
  path: string,
  { key, body, idempotencyKey }: { key: string; body: string; idempotencyKey: string },
): string {
  return `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: ${idempotencyKey}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
