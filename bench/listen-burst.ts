import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/harness/free-port.ts'
import { benchFolder, CRM, plainEnv, type Server, startCrm } from './processes.ts'
import type { Row } from './table.ts'

const RECORDS = 5000
const CHANGES = 3
const WORKERS = 16
const EVENTS = RECORDS * (1 + CHANGES)

interface Entry {
  readonly id: string
  readonly record_id: string
  readonly duplicate: boolean
  readonly body_text: string
}

/** 20,000 changes at a service: every event in the log of a listener, each record's in order; then once more with kills. */
export async function measureListenBurst(): Promise<Row[]> {
  return [...(await burst(false)), ...(await burst(true))]
}

async function burst(isKilled: boolean): Promise<Row[]> {
  const home = benchFolder()
  const schedule = `0,${Array(600).fill('1s').join(',')}`
  const server = await startCrm(join(home, 'crm.db'), ['--retry-schedule', schedule])
  const port = await freePort()
  const webhook = await call(server, 'POST', '/v1/webhooks', { url: `http://127.0.0.1:${port}/`, events: ['*'] })
  writeFileSync(join(home, 'secret'), String(webhook.secret), { mode: 0o600 })
  const listener = keepListening(home, port, isKilled)
  const startedMs = performance.now()
  await change(server)
  const changedMs = performance.now() - startedMs
  await listener.calm()
  while (new Set(entriesIn(home).map(({ id }) => id)).size < EVENTS && performance.now() - startedMs < 300_000)
    await sleep(500)
  const tookMs = performance.now() - startedMs
  const kills = await listener.stop()
  await server.stop()
  const entries = entriesIn(home)
  const what = isKilled ? `listen killed ${kills} times` : 'listen'
  const lost = EVENTS - new Set(entries.map(({ id }) => id)).size
  const times = `changes ${(changedMs / 1000).toFixed(1)} s, all kept after ${(tookMs / 1000).toFixed(1)} s`
  return [
    none(`${what}: of ${EVENTS} events not in the log`, lost, times),
    none(`${what}: out of the order of their record`, outOfOrder(entries), `${RECORDS} records`),
    none(`${what}: repeated and not marked`, unmarked(entries), `${entries.length - EVENTS} repeated`),
  ]
}

function none(what: string, count: number, peer: string): Row {
  return { what, measured: String(count), peer, ratio: count, goal: { atMost: 0 } }
}

interface Listener {
  /** Stops the kills. */
  calm(): Promise<void>
  /** The number of kills. */
  stop(): Promise<number>
}

function keepListening(home: string, port: number, isKilled: boolean): Listener {
  const args = [CRM, 'listen', '-q', '-o', 'jsonl', '--port', `${port}`, '--secret-file', join(home, 'secret')]
  let kills = 0
  let child: ChildProcess
  const start = () => {
    child = spawn(process.execPath, args, { env: { ...plainEnv(), HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout?.resume()
  }
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  start()
  let isCalm = !isKilled
  const killing = (async () => {
    while (!isCalm) {
      await sleep(300 + Math.random() * 1200)
      await end('SIGKILL')
      kills++
      start()
    }
  })()
  return {
    calm: async () => {
      isCalm = true
      await killing
    },
    stop: async () => {
      await end('SIGTERM')
      return kills
    },
  }
}

async function change(server: Server): Promise<void> {
  let made = 0
  const work = async () => {
    while (made < RECORDS) {
      const name = `name ${made++}`
      const { id } = await call(server, 'POST', '/v1/contacts', { name, email: 'ada@engines.example' })
      for (let at = 0; at < CHANGES; at++) await call(server, 'PATCH', `/v1/contacts/${id}`, { name: `${name}, ${at}` })
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
}

async function call(server: Server, method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  const response = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

function entriesIn(home: string): readonly Entry[] {
  const folder = join(home, '.local/state/crm/events')
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => JSON.parse(line) as Entry)
}

function outOfOrder(entries: readonly Entry[]): number {
  const versions = new Map<string, number>()
  const seen = new Set<string>()
  let count = 0
  for (const { id, record_id, body_text } of entries) {
    if (seen.has(id)) continue
    seen.add(id)
    const { version } = JSON.parse(body_text).data
    if (version !== (versions.get(record_id) ?? 0) + 1) count++
    versions.set(record_id, version)
  }
  return count
}

function unmarked(entries: readonly Entry[]): number {
  const seen = new Set<string>()
  let count = 0
  for (const { id, duplicate } of entries) {
    if (seen.has(id) !== duplicate) count++
    seen.add(id)
  }
  return count
}
