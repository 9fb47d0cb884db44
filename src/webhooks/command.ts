import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { CrmError } from '../core/errors.ts'
import type { Env } from '../core/streams.ts'
import { errorCode } from '../files/machine-error.ts'
import {
  findProgram,
  HAS_PROCESS_GROUPS,
  type ProgramWords,
  programStart,
  signalGroup,
  startWatcher,
} from '../files/programs.ts'

export interface CommandOptions {
  /** The program and its arguments; no shell interprets them. */
  readonly words: ProgramWords
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
  const { file, args, ...how } = programStart(words, env)
  // A tunnel or a test would outlive crm; a command for one event ends soon, and costs another process each time.
  const watcher = input === undefined ? startWatcher() : undefined
  const child = spawn(file, args, {
    ...how,
    env: { ...env },
    stdio: 'pipe',
    // Its own process group, so that its child processes end with it. Under Windows this would open a console.
    detached: HAS_PROCESS_GROUPS,
    windowsHide: true,
  })
  // A command may ignore its stdin: EPIPE is not an error.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', say)
  let isOver = false
  const { pid } = child
  if (pid !== undefined) watcher?.watch({ group: pid, pid })
  const ended = waitFor(child, words[0]).finally(() => {
    isOver = true
    watcher?.release()
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

async function waitFor(child: ChildProcess, name: string): Promise<CommandEnd> {
  try {
    const [exit, signal] = await once(child, 'close')
    return { exit: exit ?? undefined, how: signal ?? `exit ${exit}` }
  } catch (cause) {
    const reason = errorCode(cause) === 'ENOENT' ? 'no such program' : (cause as Error).message
    throw cannotRun(name, reason, cause)
  }
}

/** Checks in advance a command that starts later. CrmError `usage` when there is no such program. */
export function refuseMissingProgram(name: string, env: Env): void {
  if (findProgram(name, env) === undefined) throw cannotRun(name, 'no such program', undefined)
}

function cannotRun(name: string, reason: string, cause: unknown): CrmError {
  return new CrmError('usage', `cannot run ${name}: ${reason}`, {
    cause,
    hint: 'name a program that is installed; for pipes and variables: sh -c "..."',
  })
}
