import type { ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'

/** How one try went. */
export interface Outcome {
  /** The HTTP status or the exit code; undefined without one. */
  readonly status: number | undefined
  /** Undefined when it succeeded. */
  readonly failure: string | undefined
  /** The HTTP status for the sender, when the result is its answer. */
  readonly answer: number
  readonly retryAfter: string | undefined
  readonly response: string | undefined
}

/** Where events are forwarded to: a URL or a command. */
export interface Target {
  readonly type: ForwardResult['type']
  /** As typed. */
  readonly name: string
  /** Events that are forwarded at the same time. */
  readonly limit: number
  takes(event: ReceivedEvent): boolean
  /** Never rejects for what the other side does; `signal` breaks it off. */
  send(event: ReceivedEvent, signal: AbortSignal): Promise<Outcome>
}
