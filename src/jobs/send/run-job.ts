import { isFailure } from '../../api/errors/failure.ts'
import type { RateLimiter } from '../../api/limits/rate-limiter.ts'
import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { isListed, RESOURCES, type Resource, resourceOf } from '../../core/resources/registry.ts'
import { successorOf } from '../history/find-jobs.ts'
import { cancelled, refuseOtherAccount } from '../history/job-errors.ts'
import type { JobNoun } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { withJobLock } from '../store/job-lock.ts'
import { Journal } from '../store/journal.ts'
import { convertEarlier, openJob } from '../store/open-job.ts'
import { type Account, JobProgress, type OtherRows, rowTotals } from '../store/progress.ts'
import { dispatch } from './dispatch.ts'
import { createdIdsIn, recentRecordsIn, resolveInDoubt } from './look-up.ts'
import { failureError } from './send-outcome.ts'
import { createReadingSender, senderFor } from './sender-adapters.ts'
import {
  type DispatchHooks,
  type JobServices,
  type RunTerms,
  type SendingJob,
  type SendTerms,
  ServerClock,
  type Stop,
} from './services.ts'
import { AnsweredIds, LEAST_IDS, Leases, resumeTasks, type Task } from './tasks.ts'

export interface JobRun {
  readonly paths: JobPaths
  readonly services: JobServices
  readonly terms: RunTerms & SendTerms
  readonly limiter: RateLimiter
  readonly hooks: RunHooks
}

/** How a run handles rows that were in doubt when the job ended. */
export interface Doubts {
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

/** Of the request before the first. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000

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
    if (progress.end === 'cancelled' && !run.terms.isRestDropped) throw cancelled(plan.head)
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
    await checkServer(run, plan.head.noun, clock)
    await refuseOtherKeyholder(run, plan, progress)
    const windowMs = run.terms.keys.windowMs(run.terms.windowMs)
    const journal = new Journal(plan, progress, () => clock.nowMs())
    try {
      return await send({ ...run, terms: { ...run.terms, windowMs } }, { plan, progress, clock, journal })
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

async function send(
  { paths, services, terms, limiter, hooks }: JobRun,
  open: Pick<SendingJob, 'plan' | 'progress' | 'clock' | 'journal'>,
): Promise<JobOutcome> {
  const { plan, progress, clock, journal } = open
  const { head, end } = plan
  const { sent, unsent } = resumeTasks(plan, progress, { ...terms, keyMark: services.keyMark })
  journal.append({
    ...{ t: 'open', time: clock.nowMs(), wall: services.clocks.wallMs(), pid: services.pid },
    ...{ version: services.version, key: services.keyMark, window: terms.windowMs, life: terms.lifeMs },
  })
  const isClosed = terms.isRestDropped === true
  const leases = new Leases(plan, open, { windowMs: terms.windowMs, nowMs: () => clock.nowMs(), isClosed })
  if (!isClosed) for (const task of unsent) leases.renew(task, false)
  // The next requests rely on entries of the last process, which may not be on disk yet.
  journal.sync()
  const { maxErrors } = terms
  const most = !maxErrors ? plan.count : 'rows' in maxErrors ? maxErrors.rows : maxErrors.part * plan.count
  const sender = senderFor(head, services.sender)
  const sending: SendingJob = {
    ...{ ...open, leases, services, terms, limiter, hooks, startedMs: services.clocks.steadyMs() },
    sender: services.read ? createReadingSender(sender, services.read) : sender,
    answeredIds: head.kind === 'fixtures' ? undefined : new AnsweredIds(createdIdsIn(plan, LEAST_IDS)),
    // Rejected rows are known beforehand, and limited by --max-rejects.
    maxFailed: most + (end.rejected ?? 0),
  }
  const stop = await sendAndSettle(sending, isClosed ? sent : [...sent, ...unsent])
  const account = rowTotals(end, progress)
  if (!stop && !isClosed && account.unsent > 0)
    throw new Error(`${account.unsent} operations of ${paths.id} were never sent`)
  if (stop?.why !== 'error') writeEnd(sending, stop, account)
  return { account, otherRows: progress.otherRows, stop }
}

async function sendAndSettle(sending: SendingJob, first: readonly Task[]): Promise<Stop | undefined> {
  let tasks = first
  for (let round = 1; ; round++) {
    const { stop, unsettled, left, held } = await dispatch(sending, tasks)
    const isOver = stop !== undefined || unsettled.length === 0
    giveBack(sending.journal, isOver ? [...left, ...held] : left)
    if (isOver) return stop
    // A long wait may follow.
    sending.journal.flush()
    const whyNoMore = round === MOST_ROUNDS ? `it was sent and looked for ${MOST_ROUNDS} times` : undefined
    const again = await resolveInDoubt(sending, unsettled, whyNoMore)
    if (!again) {
      giveBack(sending.journal, held)
      return { why: 'interrupted' }
    }
    tasks = [...again, ...held]
    if (tasks.length === 0) return undefined
  }
}

/** Records leased operations that were never sent, so that a later resume does not treat them as in doubt. */
function giveBack(journal: Journal, tasks: readonly Task[]): void {
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
  journal.append({ t: 'back', ops: ranges })
}

function writeEnd({ journal, clock }: SendingJob, stop: Stop | undefined, account: Account): void {
  const time = clock.nowMs()
  if (stop) journal.append({ t: 'pause', time, why: stop.why })
  else {
    const { done, failed, in_doubt: doubt, unsent } = account
    const state = unsent === 0 ? 'finished' : 'cancelled'
    journal.append({ t: 'end', time, state, done, failed, doubt, unsent })
  }
  journal.sync()
}

/**
 * Reads one record before anything is written to the journal or sent: the response shows the server's time, whether the API
 * key is accepted, what is left of the rate limit, and perhaps that the server keeps idempotency keys. Repeats the request for `maxOutageMs` without a
 * response; CrmError if there is none, or a refusal.
 */
async function checkServer({ services, terms, limiter }: JobRun, noun: JobNoun, clock: ServerClock): Promise<void> {
  const { sender, clocks, sleep, signal } = services
  const startedMs = clocks.steadyMs()
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    limiter.force()
    const outcome = await sender.ask(listed(noun))
    limiter.answered(outcome)
    clock.learn(outcome.headers)
    terms.keys.learn(outcome)
    // Any response except a refusal of the key is enough: not every key may read.
    if (!isFailure(outcome) || (outcome.rule === 'never' && outcome.status !== undefined && outcome.status !== 401))
      return
    const pauseMs = outcome.retryAfterMs ?? waitMs
    if (outcome.rule === 'never' || clocks.steadyMs() - startedMs + pauseMs > terms.maxOutageMs) {
      throw failureError('cannot start sending', outcome)
    }
    await sleep(pauseMs, signal)
    signal.throwIfAborted()
  }
}

/** The resource, or its parent: parts of a record have no list of their own. */
function listed(noun: JobNoun): Resource {
  const { parent }: ResourceDefinition = RESOURCES[resourceOf(noun)]
  return parent ?? resourceOf(noun)
}

/**
 * Many accounts share one URL, and the API key selects the account. A job resumed with another key continues only if its
 * records exist: CrmError `conflict` if none does, because the rest of its rows would be created in another account.
 */
async function refuseOtherKeyholder({ services, terms }: JobRun, plan: JobFile, progress: JobProgress): Promise<void> {
  const { job, noun } = plan.head
  const ids = recentRecordsIn(plan)
  const isSameKey = progress.lastOpen === undefined || progress.lastOpen.key === services.keyMark
  if (isSameKey || terms.isScopedByAccount || !isListed(resourceOf(noun)) || ids.size === 0) return
  for await (const { items } of services.list(noun)) {
    if (items.some(({ id }) => ids.has(idText(id) ?? ''))) return
  }
  throw new CrmError(
    'conflict',
    `the API key differs from the one that ${job} was sent with, and none of the last records that it created exists`,
    {
      hint: `use a key of the account that it was started with, or cancel it: crm jobs cancel ${job}`,
      job,
    },
  )
}
