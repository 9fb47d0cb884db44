import type { Arrival } from '../../core/arrivals.ts'

export interface Ready {
  readonly url: string
  /** False with `--insecure-skip-verify`. */
  readonly isVerifying: boolean
  /** Undefined when the secret came from a file, or there is none. */
  readonly subscriptionId: string | undefined
}

/** One format of a stream without end. Each method gives the text to write now. */
export interface ArrivalPrinter {
  ready(ready: Ready): string
  line(arrival: Arrival): string
}
