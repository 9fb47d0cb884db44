import { LIFE, MOST_UNDER_WAY, SETTLE, type Setting, WINDOW } from './rules.ts'
import { type Client, type Journal, keyOf, type Lease, NOTHING, type State } from './state.ts'

export interface Step {
  readonly name: string
  readonly next: State
}

/** Everything the client may do next; the world may do something else first. */
export function clientSteps(state: State, setting: Setting): Step[] {
  switch (state.client.phase) {
    case 'dead':
      return start(state, setting)
    case 'deciding':
      return decide(state, setting)
    case 'waiting':
      return receive(state)
    case 'refuted':
      return reconcile(state, setting)
    case 'absent once':
      return state.client.lookAge >= SETTLE ? look(state, (unseen) => raise(unseen)) : []
    case 'finished':
      return state.durable.verdict === 'in doubt' ? [reopen(state)] : []
  }
}

function start(state: State, { rules, areKeysKept }: Setting): Step[] {
  if (state.isDamaged) return []
  const client: Client = {
    phase: 'deciding',
    answer: undefined,
    quietAge: 0,
    lookAge: 0,
    mayHaveSent: !areKeysKept && Boolean(state.durable.lease ?? state.pending.lease),
    hasInherited: state.pending !== NOTHING,
  }
  return [{ name: 'start', next: { ...state, client, isTorn: state.isTorn && !rules.isTornTailCut } }]
}

/** A later process asks again about what was in doubt; the journal says so until there is a better answer. */
function reopen(state: State): Step {
  const client = { ...state.client, phase: 'deciding', answer: undefined, quietAge: 0, lookAge: 0 } as const
  return { name: 'reopen', next: { ...state, durable: { ...state.durable, verdict: undefined }, client } }
}

function decide(state: State, setting: Setting): Step[] {
  const { durable, pending } = state
  if (pending.verdict) return [sync(state)]
  if (durable.verdict) return [{ name: 'finish', next: { ...state, client: phase(state, 'finished') } }]
  const lease = pending.lease ?? durable.lease
  if (!lease) return [append(state, 'lease', { lease: { generation: 0, age: 0, apiKey: state.apiKey } })]
  if (pending.lease && !mayUsePending(state, setting)) return [sync(state)]
  return [...send(state, lease, setting), ...(mayReconcile(state, lease, setting) ? reconcile(state, setting) : [])]
}

function mayUsePending(state: State, { rules }: Setting): boolean {
  return !rules.isSyncedBeforeSend || (!rules.isSyncedOnResume && state.client.hasInherited)
}

function send(state: State, lease: Lease, { rules, areKeysKept }: Setting): Step[] {
  if (rules.isSentOnceWithoutKeys && state.client.mayHaveSent) return []
  const margin = rules.isLifeOfRequestCounted ? LIFE : 0
  const isInWindow = lease.apiKey === state.apiKey && lease.age + margin < WINDOW
  if (rules.isWindowChecked && !isInWindow) return []
  if (state.underWay.length === MOST_UNDER_WAY) return []
  const key = rules.isKeyDerived ? keyOf(lease.generation, state.apiKey) : freshKey(state)
  const underWay = [...state.underWay, { key, age: 0, isAwaited: true }]
  const client = phase(state, 'waiting')
  const noted = areKeysKept ? client : { ...client, mayHaveSent: true, quietAge: 0 }
  return [{ name: 'send', next: { ...state, underWay, client: noted } }]
}

function freshKey({ underWay, knownKeys }: State): number {
  return Math.max(-2, ...[...underWay, ...knownKeys].map(({ key }) => key)) + 2
}

/** Under another API key the server may not know the old one's keys; but what was sent under it may still arrive. */
function mayReconcile(state: State, lease: Lease, { rules, areKeysKept }: Setting): boolean {
  if (!areKeysKept && !state.client.mayHaveSent) return false
  if (!rules.isQuietBeforeReconcile) return true
  if (lease.age === WINDOW) return true
  return (!areKeysKept || lease.apiKey !== state.apiKey) && state.client.quietAge > LIFE
}

function reconcile(state: State, { rules, isReadable }: Setting): Step[] {
  if (!rules.isAbsenceProven) return [raise(state)]
  if (!isReadable) return [append(state, 'report in doubt', { verdict: 'in doubt' })]
  const unseenOnce = { ...state, client: { ...phase(state, 'absent once'), lookAge: 0 } }
  return look(state, (unseen) =>
    rules.isAbsenceSeenTwice ? { name: 'look: absent', next: unseenOnce } : raise(unseen),
  )
}

/** A list shows a record for certain only after it has settled. */
function look(state: State, whenUnseen: (state: State) => Step): Step[] {
  const steps: Step[] = []
  if (state.recordCount > 0) steps.push(append(state, 'adopt', { verdict: 'done' }))
  if (state.recordCount === 0 || state.recordAge < SETTLE) steps.push(whenUnseen(state))
  return steps
}

function raise(state: State): Step {
  const unsent = { ...state, client: { ...state.client, mayHaveSent: false } }
  const generation = ((state.pending.lease ?? state.durable.lease)?.generation ?? 0) + 1
  return append(unsent, 'raise generation', { lease: { generation, age: 0, apiKey: state.apiKey } })
}

function receive(state: State): Step[] {
  const reset = { name: 'reset', next: { ...unawaited(state), client: phase(state, 'deciding') } }
  switch (state.client.answer) {
    case undefined:
    case 'failed':
      return [reset]
    case 'created':
      return [append(unawaited(state), 'receive 201', { verdict: 'done' }), reset]
    case 'failed before':
      return [{ name: 'receive replayed 500', next: { ...state, client: phase(state, 'refuted') } }, reset]
  }
}

export function unawaited(state: State): State {
  return { ...state, underWay: state.underWay.map((each) => ({ ...each, isAwaited: false })) }
}

function append(state: State, name: string, records: Partial<Journal>): Step {
  const next = { ...state, pending: { ...state.pending, ...records }, isDamaged: state.isTorn }
  return { name, next: { ...next, client: phase(state, 'deciding') } }
}

function sync(state: State): Step {
  const { durable, pending } = state
  const synced = { lease: pending.lease ?? durable.lease, verdict: pending.verdict ?? durable.verdict }
  const client = { ...state.client, hasInherited: false }
  return { name: 'sync', next: { ...state, client, durable: synced, pending: NOTHING } }
}

function phase(state: State, to: Client['phase']): Client {
  return { ...state.client, phase: to, answer: undefined }
}
