import { LIFE, SETTLE, WINDOW } from './rules.ts'

/** Ages are in ticks and stop at the oldest that matters, so that time has no end and the states are finite. */
export interface Lease {
  readonly generation: number
  readonly age: number
  readonly apiKey: number
}

export interface Journal {
  readonly lease: Lease | undefined
  readonly verdict: 'done' | 'in doubt' | undefined
}

export interface Request {
  readonly key: number
  readonly age: number
  /** Whether the client still waits for its answer. */
  readonly isAwaited: boolean
}

export interface KnownKey {
  readonly key: number
  readonly age: number
  readonly isFailure: boolean
}

export type Answer = 'created' | 'failed' | 'failed before'

export interface Client {
  readonly phase: 'dead' | 'deciding' | 'waiting' | 'refuted' | 'absent once' | 'finished'
  readonly answer: Answer | undefined
  /** Since this process took the job over; where keys are not kept, also since it sent last. */
  readonly quietAge: number
  /** Since it first looked in vain. */
  readonly lookAge: number
  /** Whether anything may have been sent under the lease; only where keys are not kept. */
  readonly mayHaveSent: boolean
  /** Whether what it found unsynced was written by a process before it. */
  readonly hasInherited: boolean
}

/** The whole world of one operation: a client, its disk, the network and the server. */
export interface State {
  readonly client: Client
  readonly apiKey: number
  readonly durable: Journal
  /** Written after the last sync: a power cut keeps any part of it, in order. */
  readonly pending: Journal
  readonly isTorn: boolean
  readonly isDamaged: boolean
  readonly underWay: readonly Request[]
  readonly knownKeys: readonly KnownKey[]
  readonly recordCount: number
  readonly recordAge: number
}

export const NOTHING: Journal = { lease: undefined, verdict: undefined }
export const DEAD: Client = {
  phase: 'dead',
  answer: undefined,
  quietAge: 0,
  lookAge: 0,
  mayHaveSent: false,
  hasInherited: false,
}

export const START: State = {
  client: DEAD,
  apiKey: 0,
  durable: NOTHING,
  pending: NOTHING,
  isTorn: false,
  isDamaged: false,
  underWay: [],
  knownKeys: [],
  recordCount: 0,
  recordAge: 0,
}

/** A key of the server's, and whose it is where the server knows keys by API key. */
export function keyOf(generation: number, apiKey: number): number {
  return generation * 2 + apiKey
}

/** A request past its life is never processed: the one thing that is taken as given of the network. */
export function tick(state: State): State {
  return {
    ...state,
    client: {
      ...state.client,
      quietAge: Math.min(state.client.quietAge + 1, LIFE + 1),
      lookAge: Math.min(state.client.lookAge + 1, SETTLE),
    },
    durable: older(state.durable),
    pending: older(state.pending),
    underWay: state.underWay.flatMap((each) => (each.age === LIFE ? [] : [{ ...each, age: each.age + 1 }])),
    knownKeys: state.knownKeys.map((each) => ({ ...each, age: Math.min(each.age + 1, WINDOW) })),
    recordAge: state.recordCount === 0 ? 0 : Math.min(state.recordAge + 1, SETTLE),
  }
}

function older(journal: Journal): Journal {
  if (!journal.lease) return journal
  return { ...journal, lease: { ...journal.lease, age: Math.min(journal.lease.age + 1, WINDOW) } }
}
