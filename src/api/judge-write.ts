import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { isAnother, otherValues, valuesOf } from '../core/other-values.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { Answer } from './answer.ts'
import { hasRefusingStatus, signsOf } from './answer-signs.ts'
import { isDeletionShown, isShortYes } from './deletion-shown.ts'
import { idInLocation } from './location-id.ts'
import { oppositionIn, type WriteKind } from './opposition.ts'
import { ownId, readShown, type Shown, showsData, showsSent } from './shown-record.ts'

export interface AskedWrite {
  readonly kind: WriteKind
  /** What was sent; asked for only where the answer has no id. */
  readonly sent: () => JsonObject | undefined
  /** Of the record that is changed. */
  readonly id?: string | undefined
  /** What was asked: `/v1/contacts`. */
  readonly path?: string | undefined
}

/** What a 2xx says about a write. Only a record, or a status that leaves no other reading, is taken as done. */
export type WriteFate =
  | { readonly is: 'done'; readonly record: CrmRecord | undefined; readonly id: string | undefined }
  | { readonly is: 'refused' }
  | { readonly is: 'in doubt'; readonly isAnother?: true }

type WriteAnswer = Pick<Answer, 'status' | 'headers' | 'json'>

const REFUSED: WriteFate = { is: 'refused' }
const IN_DOUBT: WriteFate = { is: 'in doubt' }
const ANOTHER: WriteFate = { is: 'in doubt', isAnother: true }

/** The one judgement of a 2xx, for single commands and for bulk. */
export function judgeWrite(answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const { json } = answer
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
  const said: Said = { record, values, id, sent, isKnown, isSentShown: showsSent(values, sent, isKnown) }
  const refusal = judgeAround(shown, said, answer)
  if (refusal !== undefined) return refusal
  if (asked.kind === 'delete' && record.deleted === false) return REFUSED
  if (id !== undefined) return judgeRecord(said, id, answer, asked)
  const isAffirmed = shown.some((one) => signsOf(one).isAffirming)
  return asked.kind === 'delete' ? judgeDeletion(record, isAffirmed, answer, asked) : judgeSaving(said, answer, asked)
}

/** The status of a record is its own affair; that of what stands around it is not. */
function judgeAround(shown: Shown, { id, isSentShown }: Said, { status }: WriteAnswer): WriteFate | undefined {
  // RFC 4918, section 13: the part has its own status, and that of the whole says nothing.
  if (status === 207 && shown.some(hasRefusingStatus)) return REFUSED
  const around = shown.slice(0, -1).map(signsOf)
  if (around.some(({ isRefusing }) => isRefusing)) return id === undefined ? REFUSED : IN_DOUBT
  if (!around.some(({ isTroubled }) => isTroubled)) return undefined
  return id === undefined && !isSentShown ? REFUSED : IN_DOUBT
}

interface Said {
  readonly record: JsonObject
  /** Of the record, whatever they stand below. */
  readonly values: JsonObject
  readonly id: string | undefined
  readonly sent: JsonObject
  /** It has the id of the record that was to be changed. */
  readonly isKnown: boolean
  readonly isSentShown: boolean
}

/**
 * Done where the record is the one that was asked for: 202 often shows the work that is to be done in place of it, and that of
 * a delete the record as it still is. An id is no more than the name of what the answer speaks of.
 */
function judgeRecord(said: Said, id: string, { status }: WriteAnswer, asked: AskedWrite): WriteFate {
  const { record, isKnown, isSentShown } = said
  const { kind, id: wanted } = asked
  const objection = isSentShown ? undefined : objectionTo(said, kind)
  if (objection !== undefined) return objection
  if (kind !== 'create' && wanted !== undefined && !isKnown && !(isSentShown && isShort(id, wanted))) return IN_DOUBT
  if (status === 202 && !(kind === 'delete' ? record.deleted === true : isSentShown)) return IN_DOUBT
  return done(record, kind === 'delete' ? wanted : id)
}

/** Of a record that shows nothing as it was sent. */
function objectionTo({ record, values, sent, isKnown }: Said, kind: WriteKind): WriteFate | undefined {
  // A status beside other members is the record's own, unless these are not as they were sent.
  const isRecord = isKnown && showsData(values) && otherValues(record, sent).length === 0
  const opposition = oppositionIn(values, { kind, sent, isRecord })
  if (opposition !== 'none') return opposition === 'explained' ? REFUSED : IN_DOUBT
  return kind === 'create' && isAnother(record, sent) ? ANOTHER : undefined
}

/** Some servers show the number alone of an id that has a prefix. */
function isShort(id: string, wanted: string): boolean {
  return /^\d+$/.test(id) && /^\D*?0*(\d+)$/.exec(wanted)?.[1] === id
}

function judgeDeletion(record: JsonObject, isAffirmed: boolean, answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const { isRefusing, isTroubled } = signsOf(record)
  if (isRefusing || isTroubled) return REFUSED
  return isDeletionShown(record, isAffirmed) && answer.status !== 202 ? done(undefined, asked.id) : IN_DOUBT
}

/** Of an answer without an id. */
function judgeSaving({ record, isSentShown }: Said, answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const { isRefusing, isTroubled } = signsOf(record)
  // An echo of what was sent beside an error: it may have been made all the same.
  if (isSentShown) return isTroubled ? IN_DOUBT : done(record, undefined)
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
  // RFC 9110 section 15.3.5: it was done, and there is no more to say.
  if (kind === 'update') return status === 204 ? done(undefined, id) : IN_DOUBT
  if (kind === 'delete') return isDeletionTold(status, json) ? done(undefined, id) : IN_DOUBT
  const made = status === 201 || status === 204 ? idInLocation(headers, path) : undefined
  return made === undefined ? IN_DOUBT : done(undefined, made)
}

/** A delete needs no record to be done; 202 promises it, and an empty list may mean that nothing was there. */
function isDeletionTold(status: number, json: JsonValue | undefined): boolean {
  if (status === 202) return false
  if (json === undefined || json === null || json === true || json === 1) return true
  if (typeof json === 'string') return isShortYes(json)
  return isJsonObject(json) && Object.keys(json).length === 0
}

function done(record: JsonObject | undefined, id: string | undefined): WriteFate {
  const known = id === undefined ? undefined : { id }
  return { is: 'done', record: record ?? known, id }
}
