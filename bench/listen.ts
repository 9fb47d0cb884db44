import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { secretBytes, signWebhook } from '../src/core/signing.ts'
import { type Load, runLoad, type Throughput } from './load.ts'
import { benchFolder, CRM, median, plainEnv, ROOT, type Server, startServer, timeCommands } from './processes.ts'
import type { Row } from './table.ts'

const CONNECTIONS = 32
const FOR_MS = 3000
const ROUNDS = 3
const WARM_UP_MS = 1500
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const KEY = secretBytes(SECRET)

/** An event of 1 KB, as sent by crm serve. */
const BODY = Buffer.from(
  JSON.stringify({
    type: 'contact.created',
    timestamp: '2026-01-02T03:04:05.006Z',
    data: { id: 'con_0s9nf8t2c00', name: 'Ada Lovelace', email: 'ada@engines.example', about: 'x'.repeat(860) },
  }),
)

/** Signed events a second, each on disk before the answer and then printed, beside a server that does nothing. */
export async function measureListen(): Promise<Row[]> {
  const folder = benchFolder()
  const listener = await startListener()
  const forgetful = await startServer([join(ROOT, 'bench/floors/forgetful-server.mjs')], plainEnv())
  const keeping = await startServer([join(ROOT, 'bench/floors/keeping-server.mjs'), join(folder, 'bodies')], plainEnv())
  const servers = [listener.server, forgetful, keeping] as const
  let sent = 0
  const run = async (server: Server, forMs: number) => {
    const result = await runLoad(load(server, forMs, sent))
    sent += result.count
    return result
  }
  const results = servers.map((): Throughput[] => [])
  let kept = 0
  for (const server of servers) {
    const { count } = await run(server, WARM_UP_MS)
    if (server === listener.server) kept += count
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, server] of servers.entries()) results[at]?.push(await run(server, FOR_MS))
  }
  await Promise.all(servers.map((server) => server.stop()))
  const [ours = [], forgot = [], keptBare = []] = results
  const lost = kept + ours.reduce((sum, { count }) => sum + count, 0) - (await keptIds(listener.home)).size
  const rate = (all: readonly Throughput[]): number => median(all.map((each) => each.perSecond))
  const perSecond = rate(ours)
  const p99Ms = median(ours.map((each) => each.p99Ms))
  return [
    {
      what: 'listen: 1 KB events kept before 2xx, 32 connections',
      measured: `${perSecond.toFixed(0)}/s`,
      peer: `node:http that forgets: ${rate(forgot).toFixed(0)}/s`,
      ratio: perSecond / rate(forgot),
      goal: undefined,
    },
    {
      what: 'listen: the same, beside one that keeps and does no more',
      measured: `${perSecond.toFixed(0)}/s`,
      peer: `node:http and fdatasync: ${rate(keptBare).toFixed(0)}/s`,
      ratio: perSecond / rate(keptBare),
      goal: undefined,
    },
    {
      what: 'listen: the same, against the goal',
      measured: `${perSecond.toFixed(0)}/s`,
      peer: '5000/s',
      ratio: perSecond / 5000,
      goal: { atLeast: 1 },
    },
    {
      what: 'listen: p99 of the answer',
      measured: `${p99Ms.toFixed(1)} ms`,
      peer: '50 ms',
      ratio: p99Ms / 50,
      goal: { atMost: 1 },
    },
    noneLost(lost),
    await measureReady(),
  ]
}

/** Memory after a fifth of the events, when the store of ids should be full, and after all of them. */
export async function measureListenMemory(events: number): Promise<Row[]> {
  const { server, home } = await startListener()
  let count = 0
  const sizes: number[] = []
  while (count < events) {
    count += (await runLoad(load(server, 10_000, count))).count
    sizes.push(rssMiB(server.child.pid))
    process.stderr.write(`  ${count} events, ${sizes.at(-1)?.toFixed(0)} MiB\n`)
  }
  await server.stop()
  const kept = (await keptIds(home)).size
  const settled = sizes[Math.ceil(sizes.length * 0.2)] ?? Number.NaN
  const last = sizes.at(-1) ?? Number.NaN
  return [
    {
      what: `listen: RSS after ${count} events`,
      measured: `${last.toFixed(0)} MiB`,
      peer: `at a fifth: ${settled.toFixed(0)} MiB`,
      ratio: last / settled,
      goal: { atMost: 1.15 },
    },
    noneLost(count - kept),
  ]
}

function noneLost(lost: number): Row {
  return {
    what: 'listen: answered and not in the log',
    measured: String(lost),
    peer: '0',
    ratio: lost,
    goal: { atMost: 0 },
  }
}

async function measureReady(): Promise<Row> {
  const bareMs = timeCommands({ bare: [process.execPath, '-e', '0'] }, 15, plainEnv()).bare ?? 0
  const times: number[] = []
  for (let round = 0; round < 15; round++) {
    const startedMs = performance.now()
    const { server } = await startListener()
    times.push(performance.now() - startedMs)
    await server.stop()
  }
  const tookMs = median(times)
  return {
    what: 'listen: ready',
    measured: `${tookMs.toFixed(0)} ms`,
    peer: `node -e 0 and 125 ms: ${(bareMs + 125).toFixed(0)} ms`,
    ratio: tookMs / (bareMs + 125),
    goal: { atMost: 1 },
  }
}

/** `crm listen -o jsonl` with a reader, in a separate home. */
async function startListener(): Promise<{ readonly server: Server; readonly home: string }> {
  const home = benchFolder()
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'secret'), SECRET, { mode: 0o600 })
  const args = [CRM, 'listen', '-o', 'jsonl', '--port', '0', '--secret-file', join(home, 'secret')]
  const child = spawn(process.execPath, args, {
    env: { ...plainEnv(), HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [first] = await once(child.stdout, 'data')
  child.stdout.resume()
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { server: { url: JSON.parse(String(first)).url, key: '', child, stop }, home }
}

function load(server: Server, forMs: number, from = 0): Load {
  return {
    url: server.url,
    connections: CONNECTIONS,
    forMs,
    request: (number) => signedRequest(`evt_${from + number}`),
  }
}

function signedRequest(id: string): string {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = signWebhook(KEY, { id, timestamp, body: BODY })
  const head = ['POST / HTTP/1.1', 'Host: bench', `webhook-id: ${id}`, `webhook-timestamp: ${timestamp}`]
  const tail = [`webhook-signature: ${signature}`, 'Content-Type: application/json', `Content-Length: ${BODY.length}`]
  return `${[...head, ...tail].join('\r\n')}\r\n\r\n${BODY.toString()}`
}

async function keptIds(home: string): Promise<ReadonlySet<string>> {
  const folder = join(home, '.local/state/crm/events')
  const ids = new Set<string>()
  for (const name of readdirSync(folder)) {
    for await (const line of createInterface(createReadStream(join(folder, name)))) {
      const [, id] = /^\{"v":1,"id":"(\w+)"/.exec(line) ?? []
      if (id !== undefined) ids.add(id)
    }
  }
  return ids
}

function rssMiB(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}
