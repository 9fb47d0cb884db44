import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import { findPrograms, type Programs } from './programs.ts'

/** How clients reach a cluster, as its superuser. */
export interface Reach {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

/** A PostgreSQL of its own, with real durability; its data is in a temporary folder, and survives `kill`. */
export interface Cluster extends Reach {
  readonly version: number
  /** The process id of the server. */
  pid(): number
  /** The log up to now. */
  said(): string
  /** As when the machine loses power: SIGKILL to the server and to all its processes. */
  kill(): Promise<void>
  /** Ends it as `pg_ctl stop -m fast` does: transactions are rolled back, connections closed. */
  stop(): Promise<void>
  /** On the same port, after `kill` or `stop`. */
  start(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

/** Settings of PostgreSQL by name, as in postgresql.conf. */
export type ServerSettings = Readonly<Record<string, string | number>>

const HOST = '127.0.0.1'

const SETTINGS: ServerSettings = {
  listen_addresses: HOST,
  unix_socket_directories: '',
  max_connections: 200,
  fsync: 'on',
  synchronous_commit: 'on',
  // Unlike that of any machine: a time in the wrong zone differs by half an hour.
  timezone: 'America/St_Johns',
}

/** Longer than a recovery takes. */
const START_MS = 60_000

/** Starts one, or throws an error that says why there is none. */
export function startCluster(settings: ServerSettings = {}, place: string = tmpdir()): Promise<Cluster> {
  const password = randomBytes(18).toString('base64url')
  return startWith({ settings, place, password, fill: (programs, folder) => initialise(programs, folder, password) })
}

/** One that follows `primary` and can only be read, until `pg_promote()`. */
export function startStandby(primary: Cluster, settings: ServerSettings = {}): Promise<Cluster> {
  return startWith({
    settings,
    place: tmpdir(),
    password: primary.password,
    fill: (programs, folder) => copy(programs, folder, primary),
  })
}

interface Start {
  readonly settings: ServerSettings
  /** The folder in which its own is made. */
  readonly place: string
  readonly password: string
  /** Makes the data. */
  readonly fill: (programs: Programs, folder: string) => Promise<void>
}

async function startWith({ settings, place, password, fill }: Start): Promise<Cluster> {
  const programs = findPrograms()
  const folder = await mkdtemp(join(place, 'crm-postgres-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await fill(programs, folder)
    const reach = { host: HOST, port: await freePort(), user: 'postgres', password }
    const server = serverIn(programs, dataIn(folder), { ...SETTINGS, ...settings, port: reach.port })
    await server.start()
    return {
      ...reach,
      ...server,
      version: programs.version,
      remove: async () => {
        // What it would still write is removed anyway.
        await server.end('SIGQUIT')
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function dataIn(folder: string): string {
  return join(folder, 'data')
}

/** Texts sort by language, as on most servers, so that an order by bytes must be asked for. */
async function initialise(programs: Programs, folder: string, password: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  await mkdir(dataIn(folder), { mode: 0o700 })
  if (programs.user) {
    const { uid, gid } = programs.user
    for (const path of [folder, passwordFile, dataIn(folder)]) await chown(path, uid, gid)
  }
  const language = programs.version >= 15 ? ['--locale-provider=icu', '--icu-locale=en'] : []
  const flags = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8']
  const args = [...flags, '--locale=C.UTF-8', ...language, '--no-sync', '-D', dataIn(folder)]
  const options = { ...programs.user, cwd: folder, env: environment(folder) }
  await promisify(execFile)(programs.pathOf('initdb'), args, options)
}

async function copy(programs: Programs, folder: string, { host, port, user, password }: Reach): Promise<void> {
  if (programs.user) await chown(folder, programs.user.uid, programs.user.gid)
  const args = ['-D', dataIn(folder), '-R', '-X', 'stream', '-c', 'fast', '-h', host, '-p', `${port}`, '-U', user]
  const options = { ...programs.user, cwd: folder, env: { ...environment(folder), PGPASSWORD: password } }
  await promisify(execFile)(programs.pathOf('pg_basebackup'), args, options)
}

function environment(folder: string) {
  return { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8' }
}

function serverIn(programs: Programs, data: string, settings: ServerSettings) {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = endingWithParent([programs.pathOf('postgres'), '-D', data, ...flags])
  let log = ''
  let child: ChildProcess | undefined
  const pid = (): number => {
    if (child?.pid === undefined) throw new Error('PostgreSQL does not run')
    return child.pid
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!child) return
    const ended = once(child, 'close')
    child.kill(signal)
    await ended
  }
  const start = async (): Promise<void> => {
    const [program = '', ...args] = command
    const started = spawn(program, args, {
      ...programs.user,
      env: environment(data),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
    createInterface(started.stderr).on('line', (line) => {
      log += `${line}\n`
      if (/database system is ready to accept (read-only )?connections/.test(line)) resolve()
    })
    started.on('error', reject)
    started.on('close', () => {
      if (child === started) child = undefined
      reject(new Error(`PostgreSQL ended:\n${log.slice(-2000)}`))
    })
    child = started
    const late = new AbortController()
    const giveUp = setTimeout(START_MS, undefined, { signal: late.signal }).then(() => {
      throw new Error(`PostgreSQL is not ready after ${START_MS / 1000} s:\n${log.slice(-2000)}`)
    })
    await Promise.race([ready, giveUp]).finally(() => late.abort())
  }
  const kill = async (): Promise<void> => {
    const all = [pid(), ...childrenOf(pid())]
    const ended = end('SIGKILL')
    // While one of them lives, the data cannot be opened again.
    for (const each of all.slice(1)) killIfAlive(each)
    await ended
    while (all.some((each) => existsSync(`/proc/${each}`))) await setTimeout(5)
  }
  return { pid, said: () => log, start, kill, end, stop: () => end('SIGINT') }
}

/** A test run that is killed leaves no server behind, where the system can do that. */
function endingWithParent(command: readonly string[]): readonly string[] {
  return existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'QUIT', ...command] : command
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
