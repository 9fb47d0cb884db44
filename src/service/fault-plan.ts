/** Statuses that clients are expected to retry. */
export const FAULT_STATUSES = [429, 500, 502, 503, 504] as const

export type FaultStatus = (typeof FAULT_STATUSES)[number]

export interface InjectedFault {
  /** Undefined resets the connection. */
  readonly status: FaultStatus | undefined
  /** Whether the fault strikes after the request took effect. */
  readonly isAfterwards: boolean
  /** Share of all requests, 0 to 1. */
  readonly share: number
}

/** The faults that a service injects to test its clients. */
export interface FaultPlan {
  /** Delay before each request is handled. */
  readonly latencyMs: number
  readonly faults: readonly InjectedFault[]
  /** No fault is injected while this is false. */
  isOn(): boolean
}
