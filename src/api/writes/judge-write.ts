import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { isAnother, otherValues, valuesOf } from '../../core/other-values.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { coversNone } from '../pages/covers-none.ts'
import type { Answer } from '../transport/answer.ts'
import { hasRefusingStatus, isPendingMember, isPendingState, signsOf } from './answer-signs.ts'
import { isDeedShown, isShortYes } from './deed-shown.ts'
import { isUndeleted, oppositionIn, type WriteKind } from './opposition.ts'
import { idInLocation, ownId, readShown, type Shown, showsData, showsSent } from './shown-record.ts'

export interface AskedWrite {
  readonly kind: WriteKind
  /** The members that were sent; called only when needed. */
  readonly sent: () => JsonObject | undefined
  /** Of the record that is changed. */
  readonly id?: string | undefined
  /** The path of the request: `/v1/contacts`. */
  readonly path?: string | undefined
}

/** The outcome of a write with a 2xx. Only a record, or an unambiguous status, counts as done. */
export type WriteFate =
  | { readonly is: 'done'; readonly record: CrmRecord | undefined; readonly id: string | undefined }
  | { readonly is: 'refused' }
  | { readonly is: 'in doubt'; readonly isAnother?: true }

type WriteAnswer = Pick<Answer, 'status' | 'headers' | 'json'>

const REFUSED: WriteFate = { is: 'refused' }
const IN_DOUBT: WriteFate = { is: 'in doubt' }
const ANOTHER: WriteFate = { is: 'in doubt', isAnother: true }

/** Decides the outcome of a 2xx, for single commands and for bulk. */
export function judgeWrite(answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const { json } = answer
  if (asked.kind !== 'create' && coversNone(answer.headers)) return IN_DOUBT
  if (Array.isArray(json) && json.length > 1) return judgeMany(json)
  const shown = readShown(json, asked.sent)
  return shown === undefined ? judgeWithoutRecord(answer, asked) : judgeShown(shown, answer, asked)
}

function judgeShown(shown: Shown, answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const record = shown.at(-1) ?? {}
  const values = valuesOf(record)
  const id = ownId(record)
  const sent = asked.sent() ?? {}
  const isKnown = asked.kind !== 'create' && asked.id !== undefined && id?.toLowerCase() === asked.id.toLowerCase()
  const isAffirmed = shown.some((one) => signsOf(one).isAffirming)
  const said: Said = { record, values, id, sent, isKnown, isAffirmed, isSentShown: showsSent(values, sent, isKnown) }
  const refusal = judgeAround(shown, said, answer)
  if (refusal !== undefined) return refusal
  if (asked.kind === 'delete' && record.deleted === false) return REFUSED
  if (id !== undefined) return judgeRecord(said, id, answer, asked)
  return asked.kind === 'delete' ? judgeDeletion(record, isAffirmed, answer, asked) : judgeSaving(said, answer, asked)
}

/** A `status` in the record may be data; in the envelope around it, it reports the outcome. */
function judgeAround(shown: Shown, { id, isSentShown }: Said, { status }: WriteAnswer): WriteFate | undefined {
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

interface Said {
  readonly record: JsonObject
  /** The members of the record, with those one level below it. */
  readonly values: JsonObject
  readonly id: string | undefined
  readonly sent: JsonObject
  /** It has the id of the record to change. */
  readonly isKnown: boolean
  /** By itself, or by an object around it. */
  readonly isAffirmed: boolean
  readonly isSentShown: boolean
}

/**
 * Done when the record is the requested one. An id alone is no proof: a 202 often shows a queued task in place of the record,
 * or, for a delete, the record before it.
 */
function judgeRecord(said: Said, id: string, { status }: WriteAnswer, asked: AskedWrite): WriteFate {
  const { record, isKnown, isSentShown } = said
  const { kind, id: wanted } = asked
  const objection = isSentShown ? undefined : objectionTo(said, kind)
  if (objection !== undefined) return objection
  if (kind !== 'create' && wanted !== undefined && !isKnown && !(isSentShown && isShort(id, wanted))) return IN_DOUBT
  if (isNoMoreThanUndeleted(said, status, kind)) return IN_DOUBT
  if (status === 202 && !(kind === 'delete' ? record.deleted === true : isSentShown)) return IN_DOUBT
  return done(record, kind === 'delete' ? wanted : id)
}

/** To a create or an update, that nothing was deleted is no proof. */
function isNoMoreThanUndeleted(
  { values, isSentShown, isAffirmed }: Said,
  status: number,
  kind: AskedWrite['kind'],
): boolean {
  if (isSentShown || isAffirmed || !isUndeleted(values)) return false
  return kind === 'delete' || (status !== 201 && !showsData(values))
}

/** The objection to a record without any value that was sent. */
function objectionTo({ record, values, sent, isKnown }: Said, kind: WriteKind): WriteFate | undefined {
  // A status beside other members is data of the record, unless these differ from what was sent.
  const isRecord = isKnown && showsData(values) && otherValues(record, sent).length === 0
  const opposition = oppositionIn(values, { kind, sent, isRecord })
  if (opposition !== 'none') return opposition === 'explained' ? REFUSED : IN_DOUBT
  return kind === 'create' && isAnother(record, sent) ? ANOTHER : undefined
}

/** Some servers answer with the number of an id without its prefix. */
function isShort(id: string, wanted: string): boolean {
  return /^\d+$/.test(id) && /^\D*?0*(\d+)$/.exec(wanted)?.[1] === id
}

function judgeDeletion(record: JsonObject, isAffirmed: boolean, answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const { isRefusing, isTroubled } = signsOf(record)
  if (isRefusing || isTroubled) return REFUSED
  return isDeedShown('delete', record, isAffirmed) && answer.status !== 202 ? done(undefined, asked.id) : IN_DOUBT
}

/** The outcome of a create or update whose answer has no id. */
function judgeSaving({ record, isAffirmed, isSentShown }: Said, answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const { isRefusing, isTroubled } = signsOf(record)
  // An echo of the request beside an error: the record may have been written.
  if (isSentShown) return isTroubled ? IN_DOUBT : done(record, undefined)
  const isUpdated = asked.kind === 'update' && answer.status !== 202 && isDeedShown('update', record, isAffirmed)
  if (isUpdated && !(isRefusing || isTroubled)) return done(undefined, asked.id)
  return isRefusing || isTroubled ? REFUSED : judgeWithoutRecord(answer, asked)
}

function judgeMany(list: readonly JsonValue[]): WriteFate {
  const isRefusal = (one: JsonValue) => {
    if (!isJsonObject(one) || ownId(one) !== undefined) return false
    const { isRefusing, isTroubled } = signsOf(one)
    return isRefusing || isTroubled
  }
  return list.every(isRefusal) ? REFUSED : IN_DOUBT
}

function judgeWithoutRecord(answer: WriteAnswer, { kind, id, path }: AskedWrite): WriteFate {
  const { status, json, headers } = answer
  // RFC 9110 section 15.3.5: 204 means done.
  if (kind === 'update') return status === 204 ? done(undefined, id) : IN_DOUBT
  if (kind === 'delete') return isDeletionConfirmed(status, json) ? done(undefined, id) : IN_DOUBT
  const made = status === 201 || status === 204 ? idInLocation(headers, path) : undefined
  return made === undefined ? IN_DOUBT : done(undefined, made)
}

/** A delete is done without a record in the answer; not with 202, which only accepts it, or an empty list, which may mean no match. */
function isDeletionConfirmed(status: number, json: JsonValue | undefined): boolean {
  if (status === 202) return false
  if (json === undefined || json === null || json === true || json === 1) return true
  if (typeof json === 'string') return isShortYes(json)
  return isJsonObject(json) && Object.keys(json).length === 0
}

function done(record: JsonObject | undefined, id: string | undefined): WriteFate {
  const known = id === undefined ? undefined : { id }
  return { is: 'done', record: record ?? known, id }
}
