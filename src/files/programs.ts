import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { platform } from 'node:os'
import path from 'node:path'
import type { Env } from '../core/streams.ts'
import { sendSignal } from './processes.ts'

// Programs that the user names: found, started and ended as the system does it.

export type ProgramWords = readonly [name: string, ...args: string[]]

interface System {
  readonly platform: NodeJS.Platform
  isProgram(file: string): boolean
}

const HERE: System = { platform: platform(), isProgram }

/** Windows has none. */
export const HAS_PROCESS_GROUPS = platform() !== 'win32'

/** As execvp(3): a name without a slash is searched in PATH; under Windows also with the ends in PATHEXT. Undefined: there is none. */
export function findProgram(name: string, env: Env, system: System = HERE): string | undefined {
  const isWindows = system.platform === 'win32'
  const { delimiter, extname, join } = isWindows ? path.win32 : path.posix
  const hasFolder = (isWindows ? /[\\/:]/ : /\//).test(name)
  // Windows calls the variable Path, and only process.env ignores the case of names.
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).map((folder) => folder || '.')
  const files = hasFolder ? [name] : folders.map((folder) => join(folder, name))
  // Without an end it is a script for sh, beside the one for Windows.
  const ends = isWindows && extname(name) === '' ? (env.PATHEXT || '.COM;.EXE;.BAT;.CMD').split(';') : ['']
  return files.flatMap((file) => ends.map((end) => file + end)).find(system.isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** What spawn takes to start a program without a shell that interprets the arguments. */
export interface ProgramStart {
  readonly file: string
  readonly args: string[]
  readonly windowsVerbatimArguments?: true
}

/**
 * Node does not start the batch files of Windows, such as `npm.cmd` (CVE-2024-27980): cmd.exe does, and a batch file passes its
 * arguments on with `%*`, which cmd.exe reads a second time. The quotes are those of https://qntm.org/cmd.
 */
export function programStart([name, ...args]: ProgramWords, env: Env, system: System = HERE): ProgramStart {
  const file = system.platform === 'win32' ? (findProgram(name, env, system) ?? name) : name
  if (system.platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(file)) return { file, args }
  const words = [withCarets(file), ...args.map((arg) => withCarets(withCarets(inQuotes(arg))))]
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${words.join(' ')}"`], windowsVerbatimArguments: true }
}

/** As programs of Windows read their command line: backslashes count only before a quote. */
function inQuotes(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`
}

function withCarets(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}

/**
 * Signals a process that leads a process group, and those that it started. Windows has neither groups nor signals: there they
 * end at once.
 */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  // A negative pid addresses the process group (kill(2)).
  if (HAS_PROCESS_GROUPS) sendSignal(-pid, signal)
  else if (spawnSync('taskkill', ['/pid', `${pid}`, '/t', '/f'], { windowsHide: true }).status !== 0)
    sendSignal(pid, signal)
}

/** There may be no such group, on a terminal. Shells differ in how they read a negative number. */
const KILL = 'kill -s KILL -- "-$group" || kill -KILL "-$group" || kill -s KILL "$pid"'

/** An end of the input without a third line: the other end was closed by a kill. */
const WATCH = `read -r _; read -r group pid && [ "$pid" ] && { read -r _ || ${KILL}; } 2>/dev/null`

interface Watcher {
  /** To be called as soon as the child has started. */
  watch(child: { readonly group: number; readonly pid: number }): void
  /** Ends the watch; the child lives on. */
  release(): void
}

/**
 * Kills a child and its process group as soon as this process is killed, of which nothing else can tell them: a shell waits for the
 * end of a pipe. Start it before the child, which otherwise runs unwatched while the shell starts. Windows ends neither.
 */
export function startWatcher(): Watcher {
  if (!HAS_PROCESS_GROUPS) return { watch() {}, release() {} }
  // In a session of its own, because a kill of the whole group must not reach it first; without the key.
  const watcher = spawn('/bin/sh', ['-c', WATCH], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: {} })
  // A system without a shell.
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  // The first write to a stream takes a millisecond, during which the child would not be watched.
  watcher.stdin.write('\n')
  return {
    watch: ({ group, pid }) => void watcher.stdin.write(`${group} ${pid}\n`),
    release: () => void watcher.stdin.end('\n'),
  }
}
