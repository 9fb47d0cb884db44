import { isListUnreadable } from '../../api/pages/page-errors.ts'
import { durationText } from '../../core/duration.ts'
import type { Journal } from '../store/journal.ts'
import type { JobProgress } from '../store/progress.ts'
import type { Leases } from './leases.ts'
import { type ListedRecords, type LookUpResult, lookUp } from './look-up.ts'
import { type GoneAs, TAKEN } from './send-outcome.ts'
import type { Unsettled } from './services.ts'
import type { Task } from './task-queue.ts'

/** A list may lag behind the writes; absent records are looked up again after this time. */
const SETTLE_MS = 2000

export interface ResolveParts {
  readonly journal: Journal
  readonly progress: JobProgress
  readonly leases: Leases
  /** Undefined if the resource cannot be listed, such as notes. */
  readonly records: ListedRecords | undefined
  /** Why there are no records, for people. */
  readonly whyUnread: string
  /** The reason not to send an absent record again; undefined when it is sent. */
  readonly whyNoMore: string | undefined
  readonly lifeMs: number
  readonly serverNowMs: () => number
  readonly steadyMs: () => number
  /** When this process started, by the steady clock; earlier processes sent before. */
  readonly startedMs: number
  /** False if it was interrupted. */
  readonly sleep: (ms: number) => Promise<boolean>
  readonly onWait: (why: string, waitMs: number) => void
}

/**
 * Ends operations whose outcome only the records show: done or in doubt. Returns those that were proved absent, under a new
 * lease and a new generation; undefined if it was interrupted, and then they are unchanged.
 */
export async function resolveInDoubt(
  parts: ResolveParts,
  unsettled: readonly Unsettled[],
): Promise<readonly Task[] | undefined> {
  const { records } = parts
  if (!records) {
    for (const { task, why } of unsettled) endInDoubt(parts, task, `${why}, and ${parts.whyUnread}`)
    parts.journal.sync()
    return []
  }
  const tasks = unsettled.map(({ task }) => task)
  // A request that is still in progress would create a record that was just proved absent.
  const waitMs = Math.max(0, ...unsettled.map((one) => quietMs(parts, one)))
  if (waitMs > 0)
    parts.onWait(
      `earlier requests may still take effect, up to ${durationText(parts.lifeMs)} after they were sent`,
      waitMs,
    )
  if (waitMs > 0 && !(await parts.sleep(waitMs))) return undefined
  const first = await look(records, tasks)
  const absent = tasks.filter((task) => first.get(task)?.type === 'absent')
  // Written before the second lookup, so that an adopted record is not matched to another, equal row.
  const goneAs = new Map(unsettled.map((one) => [one.task, one.goneAs]))
  for (const [task, finding] of first) if (finding.type !== 'absent') keep(parts, task, finding, goneAs.get(task))
  if (absent.length > 0 && !(await parts.sleep(SETTLE_MS))) return undefined
  const second = absent.length > 0 ? await look(records, absent) : new Map<Task, LookUpResult>()
  const raised: Task[] = []
  for (const [task, finding] of second) if (keep(parts, task, finding, goneAs.get(task))) raised.push(task)
  parts.journal.sync()
  return raised
}

/** All are in doubt when the list cannot be read to its end. */
async function look(records: ListedRecords, tasks: readonly Task[]): Promise<ReadonlyMap<Task, LookUpResult>> {
  try {
    return await lookUp(records, tasks)
  } catch (error) {
    if (!isListUnreadable(error)) throw error
    const why = `it cannot be looked up: ${error.message}`
    return new Map(tasks.map((task) => [task, { type: 'doubt', why }]))
  }
}

/** The time until no request of the operation can still be in progress. */
function quietMs({ lifeMs, startedMs, steadyMs, serverNowMs }: ResolveParts, { task, isAnswered }: Unsettled): number {
  if (isAnswered) return 0
  const hereMs = task.lastSentMs === undefined ? 0 : task.lastSentMs + lifeMs - steadyMs()
  if (!task.isResumed) return hereMs
  // The earlier process may have sent until the end of the window that it assumed.
  const beforeMs = Math.min(startedMs + lifeMs - steadyMs(), task.windowEndMs - serverNowMs())
  return Math.max(hereMs, beforeMs)
}

/** True if the operation is sent again. */
function keep(parts: ResolveParts, task: Task, finding: LookUpResult, goneAs?: GoneAs): boolean {
  const { journal, progress, leases } = parts
  const { op } = task.operation
  if (goneAs && isThere(finding)) {
    journal.append(goneAs.ifThere)
    progress.settle(op, 'failed')
    return false
  }
  switch (finding.type) {
    case 'done':
      journal.addResult(goneAs?.ifGone ?? [op, 0, finding.id, 'a'])
      progress.settle(op, 'done')
      return false
    case 'gone':
      journal.append({ t: 'failed', op, status: null, code: 'not_found', field: null, reason: GONE, request: null })
      progress.settle(op, 'failed')
      return false
    case 'doubt':
      endInDoubt(parts, task, finding.why)
      return false
    case 'absent': {
      const whyNoMore = task.isTaken ? `it is not there, and ${TAKEN}` : parts.whyNoMore
      if (whyNoMore !== undefined) {
        endInDoubt(parts, task, whyNoMore)
        return false
      }
      leases.renew(task, true)
      task.isInDoubt = false
      task.isResumed = false
      task.tries = 0
      return true
    }
  }
}

/** Whether the record to delete still exists. */
function isThere(finding: LookUpResult): boolean {
  return finding.type === 'absent' || (finding.type === 'doubt' && finding.isThere === true)
}

const GONE = 'the record no longer exists'

function endInDoubt({ journal, progress }: ResolveParts, { operation: { op } }: Task, why: string): void {
  journal.append({ t: 'doubt', op, why })
  progress.settle(op, 'doubt')
}
