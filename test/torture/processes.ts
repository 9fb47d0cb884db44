import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { recordEnded, recorded } from './call-record.ts'

const CLOCK = new URL('./clock-preload.ts', import.meta.url).href

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Nothing of the environment that starts the rig, which may point crm elsewhere, but the way to programs. */
export function emptyEnv(home: string): Record<string, string> {
  return { HOME: home, PATH: process.env.PATH ?? '' }
}

export interface Service {
  readonly url: string
  kill(signal: NodeJS.Signals): Promise<void>
}

export interface ServiceStart {
  readonly crm: string
  readonly home: string
  readonly database: string
  readonly keyFile: string
  readonly clockShiftMs: number
}

export async function startService({ crm, home, database, keyFile, clockShiftMs }: ServiceStart): Promise<Service> {
  const flags = ['--database', database, '--port', '0', '--rate-limit', 'none', '--key-file', keyFile, '--ready-json']
  const child = spawn(process.execPath, ['--import', CLOCK, crm, 'serve', ...flags], {
    env: { ...emptyEnv(home), TORTURE_CLOCK_SHIFT_MS: `${clockShiftMs}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = textOf(child.stderr)
  const ended = once(child, 'close')
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => undefined)])
  if (!line) throw new Error(`crm serve ended: ${said()}`)
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  return { url: (JSON.parse(String(line[0])) as { url: string }).url, kill }
}

export interface ClientRun {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | string
  readonly stdout: string
  readonly stderr: string
}

export interface Client {
  readonly child: ChildProcess
  readonly done: Promise<ClientRun>
}

/** The built crm, with its calls written down: they are complete when it is done. */
export function startClient(args: readonly string[], env: Record<string, string>, log: string): Client {
  // A process may be killed before strace has begun another.
  rmSync(log, { force: true })
  const [command, ...rest] = recorded(log, [process.execPath, ...args])
  const child = spawn(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)]
  const recordDone = once(child, 'exit').then(() => recordEnded(log))
  const done = once(child, 'close').then(async ([exit, signal]) => {
    await recordDone
    return { exit: (exit ?? signal) as number | string, stdout: stdout(), stderr: stderr() }
  })
  return { child, done }
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}
