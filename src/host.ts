import type { HostTiming } from './api/transport/timing.ts'
import type { WatchProcess } from './core/errors.ts'
import type { Env, Io } from './core/streams.ts'

/** What main.ts knows of the process; tests pass their own values. */
export interface Host {
  readonly io: Io
  readonly env: Env
  readonly now: () => number
  /** Of waits for a server; those of the system where there is none. */
  readonly timing?: HostTiming
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal
  readonly version: string
  /** The words after `crm`, for messages that name the command to go on with. */
  readonly argv: readonly string[]
  /** The working folder; undefined if it was deleted. */
  readonly folder?: string | undefined
  /** The program that asks the system keyring; undefined where there is no keyring to ask. */
  readonly keyringProgram?: string
  /** The runtime and the launcher of crm, for a process that outlives this one. */
  readonly program?: readonly [file: string, ...args: string[]]
  /** From now on the exit code is a result: the command continues after stdout closes, and keeps its exit code. */
  readonly keepExitCode?: () => void
  /** Called with the changes that took effect, for the message that the output could not be written. */
  readonly onServerChange?: (what: string) => void
  /** Whether stdout is the null device, which Node also puts in the place of one that was closed (`>&-`). */
  readonly isStdoutDiscarded?: () => boolean
  /** Whether all that was written to stdout was taken by its reader. */
  readonly isStdoutRead?: () => Promise<boolean>
  /** From now on SIGHUP calls this, and stops nothing. */
  readonly reloadOnHangup?: (reload: () => void) => void
  /** CLOCK_MONOTONIC, in microseconds. */
  readonly monotonicUs?: () => bigint
  /** Does what the first Ctrl-C does; a screen reads that key itself. */
  readonly interrupt?: () => void
  /** Stops the process, as Ctrl-Z does, until the shell continues it; undefined where there is no such thing. */
  readonly pauseProcess?: () => Promise<void>
  /** Ctrl-C stops nothing here while another program has the terminal. */
  readonly lendTerminal?: (during: () => Promise<void>) => Promise<void>
  readonly watchProcess?: WatchProcess
}
