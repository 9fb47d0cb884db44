import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { secretBytes, signWebhook } from '../src/core/signing.ts'
import { browseEnv, budget, keyTimes } from './browse.ts'
import { benchFolder, CRM, cpuSeconds, plainEnv, startCrm } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'
import { openBenchTerminal } from './terminal.ts'

const PER_SECOND = 500
const FOR_S = 6
const BATCH = 25
const KEYS = 150
const PORT = 42_517
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** The cost of the screen at 500 events a second, beside a `crm listen` that prints the same events in the same run. */
export async function measureBrowseEvents(): Promise<Row[]> {
  const folder = benchFolder()
  const secretFile = join(folder, 'secret')
  writeFileSync(secretFile, SECRET, { mode: 0o600 })
  const listen = [process.execPath, CRM, 'listen', '--port', String(PORT), '--secret-file', secretFile]
  const env = { ...plainEnv(), HOME: folder }
  const printing = await measurePrinting(listen, env)
  const keys = await measureKeysBeside(listen)

  const terminal = openBenchTerminal([...listen, '--tui'], env)
  try {
    await terminal.frameWith('? help')
    // Both spend their first seconds compiling.
    await sendEvents(1)
    const [cpuBefore, framesBefore] = [terminal.cpuSeconds(), terminal.frames()]
    await sendEvents(FOR_S)
    const showing = ((terminal.cpuSeconds() - cpuBefore) / FOR_S) * 100
    const framesPerSecond = (terminal.frames() - framesBefore) / FOR_S
    return [
      keys,
      budget(
        `processor for the screen at ${PER_SECOND} events/s, beside ${printing.toFixed(0)} % to receive and print them`,
        showing - printing,
        10,
        '%',
      ),
      budget(`frames a second at ${PER_SECOND} events/s`, framesPerSecond, 5, '/s'),
    ]
  } finally {
    terminal.end()
  }
}

/** Keys on the contacts of a server, whose pages are loaded meanwhile, in the process that receives the events. */
async function measureKeysBeside(listen: readonly string[]): Promise<Row> {
  const database = join(benchFolder(), 'contacts.db')
  await fillContacts(database, 100_000)
  const server = await startCrm(database)
  const terminal = openBenchTerminal([...listen, '--tui'], browseEnv(server))
  try {
    await terminal.frameWith('? help')
    // From the events to the contacts.
    terminal.write('\x1b1')
    await terminal.frameWith('@example.test')
    await sendEvents(1)
    terminal.write('L')
    await terminal.frameWith('Load all contacts')
    terminal.write('y')
    const [times] = await Promise.all([keyTimes(terminal, KEYS), sendEvents(5)])
    const ms = times[Math.floor(KEYS * 0.95)] ?? 0
    return budget(`key to frame at ${PER_SECOND} events/s while pages are loaded, 95 of 100`, ms, 25, 'ms')
  } finally {
    terminal.end()
    await server.stop()
  }
}

async function measurePrinting(listen: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [file = '', ...args] = listen
  const child: ChildProcess = spawn(file, [...args, '-o', 'jsonl'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    if (child.stdout) await once(child.stdout, 'data')
    child.stdout?.resume()
    await sendEvents(1)
    const before = cpuSeconds(child.pid)
    await sendEvents(FOR_S)
    return ((cpuSeconds(child.pid) - before) / FOR_S) * 100
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

async function sendEvents(seconds: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const startedMs = performance.now()
  for (let sent = 0; sent < seconds * PER_SECOND; sent += BATCH) {
    await delay(Math.max(0, startedMs + (sent / PER_SECOND) * 1000 - performance.now()))
    await Promise.all(Array.from({ length: BATCH }, (_, index) => sendEvent(agent, sent + index)))
  }
  agent.destroy()
}

async function sendEvent(agent: Agent, number: number): Promise<void> {
  const id = `evt_${process.pid}_${Date.now()}_${number}`
  const body = Buffer.from(JSON.stringify({ type: 'contact.created', data: { id: `con_${number}`, name: 'Ada' } }))
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook(secretBytes(SECRET), { id, timestamp, body }),
  }
  const sent = request({ agent, port: PORT, host: '127.0.0.1', method: 'POST', headers }).end(body)
  const [answer] = await once(sent, 'response')
  if (answer.statusCode >= 300) throw new Error(`the listener answered ${answer.statusCode}`)
  await once(answer.resume(), 'end')
}
