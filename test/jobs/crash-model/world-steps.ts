import { type Step, unawaited } from './client-steps.ts'
import { type Setting, WINDOW } from './rules.ts'
import { type Answer, DEAD, type Journal, NOTHING, type Request, type State, tick } from './state.ts'

/** Everything that can happen to the client: the network, the server, the clock, and its own end. */
export function worldSteps(state: State, setting: Setting): Step[] {
  const steps: Step[] = [{ name: 'tick', next: tick(state) }]
  for (const request of state.underWay) {
    steps.push({ name: 'lose request', next: without(state, request) })
    steps.push(...process(state, request, setting))
  }
  const isAlive = state.client.phase !== 'dead' && state.client.phase !== 'finished'
  if (isAlive) steps.push({ name: 'kill -9', next: { ...unawaited(state), client: DEAD } })
  if (isAlive || state.pending !== NOTHING) steps.push(...cutPower(state))
  if (setting.isApiKeyExchanged && state.client.phase === 'dead') {
    steps.push({ name: 'exchange API key', next: { ...state, apiKey: 1 - state.apiKey } })
  }
  return steps
}

function without(state: State, request: Request): State {
  return { ...state, underWay: state.underWay.filter((each) => each !== request) }
}

/**
 * The server executes a key at most once for the length of the window, and may forget it after that. A first execution
 * succeeds, or fails with its answer kept: before it had an effect, or after. One that keeps no keys executes whatever arrives.
 */
function process(state: State, request: Request, { isFailureKept, areKeysKept }: Setting): Step[] {
  const known = state.knownKeys.find(({ key }) => key === request.key)
  const steps: Step[] = []
  if (known) {
    const answer = known.isFailure ? 'failed before' : 'created'
    steps.push({ name: 'server replays', next: answered(state, request, answer) })
  }
  if (known && known.age < WINDOW) return steps
  const first = (hasEffect: boolean, isFailure: boolean) =>
    answered(executed(state, request, { hasEffect, isFailure, areKeysKept }), request, isFailure ? 'failed' : 'created')
  steps.push({ name: 'server creates', next: first(true, false) })
  if (!isFailureKept) return steps
  steps.push({ name: 'server creates, answers 500', next: first(true, true) })
  steps.push({ name: 'server answers 500', next: first(false, true) })
  return steps
}

interface Execution {
  readonly hasEffect: boolean
  readonly isFailure: boolean
  readonly areKeysKept: boolean
}

function executed(state: State, { key }: Request, { hasEffect, isFailure, areKeysKept }: Execution): State {
  const others = state.knownKeys.filter((each) => each.key !== key)
  const knownKeys = areKeysKept ? [...others, { key, age: 0, isFailure }] : others
  if (!hasEffect) return { ...state, knownKeys }
  return { ...state, knownKeys, recordCount: state.recordCount + 1, recordAge: 0 }
}

function answered(state: State, request: Request, answer: Answer): State {
  const next = without(state, request)
  return request.isAwaited ? { ...next, client: { ...next.client, answer } } : next
}

/** Of what was not synced any part may be on the disk, in order, and half a record behind it. */
function cutPower(state: State): Step[] {
  const { durable, pending } = state
  const after = (kept: Journal, isTorn: boolean): Step => ({
    name: isTorn ? 'power cut, torn tail' : 'power cut',
    next: {
      ...unawaited(state),
      client: DEAD,
      durable: { lease: kept.lease ?? durable.lease, verdict: kept.verdict ?? durable.verdict },
      pending: NOTHING,
      isTorn: state.isTorn || isTorn,
    },
  })
  if (pending === NOTHING) return [after(NOTHING, false)]
  const steps = [after(NOTHING, false), after(NOTHING, true), after(pending, false)]
  if (pending.lease && pending.verdict) {
    const leaseAlone = { lease: pending.lease, verdict: undefined }
    steps.push(after(leaseAlone, false), after(leaseAlone, true))
  }
  return steps
}
