import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { isRunning } from './is-running.ts'
import { processMark } from './process-mark.ts'

/** A process, as what it holds on disk names it. */
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
  // Our own number, but not us: a container that starts again gives its processes the same numbers.
  if (pid === process.pid) return startedAtMs !== Math.round(performance.timeOrigin)
  if (!isRunning(pid)) return true
  // The number may be that of another process by now.
  return mark !== '' && processMark(pid) !== mark
}
