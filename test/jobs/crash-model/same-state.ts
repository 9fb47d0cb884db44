import type { Journal, State } from './state.ts'

/**
 * States that differ in nothing that can still matter are one: generations count from the oldest that anyone may use,
 * and keys that no process can send any more are forgotten.
 */
export function normalised(state: State): State {
  const { durable, underWay } = state
  const oldest = Math.min(durable.lease?.generation ?? 0, ...underWay.map(({ key }) => key >> 1))
  const isUsable = (key: number) =>
    key >> 1 >= (durable.lease?.generation ?? 0) || underWay.some((one) => one.key === key)
  const knownKeys = state.knownKeys.filter(({ key }) => isUsable(key))
  if (oldest === 0) return knownKeys.length === state.knownKeys.length ? state : { ...state, knownKeys }
  const renamed = (key: number) => key - 2 * oldest
  return {
    ...state,
    durable: shifted(durable, oldest),
    pending: shifted(state.pending, oldest),
    underWay: underWay.map((each) => ({ ...each, key: renamed(each.key) })),
    knownKeys: knownKeys.map((each) => ({ ...each, key: renamed(each.key) })),
  }
}

function shifted(journal: Journal, by: number): Journal {
  if (!journal.lease) return journal
  return { ...journal, lease: { ...journal.lease, generation: journal.lease.generation - by } }
}

/** The same text for the same state, whatever the order in which requests were sent and keys were used. */
export function textOf(state: State): string {
  const { client, durable, pending } = state
  const requests = state.underWay.map(({ key, age, isAwaited }) => key * 100 + age * 10 + Number(isAwaited))
  const keys = state.knownKeys.map(({ key, age, isFailure }) => key * 100 + age * 10 + Number(isFailure))
  return [
    client.phase,
    client.answer,
    client.quietAge,
    client.lookAge,
    client.mayHaveSent,
    client.hasInherited,
    state.apiKey,
    journalText(durable),
    journalText(pending),
    state.isTorn,
    state.isDamaged,
    requests.sort(ascending),
    keys.sort(ascending),
    state.recordCount,
    state.recordAge,
  ].join('|')
}

function journalText({ lease, verdict }: Journal): string {
  return `${lease ? `${lease.generation}.${lease.age}.${lease.apiKey}` : ''}/${verdict ?? ''}`
}

function ascending(one: number, other: number): number {
  return one - other
}
