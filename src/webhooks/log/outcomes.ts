import type { EventOutcome, ReceivedEvent } from '../../core/webhook-events.ts'
import { isGone, type ProcessOwner } from '../../files/processes.ts'
import type { KeptAttempt } from './attempt.ts'

/** What became of events, by the attempts of the log in any order. */
export interface EventOutcomes {
  add(attempt: KeptAttempt): void
  /** Undefined for an event that was passed to no target, or that a running process is to forward. */
  of(event: Pick<ReceivedEvent, 'id' | 'receivedAtMs'>): EventOutcome | undefined
}

interface Tried {
  /** The run that made the last attempt. */
  run: string
  lastMs: number
  /** The last attempt of that run at each target. */
  readonly targets: Map<string, KeptAttempt>
}

/**
 * The run with the last attempt decides, so that a replay to another target replaces the outcome of a listener. An event
 * failed if any target of that run refused it last.
 */
export function createOutcomes(): EventOutcomes {
  const byEvent = new Map<string, Tried>()
  const ended = new Map<string, boolean>()

  function isEnded(run: string, owner: ProcessOwner): boolean {
    const known = ended.get(run) ?? isGone(owner)
    ended.set(run, known)
    return known
  }

  function ofRun(key: string, { run, startedAtMs }: KeptAttempt): Tried {
    const tried = byEvent.get(key)
    if (tried && (tried.run === run || tried.lastMs > startedAtMs)) return tried
    const next: Tried = { run, lastMs: startedAtMs, targets: new Map() }
    byEvent.set(key, next)
    return next
  }

  return {
    add(attempt) {
      const tried = ofRun(keyOf(attempt), attempt)
      if (tried.run !== attempt.run) return
      tried.lastMs = Math.max(tried.lastMs, attempt.startedAtMs)
      const before = tried.targets.get(attempt.target)
      if (!before || isLater(attempt, before)) tried.targets.set(attempt.target, attempt)
    },
    of(event) {
      const tried = byEvent.get(keyOf(event))
      if (!tried) return undefined
      const attempts = [...tried.targets.values()]
      const decisive = attempts.find(({ failure }) => failure !== undefined) ?? attempts[0]
      if (decisive?.owner && !isEnded(tried.run, decisive.owner)) return undefined
      const { failure, status } = decisive ?? {}
      return { state: failure === undefined ? 'done' : 'failed', status, failure }
    },
  }
}

/** Attempts of one millisecond are ordered by their number. */
function isLater(attempt: KeptAttempt, than: KeptAttempt): boolean {
  if (attempt.startedAtMs !== than.startedAtMs) return attempt.startedAtMs > than.startedAtMs
  return attempt.attempt >= than.attempt
}

/** Repeated deliveries have the same id; an event without one is identified by its time. */
function keyOf({ id, receivedAtMs }: Pick<ReceivedEvent, 'id' | 'receivedAtMs'>): string {
  return id ?? `at ${receivedAtMs}`
}
