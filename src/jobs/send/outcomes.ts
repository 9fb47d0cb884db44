import { type Failure, isFailure } from '../../api/errors/failure.ts'
import { oneLine } from '../../api/errors/one-line.ts'
import type { Answer } from '../../api/transport/answer.ts'
import { otherValueText } from '../../core/other-values.ts'
import type { FailedEntry, Result } from '../store/progress.ts'
import { judge, mayRepeat, onlyOnce, type SendOutcome } from './send-outcome.ts'
import type { SendingJob, Stop, Unsettled } from './services.ts'
import type { Task, TaskGroup, TaskQueue } from './tasks.ts'

const FAILURES_IN_A_ROW = 20

const FIRST_PROBE_MS = 1000

const LONGEST_PROBE_MS = 15_000

const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 30_000
/** A kill -9 loses results of at most this time; their operations are then sent again, under the same key. */
const FLUSH_AFTER_MS = 50

interface Request {
  readonly again: Task[]
  waitMs: number
  isOutageCounted: boolean
  isFlushNeeded: boolean
}

/** Handles the responses to tasks: writes results to the journal, and queues tasks that are sent again. */
export class Outcomes {
  readonly outage: Outage
  /** Operations whose outcome only the records show. */
  readonly unsettled: Unsettled[] = []
  readonly #sending: SendingJob
  readonly #steadyMs: () => number
  readonly #queue: TaskQueue
  readonly #stopFor: (stop: Stop) => void
  #flushTimer: NodeJS.Timeout | undefined
  /** Since when every request was refused for a limit, or was part of an outage. */
  #limitedSinceMs: number | undefined

  constructor(sending: SendingJob, queue: TaskQueue, stopFor: (stop: Stop) => void) {
    this.#sending = sending
    this.#steadyMs = sending.services.clocks.steadyMs
    this.#queue = queue
    this.#stopFor = stopFor
    this.outage = new Outage(this.#steadyMs)
  }

  /** Called after every request; each task of it ends, waits for its next try, or is looked up in the records. */
  take(group: TaskGroup, outcomes: readonly (Answer | Failure)[]): void {
    const request: Request = { again: [], waitMs: 0, isOutageCounted: false, isFlushNeeded: false }
    for (const [at, task] of group.entries()) {
      const outcome = outcomes[at]
      if (outcome) this.#takeOne(task, outcome, request)
    }
    if (request.isFlushNeeded) this.#sending.journal.flush()
    if (request.again.length > 0) this.#queue.delay(request.again, this.#steadyMs() + request.waitMs)
  }

  /** A group whose request was refused as a whole: its halves are sent alone, until the refused row is. */
  halve(group: TaskGroup, failure: Failure): void {
    for (const task of group) noteTry(task, failure)
    const middle = Math.ceil(group.length / 2)
    const nowMs = this.#steadyMs()
    for (const half of [group.slice(0, middle), group.slice(middle)]) this.#queue.delay(half, nowMs)
  }

  #takeOne(task: Task, outcome: Answer | Failure, request: Request): void {
    const judged = judge(task, outcome)
    const sendOutcome = this.#notTwice(task, onlyOnce(task, outcome, judged, this.#sending.terms.keys))
    const because = judged.type === 'again' ? judged.because : undefined
    const isOutage = because === 'outage'
    if (!isOutage && outcome.headers !== undefined) this.#endOutage()
    if (because === undefined) this.#limitedSinceMs = undefined
    if (isFailure(outcome)) noteTry(task, outcome)
    switch (sendOutcome.type) {
      case 'done':
      case 'failed':
        this.#keep(task, sendOutcome, request)
        break
      case 'again':
        this.#again(task, sendOutcome, outcome as Failure, request)
        break
      case 'unsettled':
        if (isOutage) this.#countOutage(outcome as Failure, request)
        this.#noteDoubt(task, sendOutcome)
        this.unsettled.push({
          task,
          why: sendOutcome.why,
          isAnswered: sendOutcome.isAnswered,
          goneAs: sendOutcome.goneAs,
        })
        break
      case 'stopped':
        this.#queue.push([task])
        this.#stopFor({ why: 'refused', failure: sendOutcome.failure })
    }
  }

  /** Two creates with the same id are in doubt; an upsert may change one record for two rows. */
  #notTwice(task: Task, sendOutcome: SendOutcome): SendOutcome {
    const { answeredIds } = this.#sending
    const isMade = sendOutcome.type === 'done' && task.operation.head.do === 'create' && sendOutcome.flag !== 'u'
    if (!answeredIds || !isMade || sendOutcome.id === null || answeredIds.add(sendOutcome.id)) return sendOutcome
    const why = `the answer names ${oneLine(sendOutcome.id, 60)}, which is also the id of another row of this job`
    return { type: 'unsettled', why, isAnswered: false, isTaken: true }
  }

  /** A create that was taken is written at once: after a kill, the next process must not send it again. */
  #noteDoubt(task: Task, { why, isTaken, contradiction }: SendOutcome & { type: 'unsettled' }): void {
    const { journal } = this.#sending
    if (isTaken || contradiction) {
      const entry = { t: 'doubt', op: task.operation.op, why, ...(isTaken && { taken: true as const }) } as const
      if (isTaken) task.isTaken = true
      journal.append(entry)
      journal.sync()
    }
    if (contradiction) this.#stopFor({ why: 'contradicted', failure: contradiction })
  }

  /** Ends an operation that has no request. */
  fail(task: Task, failed: Pick<FailedEntry, 'code' | 'field' | 'reason'>): void {
    const request: Request = { again: [], waitMs: 0, isOutageCounted: false, isFlushNeeded: false }
    this.#keep(task, { type: 'failed', entry: { status: null, ...failed, request: null } }, request)
  }

  #keep(task: Task, sendOutcome: SendOutcome & { type: 'done' | 'failed' }, request: Request): void {
    const { journal, progress, hooks, maxFailed, terms } = this.#sending
    const { op } = task.operation
    if (sendOutcome.type === 'done') journal.addResult(this.#resultOf(task, sendOutcome))
    else journal.append({ t: 'failed', op, ...sendOutcome.entry })
    // A create that must not be repeated would be in doubt if a kill -9 lost its result.
    if (sendOutcome.type === 'failed' || mayRepeat(task, terms.keys))
      this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_AFTER_MS)
    else request.isFlushNeeded = true
    hooks.onEnd(task, sendOutcome)
    if (sendOutcome.type === 'failed' && sendOutcome.contradiction)
      this.#stopFor({ why: 'contradicted', failure: sendOutcome.contradiction })
    if (progress.counts.failed > maxFailed) this.#stopFor({ why: 'errors', failed: progress.counts.failed })
  }

  #resultOf(
    { operation: { op, head } }: Task,
    { status, id, flag, other }: SendOutcome & { readonly type: 'done' },
  ): Result {
    if (other === undefined) return flag === undefined ? [op, status, id] : [op, status, id, flag]
    const where = head.line === undefined ? oneLine(id ?? `operation ${op}`, 60) : `line ${head.line}`
    const mark = this.#sending.progress.otherRows.first === undefined ? `${where}, ${otherValueText(other())}` : 1
    return [op, status, id, flag ?? null, mark]
  }

  /** The tasks of one request stay together: those of a batch would otherwise be sent one by one. */
  #again(task: Task, { because, afterMs }: SendOutcome & { type: 'again' }, failure: Failure, request: Request): void {
    const wasOn = this.outage.isOn
    if (because === 'outage') this.#countOutage(failure, request)
    else if (because === 'limit') this.#countLimit(failure)
    // During an outage, the failure is not that of this operation.
    if (because === 'outage' && !wasOn) task.tries += 1
    const fullMs = Math.min(FIRST_BACKOFF_MS * 2 ** task.tries, LONGEST_BACKOFF_MS)
    const backoffMs = fullMs * (0.5 + this.#sending.services.random() / 2)
    // A limit applies to all requests; the rate limiter enforces it.
    const waitMs = because === 'limit' && afterMs ? 0 : (afterMs ?? backoffMs)
    request.again.push(task)
    request.waitMs = Math.max(request.waitMs, waitMs)
  }

  #countOutage(failure: Failure, request: Request): void {
    if (request.isOutageCounted) return
    request.isOutageCounted = true
    const { hooks, clock, journal, terms } = this.#sending
    if (this.outage.failed()) {
      journal.append({ t: 'pause', time: clock.nowMs(), why: failure.reason })
      journal.flush()
      hooks.onPause({ why: failure.reason, untilMs: undefined })
    }
    const { lastsMs } = this.outage
    if (lastsMs > terms.maxOutageMs) this.#stopFor({ why: 'outage', failure, lastsMs })
  }

  /** A server that refuses every request, however often it says when to come back, would hold a job for ever. */
  #countLimit(failure: Failure): void {
    const nowMs = this.#steadyMs()
    this.#limitedSinceMs ??= nowMs
    const lastsMs = nowMs - this.#limitedSinceMs
    if (lastsMs > this.#sending.terms.maxOutageMs) this.#stopFor({ why: 'outage', failure, lastsMs })
  }

  #endOutage(): void {
    if (this.outage.isOn) this.#sending.hooks.onPause(undefined)
    this.outage.succeeded()
  }

  /** Does not flush: closing the journal does. */
  close(): void {
    clearTimeout(this.#flushTimer)
  }

  #flush(): void {
    this.#flushTimer = undefined
    try {
      this.#sending.journal.flush()
    } catch (error) {
      this.#stopFor({ why: 'error', error })
    }
  }
}

/** A request that was refused before any work began cannot have taken effect. */
function noteTry(task: Task, { isInDoubt }: Failure): void {
  if (isInDoubt) task.isInDoubt = true
  if (!task.isInDoubt) task.lastSentMs = undefined
}

/** Detects that the server no longer responds, and probes with one request at a time until it does. */
class Outage {
  readonly #steadyMs: () => number
  #inARow = 0
  #sinceMs = 0
  #probes = 0
  #nextProbeMs = 0

  constructor(steadyMs: () => number) {
    this.#steadyMs = steadyMs
  }

  get isOn(): boolean {
    return this.#inARow >= FAILURES_IN_A_ROW
  }

  get lastsMs(): number {
    return this.#inARow === 0 ? 0 : this.#steadyMs() - this.#sinceMs
  }

  get untilProbeMs(): number {
    return this.isOn ? Math.max(0, this.#nextProbeMs - this.#steadyMs()) : 0
  }

  /** True for the failure with which an outage begins. */
  failed(): boolean {
    const wasOn = this.isOn
    if (this.#inARow === 0) this.#sinceMs = this.#steadyMs()
    this.#inARow += 1
    if (!this.isOn) return false
    this.#nextProbeMs = this.#steadyMs() + Math.min(FIRST_PROBE_MS * 2 ** this.#probes, LONGEST_PROBE_MS)
    this.#probes += 1
    return !wasOn
  }

  succeeded(): void {
    this.#inARow = 0
    this.#probes = 0
  }
}
