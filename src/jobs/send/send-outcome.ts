import { type Failure, isFailure, isGoneStatus } from '../../api/errors/failure.ts'
import type { Answer } from '../../api/transport/answer.ts'
import { isReplayed, type KeyKeeping } from '../../api/writes/key-keeping.ts'
import { doubtFailure } from '../../api/writes/outcome-failure.ts'
import type { WriteKind, WriteOutcome } from '../../api/writes/write.ts'
import { CrmError } from '../../core/errors.ts'
import { type JsonObject, parseExactJson } from '../../core/json.ts'
import { absentMembers, NOT_KEPT_CODE, type OtherValue, otherValues } from '../../core/other-values.ts'
import { isMadeSince, isOlder, wasThereBefore } from '../../core/record-time.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { sentKind } from '../plan/plan-format.ts'
import type { FailedEntry, Result, ResultFlag } from '../store/progress.ts'
import { changedId } from './sender-adapters.ts'
import type { Task } from './tasks.ts'

const NOT_KNOWN = 'the server is not known to keep idempotency keys'

/** The reason not to send a create again after a 2xx that does not show the record. */
export const TAKEN = 'the server accepted it without showing the record, so it is not sent again'

/** What one try means for its operation, and for the job. */
export type SendOutcome =
  | {
      readonly type: 'done'
      readonly status: number
      readonly id: string | null
      readonly flag: ResultFlag | undefined
      /** The first member that the response shows with another value than was sent. */
      readonly other?: (() => OtherValue) | undefined
      /** The sent members that the response does not show: whether the server kept them is seen in the record alone. */
      readonly absent?: readonly string[]
    }
  | {
      readonly type: 'failed'
      readonly entry: Omit<FailedEntry, 't' | 'op'>
      /** It took effect, and lost a part of the record, as those of other rows would: the job stops. */
      readonly contradiction?: Failure
    }
  /** Send again under the same key. `limit`: it was not executed, and all others wait too. */
  | { readonly type: 'again'; readonly because: 'limit' | 'outage' | 'running'; readonly afterMs: number | undefined }
  /** Only the records show the outcome. `isAnswered`: the server has finished with the request. */
  | {
      readonly type: 'unsettled'
      readonly why: string
      readonly isAnswered: boolean
      readonly isTaken?: boolean
      /** The answer has another form than the connector describes: the job stops before more rows get such answers. */
      readonly contradiction?: Failure | undefined
      readonly goneAs?: GoneAs
    }
  /** The job cannot continue: the key is refused, or this machine has an error. */
  | { readonly type: 'stopped'; readonly failure: Failure }

/** The result of a deletion with the response 404 or 410, depending on whether the list has the record. */
export interface GoneAs {
  readonly ifGone: Result
  readonly ifThere: FailedEntry
}

/** After so many tries, no server is known to accept a row after all. */
const MOST_TRIES = 12
const RUNNING_WAIT_MS = 1000

const KEY_REUSED = /idempotency.*(?:reuse|mismatch|conflict|invalid)|key.?reused/i

/** The meaning of every outcome; `task` has its state before this try. */
export function judge(task: Task, outcome: Answer | Failure): SendOutcome {
  if (!isFailure(outcome)) return judgeAnswer(task, outcome)
  const { status, rule, code } = outcome
  if (code === 'rate_limited' || (status === 503 && outcome.retryAfterMs)) {
    return { type: 'again', because: 'limit', afterMs: outcome.retryAfterMs }
  }
  // A 2xx with an HTML page, or a redirect after a write that may have been handled.
  if (code === 'in_doubt') return unclear(task, outcome.reason, isSuccess(outcome) ? outcome : undefined)
  if (code === 'unauthorized' || code === 'forbidden' || isRedirect(outcome))
    return { type: 'stopped', failure: outcome }
  if (status === 409 && rule === 'patient') {
    return { type: 'again', because: 'running', afterMs: outcome.retryAfterMs ?? RUNNING_WAIT_MS }
  }
  if (status === undefined && rule === 'never') return { type: 'stopped', failure: outcome }
  return isRefusal(outcome) ? judgeRefusal(task, outcome) : judgeOutage(task, outcome)
}

/** Whether the server refused a request without any effect, for a reason that may be of one of its rows. */
export function isRefused(task: Task, failure: Failure): boolean {
  const judged = judge(task, failure)
  return judged.type === 'failed' || (judged.type === 'unsettled' && judged.isAnswered && isRefusal(failure))
}

function judgeAnswer(task: Task, answer: Answer): SendOutcome {
  const { head, body } = task.operation
  const existing = changedId(answer)
  const { written } = answer
  if (!written) throw new Error(`the answer to operation ${task.operation.op} was not judged`)
  if (written.type !== 'done') {
    const failure = doubtFailure(answer, written, '')
    if (written.isLost) return lostBy(written.why, failure)
    return unclear(task, failure.reason, written.isContradiction ? failure : undefined)
  }
  let parsed: JsonObject | undefined
  const sent = () => {
    parsed ??= body ? (parseExactJson(body.toString('utf8')) as JsonObject) : undefined
    return parsed
  }
  const { record } = written
  const kind = existing === undefined ? sentKind(head) : 'update'
  const shown = shownIn(written, answer, { kind, sent })
  if (existing !== undefined) return { type: 'done', status: answer.status, id: existing, flag: 'u', ...shown }
  const existed = existedBefore(task, record) ? 'e' : undefined
  const own = task.isUpsert ? upsertFlag(task, written) : undefined
  const flag = isReplayed(answer.headers) ? replayedFlag(task, record) : (own ?? existed)
  // A record that is created again has a new id.
  const id = head.do === 'create' ? written.id : (head.id ?? written.id)
  return { type: 'done', status: answer.status, id: id ?? null, flag, ...shown }
}

/** Not in doubt: a look at the values that were sent would call it done. */
function lostBy(why: string, failure: Failure): SendOutcome {
  const entry = { status: failure.status ?? null, code: 'bad_answer', field: null, reason: why, request: null }
  return { type: 'failed', entry, contradiction: { ...failure, reason: why } }
}

type Shown = Pick<SendOutcome & { readonly type: 'done' }, 'other' | 'absent'>

type Done = WriteOutcome & { readonly type: 'done' }

interface Sent {
  readonly kind: WriteKind
  readonly sent: () => JsonObject | undefined
}

function shownIn(written: Done, { shownIn: shown }: Answer, { kind, sent }: Sent): Shown {
  const { record } = written
  const given = kind === 'delete' ? undefined : sent()
  if (!record || !given || Object.keys(record).every((name) => name === 'id')) return {}
  const absent = absentMembers(record, given)
  if (otherValues(record, given).length === 0) return absent.length > 0 ? { absent } : {}
  const all = otherValues(record, shown?.(record) ?? given)
  // A connector shows a field that the answer lacks as null.
  const isAbsent = (other: OtherValue) => other.shown === null && shown !== undefined
  const lacking = [...absent, ...all.filter(isAbsent).map(({ member }) => member.split('.')[0] ?? member)]
  const other = all.find((each) => !isAbsent(each))
  return {
    ...(other && { other: () => quotedOther(other, written, (one) => shown?.(one) ?? given) }),
    ...(lacking.length > 0 && { absent: lacking }),
  }
}

/** Reads the values again from the redacted response, which is slow: only for the row that a message names. */
function quotedOther(other: OtherValue, { quoted }: Done, given: (record: CrmRecord) => JsonObject): OtherValue {
  const record = quoted()
  const shown = record ? otherValues(record, given(record)) : []
  return shown.find(({ member }) => member === other.member) ?? { ...other, shown: '[redacted]' }
}

/**
 * Whether an upsert changed a record that existed before (`u`), or one that an earlier try of it made (`m`). Undefined if it made
 * the record, as far as the response shows.
 */
function upsertFlag(task: Task, { isMade, record }: Done): ResultFlag | undefined {
  if (isMade === true) return undefined
  if (record && isOlder(record, task.leasedMs)) return 'u'
  if (task.isInDoubt || task.isResumed || task.tries > 0) return 'm'
  return isMade === false ? 'u' : undefined
}

/** After a lost response, a replay may be of its own try, unless the record was created before that try. */
function replayedFlag({ operation, isInDoubt, isResumed, tries, leasedMs }: Task, record: CrmRecord = {}): ResultFlag {
  if (!isInDoubt && !isResumed && tries === 0) return 'o'
  return operation.head.do === 'create' && isMadeSince(record, leasedMs) === false ? 'o' : 'r'
}

/**
 * Whether the first answer to a create shows a record that is older than the request, or was changed since it was made: some servers answer with the record
 * that has the same email.
 */
function existedBefore(
  { operation: { head }, isInDoubt, isResumed, tries, leasedMs }: Task,
  record: CrmRecord | undefined,
): boolean {
  if (head.do !== 'create' || !record || isInDoubt || isResumed || tries > 0) return false
  return wasThereBefore(record, leasedMs)
}

/** A 2xx without a clear outcome. A server that queues creates may make the record long after its answer. */
function unclear({ operation, isUpsert }: Task, why: string, contradiction: Failure | undefined): SendOutcome {
  const isTaken = operation.head.do === 'create' && !isUpsert
  return { type: 'unsettled', why, isAnswered: !isTaken, isTaken, contradiction }
}

/** To another server, to a login page, or with the same method: the same holds for all rows. */
function isRedirect({ status = 0 }: Failure): boolean {
  return status >= 300 && status < 400
}

function isSuccess({ status = 0 }: Pick<Failure, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** The server states that the request had no effect: by its status, or within a 2xx, as its connector declares. */
function isRefusal({ status = 0, rule }: Failure): boolean {
  if (isSuccess({ status })) return rule === 'never'
  return status >= 400 && status < 500 && status !== 408 && status !== 499
}

function judgeRefusal(task: Task, failure: Failure): SendOutcome {
  const { operation, isInDoubt, tries } = task
  const { head } = operation
  const { status = 0, serverCode = '', rule } = failure
  // Another write has the record for now.
  if (rule === 'few' && tries + 1 < MOST_TRIES) return { type: 'again', because: 'outage', afterMs: undefined }
  if (serverCode === NOT_KEPT_CODE) return failed(failure, NOT_KEPT_CODE)
  if (KEY_REUSED.test(serverCode)) return failed(failure, 'key_reused')
  if (head.do === 'delete' && isGoneStatus(status)) {
    return { type: 'unsettled', why: failure.reason, isAnswered: true, goneAs: goneAs(task, failure, status) }
  }
  // An earlier try may be the cause: it may have raised the version, or taken the email.
  if (isInDoubt && !isGoneStatus(status)) return { type: 'unsettled', why: failure.reason, isAnswered: true }
  return failed(failure, failure.code)
}

/** A missing record and a wrong address have the same answer; the list shows which it is. */
function goneAs({ operation: { op, head }, isInDoubt }: Task, failure: Failure, status: number): GoneAs {
  const { entry } = failed(failure, failure.code)
  const id = head.id ?? null
  return {
    // After a try whose answer was lost, that try deleted it.
    ifGone: isInDoubt ? [op, status, id] : [op, status, id, 'g'],
    ifThere: { t: 'failed', op, ...entry, reason: `${entry.reason}; the list still has it` },
  }
}

function judgeOutage({ tries }: Task, failure: Failure): SendOutcome {
  if (failure.headers && isReplayed(failure.headers)) {
    return { type: 'unsettled', why: `the server keeps its failure: ${failure.reason}`, isAnswered: true }
  }
  if (tries + 1 >= MOST_TRIES)
    return { type: 'unsettled', why: `${failure.reason}, after ${tries + 1} tries`, isAnswered: false }
  return { type: 'again', because: 'outage', afterMs: failure.retryAfterMs }
}

function failed(failure: Failure, code: string): SendOutcome & { readonly type: 'failed' } {
  const { status = null, field = null, reason, requestId: request = null } = failure
  return { type: 'failed', entry: { status, code, field, reason, request } }
}

/** The error of a try that ends more than its own operation. */
export function failureError(action: string, failure: Failure, hint = failure.hint): CrmError {
  const { code, reason, status, requestId, retryAfterMs, cause, rule } = failure
  return new CrmError(code, `${action}: ${reason}`, {
    hint,
    isRetryable: rule !== 'never',
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(cause === undefined ? {} : { cause }),
  })
}

/** An update, a deletion or an upsert may be repeated; another create only when the server keeps its key. */
export function mayRepeat({ operation, isUpsert }: Task, { isKept }: KeyKeeping): boolean {
  return isUpsert || operation.head.do !== 'create' || isKept
}

/** A create that must not be repeated, and may have made the record, is looked up. */
export function onlyOnce(
  task: Task,
  outcome: Answer | Failure,
  sendOutcome: SendOutcome,
  keys: KeyKeeping,
): SendOutcome {
  const isAgain = sendOutcome.type === 'again' && sendOutcome.because !== 'running'
  if (!isAgain || !isFailure(outcome) || !outcome.isInDoubt || mayRepeat(task, keys)) return sendOutcome
  return { type: 'unsettled', why: `${outcome.reason}, and ${NOT_KNOWN}`, isAnswered: false }
}

/** The reason not to repeat an operation that may have taken effect; undefined when it may be sent. */
export function whyNotRepeated(task: Task, keys: KeyKeeping): string | undefined {
  if (task.isTaken) return TAKEN
  return task.isInDoubt && !mayRepeat(task, keys) ? `it may have been sent, and ${NOT_KNOWN}` : undefined
}
