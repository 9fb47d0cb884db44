import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const CRM = join(ROOT, 'bin/crm.js')

export interface Server {
  readonly url: string
  readonly key: string
  /** The line that it printed when it was ready, where that is JSON. */
  readonly ready?: { readonly metrics_url?: string }
  readonly child: ChildProcess
  stop(): Promise<void>
}

const folders = mkdtempSync(join(tmpdir(), 'crm-bench-'))
process.on('exit', () => rmSync(folders, { recursive: true, force: true }))

export function benchFolder(): string {
  return mkdtempSync(join(folders, 'part-'))
}

/** Starts a Node process that prints one line when it is ready: its URL, or JSON with a `url`. */
export async function startServer(args: readonly string[], env: NodeJS.ProcessEnv, key = ''): Promise<Server> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const ready = line.startsWith('{') ? JSON.parse(line) : { url: line }
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { url: ready.url, key, ready, child, stop }
}

/** Starts `crm serve` on a database file or the URI of a PostgreSQL database, without a rate limit, with a new key. */
export async function startCrm(database: string, more: readonly string[] = []): Promise<Server> {
  const folder = benchFolder()
  const key = 'crm_key_bench-bench-bench-bench-bench-bench'
  writeFileSync(join(folder, 'key'), key, { mode: 0o600 })
  const flags = ['--port', '0', '--rate-limit', 'none', '--ready-json', '--key-file', join(folder, 'key'), ...more]
  // It may hold a password, which crm takes from no command line.
  const env = { ...plainEnv(), HOME: folder, CRM_DATABASE_URL: database }
  return startServer([CRM, 'serve', ...flags], env, key)
}

/** The environment without variables that slow down Node's start on this machine or change the target of crm. */
export function plainEnv(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS, NODE_OPTIONS, CRM_API_KEY, CRM_BASE_URL, CRM_PROFILE, ...env } = process.env
  return env
}

/** Median wall time of whole processes, in turns, so that other load of the machine affects all of them alike. */
export function timeCommands(
  commands: Readonly<Record<string, readonly string[]>>,
  rounds: number,
  env: NodeJS.ProcessEnv,
): Record<string, number> {
  const names = Object.keys(commands)
  const times = new Map(names.map((name): [string, number[]] => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of Object.entries(commands)) times.get(name)?.push(timeCommand(command, env))
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])]))
}

function timeCommand([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): number {
  const startedMs = performance.now()
  const { status } = spawnSync(file, args, { env, stdio: 'ignore' })
  if (status !== 0) throw new Error(`${[file, ...args].join(' ')}: exit ${status}`)
  return performance.now() - startedMs
}

export interface Cpu {
  readonly ms: number
  /** To the first command in the same round. */
  readonly ratio: number
}

/** Medians of the processor time (user and system) of whole processes, in turns, as the shell measures it. */
export function cpuOfCommands(
  commands: Readonly<Record<string, readonly string[]>>,
  rounds: number,
  env: NodeJS.ProcessEnv,
): Record<string, Cpu> {
  const taken = Array.from({ length: rounds }, () =>
    Object.values(commands).map((command) => cpuOfCommand(command, env)),
  )
  const entries = Object.keys(commands).map((name, place): [string, Cpu] => [
    name,
    {
      ms: median(taken.map((round) => round[place] ?? Number.NaN)),
      ratio: median(taken.map((round) => (round[place] ?? Number.NaN) / (round[0] ?? 1))),
    },
  ])
  return Object.fromEntries(entries)
}

const TIMED = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1 || exit'

function cpuOfCommand(command: readonly string[], env: NodeJS.ProcessEnv): number {
  const { status, stderr } = spawnSync('bash', ['-c', TIMED, 'bash', ...command], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command.join(' ')}: exit ${status}`)
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return (user + system) * 1000
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** Peak resident memory of a running process so far (Linux), in MiB. */
export function peakMiB(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  // A process that has just ended reports no memory.
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/**
 * CPU that a running process, and the children that it has waited for, have used so far (Linux, proc_pid_stat(5); the
 * tick is a hundredth of a second).
 */
export function cpuSeconds(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (.*)/s)
  const ticks = fields.split(' ').slice(11, 15).map(Number)
  return ticks.reduce((total, each) => total + each, 0) / 100
}

export interface Watched {
  readonly tookMs: number
  readonly peakMiB: number
  readonly cpuSeconds: number
}

/** Runs a process to its end, which must be exit 0, and measures what it used. */
export async function watchProcess(
  [file = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  stdio: StdioOptions = 'ignore',
): Promise<Watched> {
  const startedMs = performance.now()
  const child = spawn(file, args, { env, stdio })
  let [peak, cpu] = [0, 0]
  // The last reading misses at most 20 ms.
  const watch = setInterval(() => {
    peak = Math.max(peak, peakMiB(child.pid))
    cpu = Math.max(cpu, cpuSeconds(child.pid))
  }, 20)
  const [exit] = await once(child, 'exit')
  clearInterval(watch)
  if (exit !== 0) throw new Error(`${[file, ...args].slice(0, 6).join(' ')}: exit ${exit}`)
  return { tookMs: performance.now() - startedMs, peakMiB: peak, cpuSeconds: cpu }
}
