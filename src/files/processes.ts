import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
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

/** Whether a process with this id runs on this machine; it may be a later one that reuses the id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs as another user.
    return errorCode(error) !== 'ESRCH'
  }
}

/** The index of field 22 of /proc/PID/stat, counted after the name, which can contain any character. */
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
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME]
    return `${boot}/${started}`
  } catch (error) {
    if (errorCode(error) !== undefined) return ''
    throw error
  }
}
