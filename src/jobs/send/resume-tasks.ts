import type { JobPaths } from '../journal/job-folder.ts'
import type { Journal } from '../journal/journal.ts'
import type { HeldLease, Progress } from '../journal/progress.ts'
import { readJournal } from '../journal/read-journal.ts'
import type { Operation } from '../plan/operation.ts'
import type { PlanFile } from '../plan/plan-file.ts'
import { RecentRecords } from './recent-records.ts'
import type { Task } from './task-queue.ts'

export interface ResumeTerms {
  readonly windowMs: number
  readonly lifeMs: number
  readonly isScopedByAccount: boolean
  readonly keyMark: string
}

export interface Resumed {
  /** Leased by an earlier process, without a result. */
  readonly sent: readonly Task[]
  /** Leased by an earlier process, and given back. */
  readonly unsent: readonly Task[]
}

/** The tasks that earlier processes left. */
export function resumeTasks(plan: PlanFile, progress: Progress, terms: ResumeTerms): Resumed {
  const sent: Task[] = []
  const unsent: Task[] = []
  for (const lease of progress.openLeases()) {
    for (const operation of operationsOf(plan, lease)) {
      if (progress.hasEnd(operation.op)) continue
      const isBack = progress.endOf(operation.op) === 'back'
      const isTaken = operation.head.taken === true || progress.isTaken(operation.op)
      const task = taskOf(operation, progress.lastLease(operation.op, lease), { ...terms, isBack, isTaken })
      if (isBack) unsent.push(task)
      else sent.push(task)
    }
  }
  return { sent, unsent }
}

function* operationsOf(plan: PlanFile, { from, to, at }: HeldLease): Generator<Operation, void, undefined> {
  for (const batch of plan.operations(at)) {
    for (const operation of batch) {
      if (operation.op >= to) return
      if (operation.op >= from) yield operation
    }
  }
}

interface LeftAs {
  readonly isBack: boolean
  readonly isTaken: boolean
}

function taskOf(operation: Operation, lease: HeldLease, terms: ResumeTerms & LeftAs): Task {
  const { gen = 0, since } = operation.head
  const leasedMs = Math.min(lease.time, since ?? lease.time)
  // With another API key, the server may not find our idempotency keys.
  const isKnown = terms.isScopedByAccount || lease.key === terms.keyMark
  const windowMs = Math.min(terms.windowMs, lease.window)
  const isSent = !terms.isBack || since !== undefined
  return {
    operation,
    gen: lease.gen ?? gen,
    leasedMs,
    expiresMs: isKnown ? leasedMs + windowMs : Number.NEGATIVE_INFINITY,
    windowEndMs: since === undefined ? lease.time + lease.window : Number.POSITIVE_INFINITY,
    tries: 0,
    isInDoubt: isSent,
    isTaken: terms.isTaken,
    isResumed: isSent,
    lastSentMs: undefined,
  }
}

/** Those of these ids that are the result of a done operation. */
export function claimedIn(paths: JobPaths, journal: Journal, ids: ReadonlySet<string>): ReadonlySet<string> {
  journal.flush()
  const claimed = new Set<string>()
  readJournal(paths.journal, (entry) => {
    if (entry.t !== 'done') return
    for (const [, , id] of entry.r) if (id !== null && ids.has(id)) claimed.add(id)
  })
  return claimed
}

/** Some of the last records that the job created or changed. */
export function recentRecordsIn(paths: JobPaths, journal: Journal): ReadonlySet<string> {
  journal.flush()
  const recentRecords = new RecentRecords()
  readJournal(paths.journal, (entry) => recentRecords.take(entry))
  return recentRecords.ids
}
