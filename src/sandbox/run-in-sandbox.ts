import { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import { closeSync, constants, lstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { constants as systemConstants } from 'node:os'
import process from 'node:process'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { HAS_PROCESS_GROUPS, programStart, signalGroup, startWatcher } from '../files/programs.ts'
import { type OpenSandbox, openSandbox, type SandboxTerms, withoutProxy } from './open-sandbox.ts'
import { homeWithin, SANDBOX_HOME } from './sandbox-file.ts'
import { endSandboxes } from './stop-sandbox.ts'

export interface SandboxRun {
  readonly terms: Omit<SandboxTerms, 'log' | 'seedEnv' | 'signal'>
  readonly command: string
  readonly args: readonly string[]
  readonly env: Env
  /** Aborted with an error whose cause is the name of the received signal. */
  readonly signal: AbortSignal
  /** Whether the terminal itself sends Ctrl-C to the command. */
  readonly isOnTerminal: boolean
  /** The file of the service log, kept when the command fails. */
  readonly keepLog: string | undefined
  /** Called after the command, if that succeeded: the exit code of what it finds. */
  readonly verify: ((sandbox: OpenSandbox) => Promise<number>) | undefined
}

/** Runs a command with its own sandbox, closed when the command ends. Resolves to the exit code of the command. */
export async function runInSandbox(run: SandboxRun): Promise<number> {
  if (run.command === '') throw startError('', { code: 'ENOENT' })
  const log = run.keepLog === undefined ? undefined : openServiceLog(run.keepLog, '--keep-log')
  let sandbox: OpenSandbox | undefined
  let exit: number | undefined
  try {
    sandbox = await openSandbox({ ...run.terms, seedEnv: run.env, signal: run.signal, log: log?.write })
    run.signal.throwIfAborted()
    const added = { ...sandbox.env, ...withoutProxy(run.env), [SANDBOX_HOME]: homeWithin(sandbox.folder) }
    exit = await runCommand(run, added)
    if (exit === 0 && run.verify) exit = await run.verify(sandbox)
    return exit
  } catch (error) {
    // Interrupted while seeding.
    if (!run.signal.aborted) throw error
    return 128 + systemConstants.signals[signalOf(run.signal)]
  } finally {
    if (sandbox) await endSandboxes(homeWithin(sandbox.folder))
    await sandbox?.close()
    log?.close(exit !== 0)
  }
}

function signalOf(signal: AbortSignal): NodeJS.Signals {
  return (signal.reason as Error).cause as NodeJS.Signals
}

/** Docker and Kubernetes kill a process ten seconds after SIGTERM or later; crm must end before. */
const KILL_AFTER_MS = 5000

/** Signals forwarded in addition to those that end crm, as the command may handle them. */
const MORE_SIGNALS = ['SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

async function runCommand({ command, args, env, signal, isOnTerminal }: SandboxRun, added: Env): Promise<number> {
  // A profile in the environment must not select another server.
  const { CRM_PROFILE: _, ...others } = env
  const { file, args: words, ...how } = programStart([command, ...args], env)
  // A process group can be killed as a whole, but in the background it could not read from a terminal.
  const detached = HAS_PROCESS_GROUPS && !isOnTerminal
  const watcher = startWatcher()
  const child = spawn(file, words, { ...how, env: { ...others, ...added }, stdio: 'inherit', detached })
  const { pid } = child
  // On a terminal the child is in the group of crm, if crm leads one.
  if (pid !== undefined) watcher.watch({ group: detached ? pid : process.pid, pid })
  const sendToGroup = (name: NodeJS.Signals) => child.pid !== undefined && signalGroup(child.pid, name)
  const send = (name: NodeJS.Signals) => (isOnTerminal ? child.kill(name) : sendToGroup(name))
  const forward = (name: NodeJS.Signals) => {
    // The terminal sends SIGINT and SIGQUIT to the whole group.
    if (!isOnTerminal || (name !== 'SIGINT' && name !== 'SIGQUIT')) send(name)
  }
  let ending: NodeJS.Signals | undefined
  let killTimer: NodeJS.Timeout | undefined
  const forwardReason = () => {
    const name = signalOf(signal)
    forward(name)
    // Ctrl-C can be repeated; other signals come from a program that waits and then kills.
    if (name === 'SIGINT') return
    ending = name
    killTimer = setTimeout(() => send('SIGKILL'), KILL_AFTER_MS)
  }
  // A second signal ends crm at once; the process group must not outlive it.
  const killRemaining = () => isOnTerminal || sendToGroup('SIGKILL')
  process.on('exit', killRemaining)
  signal.addEventListener('abort', forwardReason)
  for (const name of MORE_SIGNALS) process.on(name, forward)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (cause) => reject(startError(command, cause)))
      child.once('exit', (code, killer) => {
        const name = ending ?? killer
        resolve(name === null ? (code ?? 0) : 128 + systemConstants.signals[name])
      })
    })
  } finally {
    watcher.release()
    clearTimeout(killTimer)
    // Remaining processes of the group received the signal as well.
    if (ending) killRemaining()
    process.off('exit', killRemaining)
    signal.removeEventListener('abort', forwardReason)
    for (const name of MORE_SIGNALS) process.off(name, forward)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'command not found',
  EACCES: 'it is not executable, or permission is denied',
}

function startError(command: string, cause: Partial<NodeJS.ErrnoException>): CrmError {
  const reason = REASONS[cause.code ?? ''] ?? cause.message
  return new CrmError('usage', `cannot run ${JSON.stringify(command)}: ${reason}`, {
    hint: "expected a command and its arguments; for shell syntax: crm sandbox run -- sh -c 'npm run seed && npm test'",
    cause,
  })
}

export interface ServiceLog {
  write(line: object): void
  /** Deletes the file unless `isKept`. */
  close(isKept: boolean): void
}

/** One line of JSON per request, written synchronously so that it survives a crash. */
export function openServiceLog(file: string, flag: '--keep-log' | '--log'): ServiceLog {
  const fd = openForWriting(file, flag)
  return {
    write: (line) => {
      writeSync(fd, `${JSON.stringify(line)}\n`)
    },
    close: (isKept) => {
      closeSync(fd)
      if (!isKept) rmSync(file)
    },
  }
}

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
const FIRST_BYTES = 32

function openForWriting(file: string, flag: string): number {
  const hint = `name a new file in an existing folder: ${flag} service.log`
  try {
    if (mayBeReplaced(file)) return openSync(file, FLAGS, 0o600)
  } catch (cause) {
    throw new CrmError('machine', `cannot write ${file}: ${(cause as Error).message}`, { hint, cause })
  }
  throw new CrmError('machine', `cannot write ${file}: the file exists and is not a sandbox log`, { hint })
}

/** The file is deleted at the end, so only a log of an earlier sandbox may be replaced. Its lines begin with `level`. */
function mayBeReplaced(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) return true
  if (!stats.isFile()) return false
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const start = Buffer.alloc(FIRST_BYTES)
    return stats.size === 0 || start.toString('latin1', 0, readSync(fd, start)).startsWith('{"level":"')
  } finally {
    closeSync(fd)
  }
}
