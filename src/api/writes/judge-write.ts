import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { isAnother, otherValues, valuesOf } from '../../core/other-values.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Answer } from '../transport/answer.ts'
import {
  contradictionIn,
  hasRefusingStatus,
  isPendingMember,
  isPendingState,
  isSignName,
  isUndeleted,
  matchesNone,
  signsOf,
  type WriteKind,
} from './answer-signs.ts'
import {
  idInLocation,
  isWrapperName,
  ownId,
  type RecordInAnswer,
  type Requested,
  readShown,
  showsData,
  showsSent,
  withoutRequest,
} from './shown-record.ts'

/** Numbers of changed records; for an update, records that only matched do not count. */
const COUNT: Readonly<Record<Change, RegExp>> = {
  update:
    /^(?:count|n_?modified|(?:updated|modified|changed|affected)(?:_?(?:count|rows|records))?|rows_?(?:affected|updated)|row_?count)$/i,
  delete: /^(?:count|n|(?:deleted|affected|removed)(?:_?(?:count|rows|records))?|rows_?affected|row_?count)$/i,
}

/** `delete_contacts_by_pk`, `deletedContact`: null if the record was not found. */
const NAMED_RESULT = /delet|remov|destroy|updat/i

const YES = /^(?:true|ok|okay|done|success|deleted|removed)[.!]?$/i

/** Beside `success: true`: the change was only queued, or did not happen. */
const NOT_DONE =
  /\b(?:0|zero|nothing|none|not|no|no-?op)\b|\b(?:cannot|can't|could|unable|lack|error|fail|denied|invalid|forbidden|unauthori[sz]ed|queued?|pending|await|scheduled?|will|accepted|started|request)/i

/** A text with these words is no confirmation. */
const CONDITIONAL = /\b(?:can|be|only|must|should|would|if|unless|until|already|marked)\b/i

const CONFIRMED: Readonly<Record<Change, RegExp>> = {
  update: /\b(?:updated|modified|changed|saved)\b/i,
  delete: /\b(?:deleted|removed|destroyed)\b/i,
}

/** Successes of another kind of write. */
const OTHER_CHANGE: Readonly<Record<Change, RegExp>> = {
  update: /^(?:created|deleted|removed)$/i,
  delete: /^(?:created|updated)$/i,
}

const REPORTS: Readonly<Record<Change, readonly string[]>> = {
  update: ['updated'],
  delete: ['deleted', 'acknowledged'],
}

export interface AskedWrite extends Requested {
  readonly kind: WriteKind
  /** The id of the changed record. */
  readonly id?: string | undefined
}

/** The outcome of a write with a 2xx. Only a record or an unambiguous status counts as done. */
export type WriteOutcome =
  | { readonly type: 'done'; readonly record: CrmRecord | undefined; readonly id: string | undefined }
  | { readonly type: 'refused' }
  | { readonly type: 'in doubt'; readonly isAnother?: true }

type WriteAnswer = Pick<Answer, 'status' | 'headers' | 'json' | 'isPlaced' | 'isStatusProof'>

const REFUSED: WriteOutcome = { type: 'refused' }
const IN_DOUBT: WriteOutcome = { type: 'in doubt' }
const ANOTHER: WriteOutcome = { type: 'in doubt', isAnother: true }

/** Decides the outcome of a 2xx, for single commands and for bulk. */
export function judgeWrite(answer: WriteAnswer, asked: AskedWrite): WriteOutcome {
  const { json } = answer
  if (asked.kind !== 'create' && matchesNone(answer.headers)) return IN_DOUBT
  if (Array.isArray(json) && json.length > 1) return judgeMany(json)
  const shown = readShown(json, asked)
  return shown === undefined ? judgeWithoutRecord(answer, asked) : judgeShown(shown, answer, asked)
}

function judgeShown(shown: RecordInAnswer, answer: WriteAnswer, asked: AskedWrite): WriteOutcome {
  const record = shown.at(-1) ?? {}
  const values = valuesOf(record)
  const id = ownId(record)
  const sent = asked.sent() ?? {}
  const isKnown = asked.kind !== 'create' && asked.id !== undefined && id?.toLowerCase() === asked.id.toLowerCase()
  const isAffirmed = shown.some((one) => signsOf(one).isAffirming)
  const evidence: Evidence = {
    record,
    values,
    id,
    sent,
    isKnown,
    isAffirmed,
    isSentShown: showsSent(values, sent, isKnown),
  }
  const refusal = judgeAround(shown, evidence, answer)
  if (refusal !== undefined) return refusal
  if (asked.kind === 'delete' && record.deleted === false) return REFUSED
  if (id !== undefined) return judgeRecord(evidence, id, answer, asked)
  return asked.kind === 'delete'
    ? judgeDeletion(record, isAffirmed, answer, asked)
    : judgeSaving(evidence, answer, asked)
}

/** A `status` in the record may be data; in the envelope around it, it reports the outcome. */
function judgeAround(
  shown: RecordInAnswer,
  { id, isSentShown }: Evidence,
  { status }: WriteAnswer,
): WriteOutcome | undefined {
  // RFC 4918, section 13: each part has its own status, which decides.
  if (status === 207 && shown.some(hasRefusingStatus)) return REFUSED
  const around = shown.slice(0, -1).map(signsOf)
  if (around.some(({ isRefusing }) => isRefusing)) return id === undefined ? REFUSED : IN_DOUBT
  if (shown.slice(0, -1).some(isPending)) return IN_DOUBT
  if (!around.some(({ isTroubled }) => isTroubled)) return undefined
  return id === undefined && !isSentShown ? REFUSED : IN_DOUBT
}

function isPending(around: JsonObject): boolean {
  const { status, state } = around
  if ([status, state].some((value) => typeof value === 'string' && isPendingState(value))) return true
  return Object.entries(around).some(([name, value]) => isPendingMember(name, value))
}

interface Evidence {
  readonly record: JsonObject
  /** The members of the record, with those one level below it. */
  readonly values: JsonObject
  readonly id: string | undefined
  readonly sent: JsonObject
  /** It has the id of the record to change. */
  readonly isKnown: boolean
  /** The record, or an object around it, reports success. */
  readonly isAffirmed: boolean
  readonly isSentShown: boolean
}

/**
 * Done if the record is the requested one. An id alone is no proof: a 202 often shows a queued task instead of the record,
 * or the record before its deletion.
 */
function judgeRecord(evidence: Evidence, id: string, answer: WriteAnswer, asked: AskedWrite): WriteOutcome {
  const { status } = answer
  const { record, isKnown, isSentShown } = evidence
  const { kind, id: wanted } = asked
  const contradicted = isSentShown ? undefined : contradictionOf(evidence, answer, kind)
  if (contradicted !== undefined) return contradicted
  if (kind !== 'create' && wanted !== undefined && !isKnown && !(isSentShown && isShort(id, wanted))) return IN_DOUBT
  if (showsOnlyUndeleted(evidence, status, kind)) return IN_DOUBT
  if (status === 202 && !(kind === 'delete' ? record.deleted === true : isSentShown)) return IN_DOUBT
  return done(record, kind === 'delete' ? wanted : id)
}

/** For a create or an update, it is no proof that the record is not deleted. */
function showsOnlyUndeleted(
  { values, isSentShown, isAffirmed }: Evidence,
  status: number,
  kind: AskedWrite['kind'],
): boolean {
  if (isSentShown || isAffirmed || !isUndeleted(values)) return false
  return kind === 'delete' || (status !== 201 && !showsData(values))
}

/** The outcome if a record without any sent value contradicts the success. */
function contradictionOf(
  { record, values, sent, isKnown }: Evidence,
  { isPlaced }: WriteAnswer,
  kind: WriteKind,
): WriteOutcome | undefined {
  // A status beside other members is data of the record, unless these differ from what was sent.
  const isRecord = isKnown && showsData(values) && otherValues(record, sent).length === 0
  // Where the connector says that the record is, it is no report: `status: pending` is that of a deal.
  const contradiction = isPlaced ? 'none' : contradictionIn(values, { kind, sent, isRecord })
  if (contradiction !== 'none') return contradiction === 'explained' ? REFUSED : IN_DOUBT
  return kind === 'create' && isAnother(record, sent) ? ANOTHER : undefined
}

/** Some servers return the number of an id without its prefix. */
function isShort(id: string, wanted: string): boolean {
  return /^\d+$/.test(id) && /^\D*?0*(\d+)$/.exec(wanted)?.[1] === id
}

function judgeDeletion(record: JsonObject, isAffirmed: boolean, answer: WriteAnswer, asked: AskedWrite): WriteOutcome {
  const { isRefusing, isTroubled } = signsOf(record)
  if (isRefusing || isTroubled) return REFUSED
  return isChangeConfirmed('delete', record, isAffirmed) && answer.status !== 202 ? done(undefined, asked.id) : IN_DOUBT
}

/** The outcome of a create or update whose answer has no id. */
function judgeSaving(
  { record, isAffirmed, isSentShown }: Evidence,
  answer: WriteAnswer,
  asked: AskedWrite,
): WriteOutcome {
  const { isRefusing, isTroubled } = signsOf(record)
  // An echo of the request beside an error: the record may have been written.
  // An `id` that is null, 0 or no id at all is that of a record which is not stored.
  if (isSentShown) return isTroubled || Object.hasOwn(record, 'id') ? IN_DOUBT : done(record, undefined)
  const isUpdated = asked.kind === 'update' && answer.status !== 202 && isChangeConfirmed('update', record, isAffirmed)
  if (isUpdated && !(isRefusing || isTroubled)) return done(undefined, asked.id)
  return isRefusing || isTroubled ? REFUSED : judgeWithoutRecord(answer, asked)
}

function judgeMany(list: readonly JsonValue[]): WriteOutcome {
  const isRefusal = (one: JsonValue) => {
    if (!isJsonObject(one) || ownId(one) !== undefined) return false
    const { isRefusing, isTroubled } = signsOf(one)
    return isRefusing || isTroubled
  }
  return list.every(isRefusal) ? REFUSED : IN_DOUBT
}

function judgeWithoutRecord(answer: WriteAnswer, { kind, id, path }: AskedWrite): WriteOutcome {
  const { status, json, headers } = answer
  // RFC 9110 section 15.3.5: 204 means done.
  if (kind === 'update') return status === 204 || isProven(answer) ? done(undefined, id) : IN_DOUBT
  if (kind === 'delete') return isDeletionConfirmed(status, json) ? done(undefined, id) : IN_DOUBT
  const made = status === 201 || status === 204 ? idInLocation(headers, path) : undefined
  return made === undefined ? IN_DOUBT : done(undefined, made)
}

/** Where the connector expects nothing of the answer but its status. */
function isProven({ isStatusProof, status, json }: WriteAnswer): boolean {
  if (!isStatusProof || status === 202) return false
  if (!isJsonObject(json)) return true
  const { isRefusing, isTroubled } = signsOf(json)
  return !isRefusing && !isTroubled && !isPending(json)
}

/** A delete is done without a record in the answer; not with 202, which only accepts it, or an empty list, which may mean no match. */
function isDeletionConfirmed(status: number, json: JsonValue | undefined): boolean {
  if (status === 202) return false
  if (json === undefined || json === null || json === true || json === 1) return true
  if (typeof json === 'string') return isShortYes(json)
  return isJsonObject(json) && Object.keys(withoutRequest(json)).length === 0
}

function done(record: JsonObject | undefined, id: string | undefined): WriteOutcome {
  const known = id === undefined ? undefined : { id }
  return { type: 'done', record: record ?? known, id }
}

type Change = 'update' | 'delete'

/** Whether an object without a record reports that the record was changed or deleted. */
function isChangeConfirmed(change: Change, answer: JsonObject, isAffirming: boolean): boolean {
  if (contradictionIn(answer, { kind: change, sent: {}, isRecord: false }) !== 'none') return false
  const members = Object.entries(withoutRequest(answer))
  const counts = members.filter(([name, value]) => COUNT[change].test(name) && typeof value === 'number')
  if (counts.length > 0) return isCounted(change, counts)
  if (members.some(([name, value]) => value === null && NAMED_RESULT.test(name))) return false
  if (change === 'delete' && members.every(([name, value]) => value === null && isAnyName(name))) return true
  const isReported = REPORTS[change].some((name) => answer[name] === true)
  if (!(isAffirming || isReported || members.some(([name, value]) => isConfirmation(change, name, value)))) return false
  return members.length > 0 && members.every(([name, value]) => isHarmless(change, name, value))
}

/** An update must change exactly one record. */
function isCounted(change: Change, counts: readonly (readonly [string, JsonValue])[]): boolean {
  return change === 'update' ? counts.every(([, value]) => value === 1) : counts.some(([, value]) => Number(value) > 0)
}

/** `{"message": "Contact deleted successfully"}` */
function isConfirmation(change: Change, name: string, value: JsonValue): boolean {
  if (!/^(?:message|msg)$/i.test(name) || typeof value !== 'string') return false
  return CONFIRMED[change].test(value) && /\bsuccess(?:ful(?:ly)?)?\b/i.test(value) && !CONDITIONAL.test(value)
}

function isHarmless(change: Change, name: string, value: JsonValue): boolean {
  // For an update, `data: null` may mean that the record was not found.
  if (value === null) return change === 'delete' || isSignName(name)
  if (REPORTS[change].includes(name)) return !(Array.isArray(value) && value.length === 0)
  if (!isSignName(name)) return false
  return !(typeof value === 'string' && (NOT_DONE.test(value.replaceAll('_', ' ')) || OTHER_CHANGE[change].test(value)))
}

/** Whether null in this member is equivalent to an empty body. */
function isAnyName(name: string): boolean {
  return isSignName(name) || isWrapperName(name)
}

/** A text that only confirms. */
function isShortYes(text: string): boolean {
  return YES.test(text.trim())
}
