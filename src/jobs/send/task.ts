import type { Operation } from '../plan/operation.ts'

/** An operation that is leased and has no end yet. */
export interface Task {
  readonly operation: Operation
  gen: number
  /** When its key may first have been sent, by the server's clock. */
  leasedMs: number
  /** From then on the server may have forgotten the key, or never knew it. */
  expiresMs: number
  /** The end of the window as it was known when it was leased. */
  windowEndMs: number
  /** Tries of this process. */
  tries: number
  /** Whether a try, of this process or of an earlier one, may have taken effect. */
  isInDoubt: boolean
  /** Whether a create was answered with a 2xx that does not show the record: it is looked up, and never sent again. */
  isTaken: boolean
  /** Whether an earlier process leased it. */
  isResumed: boolean
  /** By the steady clock of this machine; undefined when this process has not sent it. */
  lastSentMs: number | undefined
}
