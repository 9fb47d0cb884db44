import type { ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'

/** The result of one attempt. */
export interface Outcome {
  /** The HTTP status or the exit code; undefined without one. */
  readonly status: number | undefined
  /** Undefined when it succeeded. */
  readonly failure: string | undefined
  /** The HTTP status for a sender that waits for this attempt. */
  readonly answer: number
  readonly retryAfter: string | undefined
  readonly response: string | undefined
}

/** Where events are forwarded to: a URL or a command. */
export interface Target {
  readonly type: ForwardResult['type']
  /** As typed. */
  readonly name: string
  /** Events forwarded at the same time. */
  readonly limit: number
  takes(event: ReceivedEvent): boolean
  /** Never rejects for a failure of the target; `signal` aborts it. */
  send(event: ReceivedEvent, signal: AbortSignal): Promise<Outcome>
}
