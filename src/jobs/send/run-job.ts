import type { RateLimiter } from '../../api/limits/rate-limiter.ts'
import { isListed, resourceOf } from '../../core/resources/registry.ts'
import { successorOf } from '../history/find-jobs.ts'
import { cancelled, refuseOtherAccount } from '../history/job-errors.ts'
import { convertEarlier } from '../store/earlier-form.ts'
import type { OpenEntry } from '../store/entry.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { withJobLock } from '../store/job-lock.ts'
import { Journal } from '../store/journal.ts'
import { openJob } from '../store/open-job.ts'
import { type Account, JobProgress, type OtherRows, rowTotals } from '../store/progress.ts'
import { checkServer, refuseOtherKeyholder } from './check-server.ts'
import { dispatch } from './dispatch.ts'
import { Leases, resumeTasks } from './leases.ts'
import { claimedIn, createdIdsIn, recentRecordsIn } from './look-up.ts'
import { createReadingSender } from './reading-sender.ts'
import { resolveInDoubt } from './resolve-in-doubt.ts'
import { senderFor } from './sender-adapters.ts'
import {
  type Dispatched,
  type DispatchHooks,
  type JobServices,
  type RunTerms,
  type SendTerms,
  ServerClock,
  type Stop,
  type Unsettled,
} from './services.ts'
import { AnsweredIds, LEAST_IDS, type Task } from './task-queue.ts'

export interface JobRun {
  readonly paths: JobPaths
  readonly services: JobServices
  readonly terms: RunTerms & SendTerms
  readonly limiter: RateLimiter
  readonly hooks: RunHooks
}

/** How a run handles rows that were in doubt when the job ended. */
export interface Doubts {
  /** The number of rows that are checked again. */
  readonly reopened: number
  /** A later job with these rows; then none are checked. */
  readonly successor: string | undefined
}

export interface RunHooks extends DispatchHooks {
  /** Called before the first request, with the plan and the state of the job. */
  onStart(progress: JobProgress, plan: JobFile, doubts: Doubts): void
  /** Aborted to stop this run alone; requests that were sent are awaited. */
  readonly stop?: AbortSignal
  /** Aborted to wait no longer for requests that were sent: each may then have taken effect, or not. */
  readonly cut?: AbortSignal
}

export interface JobOutcome {
  readonly account: Account
  readonly otherRows: OtherRows
  /** Undefined when nothing is left to send. */
  readonly stop: Stop | undefined
}

/** The number of rounds of looking up and sending again; operations unsettled after them are in doubt. */
const MOST_ROUNDS = 5

/**
 * Sends what is left of a job, from where an earlier process stopped. Only one process may do so: CrmError `conflict` names the
 * other one. Failed rows are in the outcome; an error that prevents the start is thrown.
 */
export function runJob(run: JobRun): Promise<JobOutcome> {
  return withJobLock(run.paths, () => runLocked(run))
}

async function runLocked(run: JobRun): Promise<JobOutcome> {
  const { paths, services, hooks } = run
  await convertEarlier(paths)
  const plan = openJob(paths)
  try {
    refuseOtherAccount(plan.head, services.account)
    plan.verify()
    const progress = JobProgress.of(plan)
    if (progress.end === 'cancelled' && !run.terms.isRestDropped) throw cancelled(paths.id)
    const doubts = run.terms.isDoubtReopened ? reopen(paths, progress) : NO_DOUBTS
    hooks.onStart(progress, plan, doubts)
    if (progress.end !== undefined && doubts.reopened === 0) {
      return { account: rowTotals(plan.end, progress), otherRows: progress.otherRows, stop: undefined }
    }
    if (!run.terms.isRestDropped) {
      const verbs = (['create', 'update', 'delete'] as const).filter((verb) => plan.end[verb] > 0)
      await services.requireProven(plan.head, verbs)
    }
    const clock = new ServerClock(services.clocks)
    services.sender.expect(Math.ceil(plan.count / services.sender.mostInBatch(resourceOf(plan.head.noun))))
    await checkServer(
      services,
      plan.head.noun,
      { clock, keys: run.terms.keys, limiter: run.limiter },
      run.terms.maxOutageMs,
    )
    await refuseOtherKeyholder(recentRecordsIn(plan), { plan, progress }, services, run.terms)
    const windowMs = run.terms.keys.windowMs(run.terms.windowMs)
    const journal = new Journal(plan, progress, () => clock.nowMs())
    try {
      return await send({
        run: { ...run, terms: { ...run.terms, windowMs } },
        plan,
        progress,
        clock,
        journal,
        answeredIds: new AnsweredIds(createdIdsIn(plan, LEAST_IDS)),
      })
    } finally {
      journal.close()
    }
  } finally {
    plan.close()
  }
}

const NO_DOUBTS: Doubts = { reopened: 0, successor: undefined }

function reopen(paths: JobPaths, progress: JobProgress): Doubts {
  if (progress.counts.doubt === 0) return NO_DOUBTS
  const successor = successorOf(paths)
  return { reopened: successor === undefined ? progress.reopenDoubts() : 0, successor }
}

interface Open {
  readonly run: JobRun
  readonly plan: JobFile
  readonly progress: JobProgress
  readonly clock: ServerClock
  readonly journal: Journal
  /** Of the creates of all processes. */
  readonly answeredIds: AnsweredIds
}

async function send(open: Open): Promise<JobOutcome> {
  const { run, plan, progress, clock, journal } = open
  const { services, terms } = run
  const { sent, unsent } = resumeTasks(plan, progress, { ...terms, keyMark: services.keyMark })
  writeOpen(open)
  const isClosed = terms.isRestDropped === true
  const leaseTerms = { windowMs: terms.windowMs, nowMs: () => clock.nowMs(), isClosed }
  const leases = new Leases(plan, { journal, progress }, leaseTerms)
  if (!isClosed) for (const task of unsent) leases.renew(task, false)
  // The next requests rely on entries of the last process, which may not be on disk yet.
  journal.sync()
  const sending = { open, leases, startedMs: services.clocks.steadyMs() }
  const stop = await sendAndSettle(sending, isClosed ? sent : [...sent, ...unsent])
  const account = rowTotals(plan.end, progress)
  if (!stop && !isClosed && account.unsent > 0)
    throw new Error(`${account.unsent} operations of ${run.paths.id} were never sent`)
  if (stop?.why !== 'error') writeEnd(open, stop)
  return { account, otherRows: progress.otherRows, stop }
}

interface Sending {
  readonly open: Open
  readonly leases: Leases
  readonly startedMs: number
}

async function sendAndSettle(sending: Sending, first: readonly Task[]): Promise<Stop | undefined> {
  let tasks = first
  for (let round = 1; ; round++) {
    const { stop, unsettled, left, held } = await dispatchOn(sending, tasks)
    const isOver = stop !== undefined || unsettled.length === 0
    giveBack(sending.open, isOver ? [...left, ...held] : left)
    if (isOver) return stop
    // A long wait may follow.
    sending.open.journal.flush()
    const again = await resolveOn(sending, unsettled, round === MOST_ROUNDS)
    if (!again) {
      giveBack(sending.open, held)
      return { why: 'interrupted' }
    }
    tasks = [...again, ...held]
    if (tasks.length === 0) return undefined
  }
}

function dispatchOn({ open, leases }: Sending, tasks: readonly Task[]): Promise<Dispatched> {
  const { run, plan, progress, clock, journal, answeredIds } = open
  const { services, terms, limiter, hooks } = run
  const { maxErrors } = terms
  const most = !maxErrors ? plan.count : 'rows' in maxErrors ? maxErrors.rows : maxErrors.part * plan.count
  // Rejected rows are known beforehand, and limited by --max-rejects.
  const maxFailed = most + (plan.end.rejected ?? 0)
  const sender = senderFor(plan.head, services.sender)
  const parts = {
    ...{ journal, progress, leases, limiter, clock, hooks, maxFailed, keys: terms.keys },
    sender: services.read ? createReadingSender(sender, services.read) : sender,
    ...{ signal: services.signal, random: services.random },
    ...{ account: plan.head.account, run: plan.head.run, resource: resourceOf(plan.head.noun) },
    upsertBy: plan.head.upsert,
    answeredIds: plan.head.kind === 'fixtures' ? undefined : answeredIds,
    ...{ lifeMs: terms.lifeMs, maxOutageMs: terms.maxOutageMs, steadyMs: services.clocks.steadyMs },
  }
  return dispatch(parts, tasks)
}

/** Without `--match`, an existing record leaves one equal row unchanged; it may be equal to another row, which is created. */
function comparedBy({ head, end }: Pick<JobFile, 'head' | 'end'>): readonly string[] | undefined {
  const isMatched = (head.terms?.match.names.length ?? 0) > 0
  return isMatched || end.unchanged === 0 ? head.compared : undefined
}

function resolveOn(sending: Sending, unsettled: readonly Unsettled[], isLast: boolean) {
  const { open, leases, startedMs } = sending
  const { run, plan, progress, clock, journal } = open
  const { services, terms, hooks } = run
  const { noun } = plan.head
  const records = {
    list: () => services.list(noun),
    claimed: (ids: ReadonlySet<string>) => claimedIn(plan, ids),
    recentRecords: () => recentRecordsIn(plan),
    isEmptyBelieved: terms.keys.isKept,
    comparedBy: comparedBy(plan),
  }
  return resolveInDoubt(
    {
      ...{ journal, progress, leases, startedMs },
      records: isListed(resourceOf(noun)) && services.offers(resourceOf(noun), 'list') ? records : undefined,
      whyUnread: `${noun} cannot be read back`,
      whyNoMore: isLast ? `it was sent and looked for ${MOST_ROUNDS} times` : undefined,
      lifeMs: terms.lifeMs,
      serverNowMs: () => clock.nowMs(),
      steadyMs: services.clocks.steadyMs,
      sleep: async (ms) => {
        await services.sleep(ms, services.signal)
        return !services.signal.aborted
      },
      onWait: (why, waitMs) => hooks.onPause({ why, untilMs: clock.nowMs() + waitMs }),
    },
    unsettled,
  )
}

function writeOpen({ run, clock, journal, progress }: Open): void {
  const { services, terms } = run
  const entry: OpenEntry = {
    t: 'open',
    time: clock.nowMs(),
    wall: services.clocks.wallMs(),
    pid: services.pid,
    version: services.version,
    key: services.keyMark,
    window: terms.windowMs,
    life: terms.lifeMs,
  }
  journal.append(entry)
  progress.take(entry)
}

/** Records leased operations that were never sent, so that a later resume does not treat them as in doubt. */
function giveBack({ journal, progress }: Open, tasks: readonly Task[]): void {
  const ops = tasks
    .filter(({ isInDoubt, lastSentMs }) => !isInDoubt && lastSentMs === undefined)
    .map(({ operation }) => operation.op)
    .sort((a, b) => a - b)
  if (ops.length === 0) return
  const ranges: [number, number][] = []
  for (const op of ops) {
    const last = ranges.at(-1)
    if (last && last[1] === op) last[1] = op + 1
    else ranges.push([op, op + 1])
  }
  const entry = { t: 'back', ops: ranges } as const
  journal.append(entry)
  progress.take(entry)
}

function writeEnd({ journal, progress, clock, plan }: Open, stop: Stop | undefined): void {
  const time = clock.nowMs()
  if (stop) {
    journal.append({ t: 'pause', time, why: stop.why })
  } else {
    const { done, failed, in_doubt: doubt, unsent } = rowTotals(plan.end, progress)
    const state = unsent === 0 ? 'finished' : 'cancelled'
    journal.append({ t: 'end', time, state, done, failed, doubt, unsent })
  }
  journal.sync()
}
