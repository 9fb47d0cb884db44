/** What clients are expected to try again. */
export const FAULT_STATUSES = [429, 500, 502, 503, 504] as const

export type FaultStatus = (typeof FAULT_STATUSES)[number]

export interface InjectedFault {
  /** Undefined resets the connection. */
  readonly status: FaultStatus | undefined
  /** Whether the request has had its effect by then, of which the client hears nothing. */
  readonly isAfterwards: boolean
  /** Of all requests, 0 to 1. */
  readonly share: number
}

/** What a service does to its clients on purpose, so that they can be tested. */
export interface FaultPlan {
  /** Before each request is taken up. */
  readonly latencyMs: number
  readonly faults: readonly InjectedFault[]
  /** Nothing goes wrong before this is so. */
  isOn(): boolean
}
