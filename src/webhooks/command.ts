import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, stat } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { errorCode } from '../files/machine-error.ts'

export interface CommandOptions {
  /** The program and its arguments; no shell interprets them. */
  readonly words: readonly [string, ...string[]]
  readonly env: Env
  /** Written to its stdin. */
  readonly input?: string | undefined
  /** Called for each line of its stdout and stderr. */
  readonly say: (line: string) => void
}

export interface CommandEnd {
  /** Undefined when a signal ended it. */
  readonly exit: number | undefined
  /** `exit 1`, or the signal. */
  readonly how: string
}

export interface RunningCommand {
  /** Rejects with a CrmError `usage` when the command cannot be started. */
  readonly ended: Promise<CommandEnd>
  /** Terminates its process group; kills it after 2 s. */
  stop(): Promise<void>
}

const GRACE_MS = 2000

export function startCommand({ words, env, input, say }: CommandOptions): RunningCommand {
  const [file, ...args] = words
  // Its own process group, so that its child processes end with it.
  const child = spawn(file, args, { env: { ...env }, stdio: 'pipe', detached: true })
  // A command may ignore its stdin: EPIPE is not an error.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', say)
  let isOver = false
  const ended = waitFor(child, file).finally(() => {
    isOver = true
  })
  // Only callers that await `ended` get its error.
  ended.catch(() => {})
  const signal = (name: NodeJS.Signals): void => {
    if (!isOver && child.pid !== undefined) signalGroup(child.pid, name)
  }
  return {
    ended,
    stop: async () => {
      signal('SIGTERM')
      const force = setTimeout(() => signal('SIGKILL'), GRACE_MS)
      await ended.catch(() => {}).finally(() => clearTimeout(force))
    },
  }
}

async function waitFor(child: ChildProcess, file: string): Promise<CommandEnd> {
  try {
    const [exit, signal] = await once(child, 'close')
    return { exit: exit ?? undefined, how: signal ?? `exit ${exit}` }
  } catch (cause) {
    const reason = errorCode(cause) === 'ENOENT' ? 'no such program' : (cause as Error).message
    throw cannotRun(file, reason, cause)
  }
}

/** Checks in advance a command that starts later. CrmError `usage` when there is no such program. */
export async function refuseMissingProgram(file: string, env: Env): Promise<void> {
  // As execvp(3): a name without a slash is searched in PATH.
  const candidates = file.includes('/')
    ? [file]
    : (env.PATH ?? '').split(':').map((folder) => join(folder || '.', file))
  for (const path of candidates) {
    if (await isProgram(path)) return
  }
  throw cannotRun(file, 'no such program', undefined)
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

function cannotRun(file: string, reason: string, cause: unknown): CrmError {
  return new CrmError('usage', `cannot run ${file}: ${reason}`, {
    cause,
    hint: 'name a program that is installed; for pipes and variables: sh -c "..."',
  })
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    // A negative pid addresses the process group (kill(2)).
    process.kill(-pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}
