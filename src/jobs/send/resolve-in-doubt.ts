import { isListUnreadable } from '../../api/pages/page-errors.ts'
import { durationText } from '../../core/duration.ts'
import { isListed, resourceOf } from '../../core/resources/registry.ts'
import { type LookUpResult, lookUp } from './look-up.ts'
import { type GoneAs, TAKEN } from './send-outcome.ts'
import type { SendingJob, Unsettled } from './services.ts'
import type { Task } from './tasks.ts'

/** A list may lag behind the writes; absent records are looked up again after this time. */
const SETTLE_MS = 2000

/**
 * Ends operations whose outcome only the records show: done or in doubt. Returns those that were proved absent, under a new
 * lease and a new generation; undefined if it was interrupted, and then they are unchanged.
 */
export async function resolveInDoubt(
  sending: SendingJob,
  unsettled: readonly Unsettled[],
  whyNoMore: string | undefined,
): Promise<readonly Task[] | undefined> {
  const { plan, journal, terms, services, clock, hooks } = sending
  if (!isReadable(sending)) {
    for (const { task, why } of unsettled)
      endInDoubt(sending, task, `${why}, and ${plan.head.noun} cannot be read back`)
    journal.sync()
    return []
  }
  const sleep = async (ms: number) => {
    await services.sleep(ms, services.signal)
    return !services.signal.aborted
  }
  const tasks = unsettled.map(({ task }) => task)
  // A request that is still in progress would create a record that was just proved absent.
  const waitMs = Math.max(0, ...unsettled.map((one) => quietMs(sending, one)))
  if (waitMs > 0) {
    const why = `earlier requests may still take effect, up to ${durationText(terms.lifeMs)} after they were sent`
    hooks.onPause({ why, untilMs: clock.nowMs() + waitMs })
  }
  if (waitMs > 0 && !(await sleep(waitMs))) return undefined
  const first = await look(sending, tasks)
  const absent = tasks.filter((task) => first.get(task)?.type === 'absent')
  // Written before the second lookup, so that an adopted record is not matched to another, equal row.
  const goneAs = new Map(unsettled.map((one) => [one.task, one.goneAs]))
  const keepOne = (task: Task, finding: LookUpResult) =>
    keep(sending, task, finding, { goneAs: goneAs.get(task), whyNoMore })
  for (const [task, finding] of first) if (finding.type !== 'absent') keepOne(task, finding)
  if (absent.length > 0 && !(await sleep(SETTLE_MS))) return undefined
  const second = absent.length > 0 ? await look(sending, absent) : new Map<Task, LookUpResult>()
  const raised: Task[] = []
  for (const [task, finding] of second) if (keepOne(task, finding)) raised.push(task)
  journal.sync()
  return raised
}

/** Not so for notes, and on servers without a list. */
function isReadable({ plan, services }: SendingJob): boolean {
  const resource = resourceOf(plan.head.noun)
  return isListed(resource) && services.offers(resource, 'list')
}

/** All are in doubt when the list cannot be read to its end. */
async function look(sending: SendingJob, tasks: readonly Task[]): Promise<ReadonlyMap<Task, LookUpResult>> {
  try {
    return await lookUp(sending, tasks)
  } catch (error) {
    if (!isListUnreadable(error)) throw error
    const why = `it cannot be looked up: ${error.message}`
    return new Map(tasks.map((task) => [task, { type: 'doubt', why }]))
  }
}

/** The time until no request of the operation can still be in progress. */
function quietMs({ terms, startedMs, services, clock }: SendingJob, { task, isAnswered }: Unsettled): number {
  if (isAnswered) return 0
  const { lifeMs } = terms
  const nowMs = services.clocks.steadyMs()
  const hereMs = task.lastSentMs === undefined ? 0 : task.lastSentMs + lifeMs - nowMs
  if (!task.isResumed) return hereMs
  // The earlier process may have sent until the end of the window that it assumed.
  const beforeMs = Math.min(startedMs + lifeMs - nowMs, task.windowEndMs - clock.nowMs())
  return Math.max(hereMs, beforeMs)
}

interface Ends {
  readonly goneAs: GoneAs | undefined
  /** The reason not to send an absent record again; undefined when it is sent. */
  readonly whyNoMore: string | undefined
}

function keep(sending: SendingJob, task: Task, finding: LookUpResult, { goneAs, whyNoMore }: Ends): boolean {
  const { journal, leases } = sending
  const { op } = task.operation
  if (goneAs && isThere(finding)) {
    journal.append(goneAs.ifThere)
    return false
  }
  switch (finding.type) {
    case 'done':
      journal.addResult(goneAs?.ifGone ?? [op, 0, finding.id, 'a'])
      return false
    case 'gone':
      journal.append({ t: 'failed', op, status: null, code: 'not_found', field: null, reason: GONE, request: null })
      return false
    case 'doubt':
      endInDoubt(sending, task, finding.why)
      return false
    case 'absent': {
      const why = task.isTaken ? `it is not there, and ${TAKEN}` : whyNoMore
      if (why !== undefined) {
        endInDoubt(sending, task, why)
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

function endInDoubt({ journal }: SendingJob, { operation: { op } }: Task, why: string): void {
  journal.append({ t: 'doubt', op, why })
}
