import type { ListenEvent } from '../../core/webhook-events.ts'

export interface Ready {
  readonly url: string
  /** Where senders reach it, when that is another address. */
  readonly publicUrl: string | undefined
  /** False with `--insecure-skip-verify`. */
  readonly isVerifying: boolean
  /** Undefined when the secret came from a file, or there is none. */
  readonly subscriptionId: string | undefined
  /** Of the event log. */
  readonly folder: string
}

/** One format of a stream without end. Each method gives the text to write now. */
export interface EventPrinter {
  ready(ready: Ready): string
  line(listenEvent: ListenEvent): string
}
