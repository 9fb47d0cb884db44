import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { isRunning } from './is-running.ts'
import { processMark } from './process-mark.ts'

/** The identity of a process in files that it owns. */
export interface ProcessOwner {
  readonly pid: number
  readonly startedAtMs: number
  /** See processMark. */
  readonly mark: string
}

export function thisProcess(): ProcessOwner {
  return { pid: process.pid, startedAtMs: Math.round(performance.timeOrigin), mark: processMark(process.pid) }
}

export function isGone({ pid, startedAtMs, mark }: ProcessOwner): boolean {
  // Our pid, but another process: a container that is restarted assigns the same pids.
  if (pid === process.pid) return startedAtMs !== Math.round(performance.timeOrigin)
  if (!isRunning(pid)) return true
  // The pid may have been reused.
  return mark !== '' && processMark(pid) !== mark
}
