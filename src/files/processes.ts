import { readFileSync } from 'node:fs'
import process from 'node:process'
import { errorCode } from './machine-error.ts'

/** Goes into the names and contents of files that this process owns. */
export function ownPid(): number {
  return process.pid
}

/** Undefined on Windows, which has no such numbers. */
export function ownUid(): number | undefined {
  return process.getuid?.()
}

/**
 * Whether a process with this id runs on this machine; it may be a later one that reuses the id. On Linux, a process that has
 * ended and whose parent has not asked for its exit code does not run.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return statFields(pid)?.[STATE] !== 'Z'
  } catch (error) {
    // EPERM: it runs as another user.
    return errorCode(error) !== 'ESRCH'
  }
}

/** A process that has ended meanwhile gets none. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

/** Indices of fields 3 and 22 of /proc/PID/stat, counted after the name, which can contain any character. */
const STATE = 0
const START_TIME = 19

/** The identity of a process in files that it owns. */
export interface ProcessOwner {
  readonly pid: number
  readonly startedAtMs: number
  /** See processMark. */
  readonly mark: string
}

export function thisProcess(): ProcessOwner {
  return { pid: ownPid(), startedAtMs: Math.round(performance.timeOrigin), mark: processMark(ownPid()) }
}

export function isGone({ pid, startedAtMs, mark }: ProcessOwner): boolean {
  // The same pid, but another process: a restarted container assigns the same pids.
  if (pid === ownPid()) return startedAtMs !== Math.round(performance.timeOrigin)
  if (!isRunning(pid)) return true
  // The pid may have been reused.
  return mark !== '' && processMark(pid) !== mark
}

/**
 * Distinguishes a process from all others with the same pid, by its start time and the boot of the machine. Empty when there
 * is no such process, and on systems other than Linux, which do not report these.
 */
function processMark(pid: number): string {
  const started = statFields(pid)?.[START_TIME]
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')?.trim()
  return boot === undefined || started === undefined ? '' : `${boot}/${started}`
}

/** Undefined if there is no such process, and on systems other than Linux. */
function statFields(pid: number): readonly string[] | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined
    throw error
  }
}
