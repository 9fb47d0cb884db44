import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { secretBytes, signWebhook } from '../../src/core/signing.ts'
import { type Env, tempFolder } from '../harness/home.ts'
import { checkJsonOutput } from '../harness/json-output.ts'
import { startCrm } from './crm.ts'

export type Line = Record<string, unknown>

export interface Listening {
  readonly url: string
  readonly ready: Line
  /** The next line of stdout. */
  next(): Promise<Line>
  stop(signal?: NodeJS.Signals): Promise<{ readonly exit: number | string; readonly stderr: string }>
}

/** `crm listen -o jsonl`, once it is ready; rejects with its stderr when it ends instead. */
export async function listen(args: readonly string[], env: Env): Promise<Listening> {
  const child = startCrm(['listen', '-o', 'jsonl', ...args], env)
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<Line> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`crm listen ended: ${(await child.done).stderr}`)
    checkJsonOutput(['listen', '-o', 'jsonl'], { exit: 0, stdout: value, stderr: '' })
    return JSON.parse(value) as Line
  }
  const ready = await next()
  const stop = (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal)
    return child.done
  }
  return { url: String(ready.url), ready, next, stop }
}

export interface SecretFile {
  readonly secret: string
  readonly args: readonly [string, string]
}

export function newSecretFile(): SecretFile {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const path = join(tempFolder(), 'secret')
  writeFileSync(path, `${secret}\n`, { mode: 0o600 })
  return { secret, args: ['--secret-file', path] }
}

/** Sends an event as a service would; the status it is answered with. */
export async function send(url: string, secret: string, event: object, id = 'evt_1'): Promise<number> {
  const body = JSON.stringify(event)
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = signWebhook(secretBytes(secret), { id, timestamp, body: Buffer.from(body) })
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
  return (await fetch(url, { method: 'POST', headers, body })).status
}

/** The lines of the log of events, oldest first. */
export function logOf(home: string): Line[] {
  const folder = join(home, '.local/state/crm/events')
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Line)
}
