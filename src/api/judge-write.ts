import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { valuesOf } from '../core/other-values.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { Answer } from './answer.ts'
import { isTroubled, signsOf } from './answer-signs.ts'
import { isDeletionShown, isShortYes } from './deletion-shown.ts'
import { ownId, readShown, type Shown, showsSent } from './shown-record.ts'

export interface AskedWrite {
  readonly kind: 'create' | 'update' | 'delete'
  /** What was sent; asked for only where the answer has no id. */
  readonly sent: () => JsonObject | undefined
  /** Of the record that is changed. */
  readonly id?: string | undefined
}

/** What a 2xx says about a write. Only a record, or a status that leaves no other reading, is taken as done. */
export type WriteFate =
  | { readonly is: 'done'; readonly record: CrmRecord | undefined; readonly id: string | undefined }
  | { readonly is: 'refused' }
  | { readonly is: 'in doubt' }

type WriteAnswer = Pick<Answer, 'status' | 'headers' | 'json'>

const REFUSED: WriteFate = { is: 'refused' }
const IN_DOUBT: WriteFate = { is: 'in doubt' }

/** The one judgement of a 2xx, for single commands and for bulk. */
export function judgeWrite(answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const { json } = answer
  if (Array.isArray(json) && json.length > 1) return judgeMany(json)
  const shown = readShown(json, asked.sent)
  return shown === undefined ? judgeWithoutRecord(answer, asked) : judgeShown(shown, answer, asked)
}

function judgeShown(shown: Shown, answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const [first, ...inner] = shown
  const firstId = inner.length === 0 && asked.kind !== 'delete' ? ownId(first) : undefined
  // Nearly always, and judged at a tenth of the cost.
  if (firstId !== undefined && !isTroubled(first)) return judgeRecord(first, firstId, answer, asked)
  const signs = shown.map(signsOf)
  const isAnyTroubled = signs.some((one) => one.isTroubled)
  const record = shown.at(-1) ?? {}
  const said: Said = {
    record,
    id: ownId(record),
    isTroubled: isAnyTroubled,
    isOpposed: isAnyTroubled || signs.some(({ isRefusing }) => isRefusing),
    isAffirming: signs.some((one) => one.isAffirming),
  }
  // The status of a record is its own affair; that of what stands around it is not.
  const isPlain = !isAnyTroubled && !signs.slice(0, -1).some(({ isRefusing }) => isRefusing)
  if (asked.kind === 'delete' && record.deleted === false) return REFUSED
  if (said.id !== undefined && isPlain) return judgeRecord(record, said.id, answer, asked)
  return asked.kind === 'delete' ? judgeDeletion(said, answer, asked) : judgeSaving(said, answer, asked)
}

/**
 * Done where the record is the one that was asked for: 202 often shows the work that is to be done in place of it, and that of
 * a delete the record as it still is.
 */
function judgeRecord(record: JsonObject, id: string, { status }: WriteAnswer, asked: AskedWrite): WriteFate {
  const { kind, id: wanted = id, sent } = asked
  if (kind !== 'create' && id.toLowerCase() !== wanted.toLowerCase()) return IN_DOUBT
  if (status === 202) {
    const isShown = kind === 'delete' ? record.deleted === true : showsSent(valuesOf(record), sent() ?? {}, false)
    if (!isShown) return IN_DOUBT
  }
  return done(record, kind === 'delete' ? asked.id : id)
}

interface Said {
  readonly record: JsonObject
  readonly id: string | undefined
  readonly isTroubled: boolean
  /** Something in the answer speaks against a success. */
  readonly isOpposed: boolean
  readonly isAffirming: boolean
}

function judgeDeletion(
  { record, id, isOpposed, isAffirming }: Said,
  answer: WriteAnswer,
  asked: AskedWrite,
): WriteFate {
  if (isOpposed) return id === undefined ? REFUSED : IN_DOUBT
  return isDeletionShown(record, isAffirming) && answer.status !== 202 ? done(undefined, asked.id) : IN_DOUBT
}

function judgeSaving({ record, id, isTroubled, isOpposed }: Said, answer: WriteAnswer, asked: AskedWrite): WriteFate {
  const isSentShown = showsSent(record, asked.sent() ?? {}, isOpposed)
  // An echo of what was sent beside an error: it may have been made all the same.
  if (isSentShown && !(isTroubled && id === undefined)) return done(record, id)
  if (isSentShown || id !== undefined) return IN_DOUBT
  return isOpposed ? REFUSED : judgeWithoutRecord(answer, asked)
}

function judgeMany(list: readonly JsonValue[]): WriteFate {
  const isRefusal = (one: JsonValue) => {
    if (!isJsonObject(one) || ownId(one) !== undefined) return false
    const { isRefusing, isTroubled } = signsOf(one)
    return isRefusing || isTroubled
  }
  return list.every(isRefusal) ? REFUSED : IN_DOUBT
}

function judgeWithoutRecord(answer: WriteAnswer, { kind, id }: AskedWrite): WriteFate {
  const { status, json, headers } = answer
  // RFC 9110 section 15.3.5: it was done, and there is no more to say.
  if (kind === 'update') return status === 204 ? done(undefined, id) : IN_DOUBT
  if (kind === 'delete') return isDeletionTold(status, json) ? done(undefined, id) : IN_DOUBT
  const made = status === 201 || status === 204 ? idInLocation(headers) : undefined
  return made === undefined ? IN_DOUBT : done(undefined, made)
}

/** A delete needs no record to be done; 202 promises it, and an empty list may mean that nothing was there. */
function isDeletionTold(status: number, json: JsonValue | undefined): boolean {
  if (status === 202) return false
  if (json === undefined || json === null || json === true || json === 1) return true
  if (typeof json === 'string') return isShortYes(json)
  return isJsonObject(json) && Object.keys(json).length === 0
}

/** RFC 9110 section 10.2.2; OData has its entity in a header of its own, and its key in brackets. */
function idInLocation(headers: IncomingHttpHeaders): string | undefined {
  const location = headers['odata-entityid'] ?? headers.location
  const url = typeof location === 'string' ? URL.parse(location, 'http://origin.invalid') : null
  const last = url?.pathname.replace(/\/+$/, '').split('/').at(-1) ?? ''
  const segment = /\(([^()]+)\)$/.exec(last)?.[1]?.replace(/^'(.*)'$/, '$1') ?? last
  // A list has no id: some servers name it as the place of what was made.
  if (segment === '' || /^(?:contacts|deals|notes|webhooks)$/i.test(segment)) return undefined
  try {
    return decodeURIComponent(segment)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function done(record: JsonObject | undefined, id: string | undefined): WriteFate {
  const known = id === undefined ? undefined : { id }
  return { is: 'done', record: record ?? known, id }
}
