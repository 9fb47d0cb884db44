import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import process from 'node:process'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { type OpenSandbox, openSandbox, type SandboxTerms } from './open-sandbox.ts'
import { openServiceLog } from './service-log.ts'

export interface SandboxRun {
  readonly terms: Omit<SandboxTerms, 'log' | 'seedEnv' | 'signal'>
  readonly command: string
  readonly args: readonly string[]
  readonly env: Env
  /** Aborted with an error whose cause is the name of the signal that came. */
  readonly signal: AbortSignal
  /** Whether Ctrl-C reaches the command without our help, as it does on a terminal. */
  readonly isOnTerminal: boolean
  /** Where the log of the service stays when the command fails. */
  readonly keepLog: string | undefined
}

/** Runs a command beside a service of its own, which is gone when it ends; resolves to the exit code of the command. */
export async function runInSandbox(run: SandboxRun): Promise<number> {
  const log = run.keepLog === undefined ? undefined : openServiceLog(run.keepLog)
  let sandbox: OpenSandbox | undefined
  let exit: number | undefined
  try {
    sandbox = await openSandbox({ ...run.terms, seedEnv: run.env, signal: run.signal, log: log?.write })
    run.signal.throwIfAborted()
    exit = await runCommand(run, sandbox.env)
    return exit
  } catch (error) {
    // Interrupted while seeding: the data is lost with the service.
    if (!run.signal.aborted) throw error
    return 128 + constants.signals[signalOf(run.signal)]
  } finally {
    await sandbox?.close()
    log?.close(exit !== 0)
  }
}

function signalOf(signal: AbortSignal): NodeJS.Signals {
  return (signal.reason as Error).cause as NodeJS.Signals
}

/** Docker and Kubernetes give ten seconds and more to a process that is to end; crm has to be done before. */
const KILL_AFTER_MS = 5000

/** Beside those that end crm: a command may give them a meaning, and without us it would stay behind alone. */
const MORE_SIGNALS = ['SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

async function runCommand({ command, args, env, signal, isOnTerminal }: SandboxRun, added: Env): Promise<number> {
  // Whatever the environment says, the command is to find this service and no other.
  const { CRM_PROFILE: _, ...others } = env
  // A group of its own can be ended whole. On a terminal it could not read from there.
  const child = spawn(command, args, { env: { ...others, ...added }, stdio: 'inherit', detached: !isOnTerminal })
  const send = (name: NodeJS.Signals) => (isOnTerminal ? child.kill(name) : killGroup(child.pid, name))
  const passOn = (name: NodeJS.Signals) => {
    // Those that keys send reach the whole group.
    if (!isOnTerminal || (name !== 'SIGINT' && name !== 'SIGQUIT')) send(name)
  }
  let ending: NodeJS.Signals | undefined
  let killTimer: NodeJS.Timeout | undefined
  const passReasonOn = () => {
    const name = signalOf(signal)
    passOn(name)
    // Whoever interrupts at a key can do so again; what asks a process to end waits for it, and then kills it.
    if (name === 'SIGINT') return
    ending = name
    killTimer = setTimeout(() => send('SIGKILL'), KILL_AFTER_MS)
  }
  // A second signal ends crm at once; a group of its own would stay behind.
  const killLeft = () => isOnTerminal || killGroup(child.pid, 'SIGKILL')
  process.on('exit', killLeft)
  signal.addEventListener('abort', passReasonOn)
  for (const name of MORE_SIGNALS) process.on(name, passOn)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (cause) => reject(startError(command, cause)))
      child.once('exit', (code, killer) => {
        const name = ending ?? killer
        resolve(name === null ? (code ?? 0) : 128 + constants.signals[name])
      })
    })
  } finally {
    clearTimeout(killTimer)
    // What the command left behind in its group was asked to end as well.
    if (ending) killLeft()
    process.off('exit', killLeft)
    signal.removeEventListener('abort', passReasonOn)
    for (const name of MORE_SIGNALS) process.off(name, passOn)
  }
}

/** The command may have ended, and its group with it. */
function killGroup(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such command',
  EACCES: 'it is no program, or permission is denied',
}

function startError(command: string, cause: NodeJS.ErrnoException): CrmError {
  const reason = REASONS[cause.code ?? ''] ?? cause.message
  return new CrmError('usage', `cannot run ${JSON.stringify(command)}: ${reason}`, {
    hint: "a command and its words, or a shell for more: crm sandbox run -- sh -c 'npm run seed && npm test'",
    cause,
  })
}
