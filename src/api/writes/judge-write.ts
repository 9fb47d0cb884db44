import type { IncomingHttpHeaders } from 'node:http'
import type { Operation, PathText, ResourceDocument } from '../../connector/document.ts'
import type { References } from '../../connector/field-map.ts'
import { compilePath, type Path, readFirst } from '../../connector/paths.ts'
import type { RecordMap } from '../../connector/record-map.ts'
import { idText, isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../../core/json.ts'
import { isAnother, sentValueText } from '../../core/other-values.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Answer } from '../transport/answer.ts'
import type { WriteKind, WriteOutcome } from './write.ts'

export interface AskedWrite {
  readonly kind: WriteKind
  /** Of the record that is changed or deleted. */
  readonly id?: string | undefined
  /** In crm's names; undefined without values. */
  readonly sent: JsonObject | undefined
  /** The record before an update that replaces it, and what was sent, in the server's names. */
  readonly replaced?: { readonly before: JsonObject; readonly sent: JsonObject } | undefined
  /** In an answer to many rows, what it shows of this one. */
  readonly row?: { readonly json: JsonValue | undefined; readonly quoted: () => JsonValue | undefined }
}

export type JudgeWrite = (answer: Answer, asked: AskedWrite, references: References) => WriteOutcome

/** Of an operation of a resource; `isBatch`: the answer is that to one row of a request, whose status is the one of all. */
export function compileJudge(
  operation: Pick<Operation, 'ok' | 'gives' | 'made'>,
  map: Pick<RecordMap, 'idOf' | 'read'>,
  { id, inside, isBatch = false }: Pick<ResourceDocument, 'id' | 'inside'> & { readonly isBatch?: boolean },
): JudgeWrite {
  const insidePath = compilePath(inside)
  const checkOk = compileOk(operation.ok, isBatch)
  const shown = compileGives(operation.gives, map, id.at)
  const made = operation.made && { at: compilePath(operation.made.at), is: operation.made.is }
  return (answer, asked, references) => {
    const why = checkOk(answer, asked.kind)
    if (why !== undefined) return contradiction(why)
    const { json, quoted = () => json } = asked.row ?? answer
    const flag = flagAt(made, json)
    const read = asked.kind === 'delete' ? undefined : shown
    if (!read) {
      const record = asked.id === undefined ? undefined : { id: asked.id }
      return { type: 'done', record, id: asked.id, quoted: () => record, ...flag }
    }
    const found = read(json, references)
    if (typeof found === 'string') return contradiction(found)
    const record = found.record()
    const other = whyOther(found, record, asked) ?? whyEmptied(found, asked.replaced, insidePath)
    if (other) return other
    const again = () => {
      const shownAgain = read(quoted(), references)
      return typeof shownAgain === 'string' ? undefined : shownAgain.record()
    }
    return { type: 'done', record, id: found.id, quoted: again, ...flag }
  }
}

function flagAt(
  made: { readonly at: Path; readonly is: JsonValue } | undefined,
  json: JsonValue | undefined,
): { readonly isMade?: boolean } {
  const value = made && readFirst(made.at, json)
  return made && typeof value === typeof made.is ? { isMade: isSameJson(value ?? null, made.is) } : {}
}

/** An answer about another record. */
function whyOther({ id, idAt }: Shown, record: CrmRecord, asked: AskedWrite): WriteOutcome | undefined {
  if (asked.kind === 'update' && id.toLowerCase() !== asked.id?.toLowerCase())
    return contradiction(`shows ${id} at ${idAt}, and ${asked.id} was changed`)
  if (asked.kind !== 'create' || !asked.sent || !isAnother(record, asked.sent)) return undefined
  return { type: 'in doubt', why: 'shows a different record', isContradiction: false }
}

/** An answer that shows what is lost. */
function whyEmptied({ server }: Shown, replaced: AskedWrite['replaced'], inside: Path): WriteOutcome | undefined {
  const members = server && replaced && lossIn(replaced, server, { inside, isWhole: false })
  return members ? lost(members) : undefined
}

/** The outcome of an update that took effect and lost these members. */
export function lost(members: string): WriteOutcome & { readonly type: 'in doubt' } {
  return { type: 'in doubt', why: lossText(members), isContradiction: true, isLost: true }
}

export function lossText(members: string): string {
  return `the update took effect, but the server lost ${members}, which was sent unchanged`
}

interface Loss {
  readonly inside: Path
  /** What `server` lacks is lost; an answer may leave members out. */
  readonly isWhole: boolean
}

/** What a record has lost in an update that sent it again as it was: `tags: ["x"]`; undefined if nothing. */
export function lossIn(
  { before, sent }: NonNullable<AskedWrite['replaced']>,
  server: JsonObject,
  { inside, isWhole }: Loss,
): string | undefined {
  const [was, shown] = [readFirst(inside, before), readFirst(inside, server)]
  const parts = lostIn({ sent, before: was, shown }, isWhole)
  if (parts.length === 0) return undefined
  return parts.map(({ name, value }) => sentValueText(name, value)).join(', ')
}

interface Replaced {
  readonly sent: JsonObject
  readonly before: JsonValue | undefined
  readonly shown: JsonValue | undefined
}

interface LostMember {
  readonly name: string
  readonly value: JsonValue
}

/** The members that were sent as they were before, and that are empty now: the server did not keep them. */
function lostIn({ sent, before, shown }: Replaced, isWhole: boolean): readonly LostMember[] {
  if (!isJsonObject(before) || !isJsonObject(shown)) return []
  return Object.entries(sent).flatMap(([name, value]) => {
    const [was, now] = [before[name], shown[name]]
    if (was === undefined || isEmpty(value) || (now === undefined && !isWhole)) return []
    if (now === undefined || isEmpty(now)) return isSameJson(value, was) ? [{ name, value }] : []
    const inner = isJsonObject(value) ? lostIn({ sent: value, before: was, shown: now }, isWhole) : []
    return inner.map((each) => ({ ...each, name: `${name}.${each.name}` }))
  })
}

function isEmpty(value: JsonValue): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

function contradiction(why: string): WriteOutcome {
  return { type: 'in doubt', why, isContradiction: true }
}

/** Why an answer is no success by `ok`; undefined for one that is. */
export function compileOk(ok: Operation['ok'], isBatch: boolean) {
  const path = ok.at === undefined ? undefined : compilePath(ok.at)
  return (answer: Answer, kind: WriteKind): string | undefined => {
    if (matchesNone(answer.headers)) return 'states that no record matched (Content-Range: */0)'
    const isBare = kind === 'delete' && !path && !isBatch
    return whyNotStatus(answer, ok, isBare) ?? (path && whyNotValue(readFirst(path, answer.json), ok))
  }
}

/** `isBare`: of a delete, of which only the status shows the success. */
function whyNotStatus({ status, json }: Answer, { statuses }: Operation['ok'], isBare: boolean): string | undefined {
  if (statuses?.includes(status)) return undefined
  // RFC 9110, 15.3.3: accepted, but not completed.
  if (status === 202) return 'accepts the request without confirming it'
  if (statuses) return `is no success, which has ${statuses.join(' or ')}`
  return isBare && status !== 204 && json !== undefined ? 'to a delete is neither a 204 nor empty' : undefined
}

function whyNotValue(value: JsonValue = null, { at, is, absent }: Operation['ok']): string | undefined {
  if (absent) return value === null ? undefined : `has something at ${at}, where a success has nothing`
  return is === undefined || isSameJson(value, is)
    ? undefined
    : `has not ${JSON.stringify(is)} at ${at}, as a success has`
}

/** Whether the server states that nothing matched the request (RFC 9110 section 14.4; PostgREST). */
function matchesNone(headers: IncomingHttpHeaders): boolean {
  return /^(?:\w+\s+)?\*\/0$/.test(headers['content-range'] ?? '')
}

interface Shown {
  readonly id: string
  readonly idAt: PathText
  readonly record: () => CrmRecord
  /** Undefined where the answer shows an id alone. */
  readonly server?: JsonObject
}

/** Undefined where nothing is given. The reader gives a clause if the answer shows neither a record nor an id. */
function compileGives(gives: Operation['gives'], map: Pick<RecordMap, 'idOf' | 'read'>, idPath: PathText) {
  if (gives === 'nothing') return undefined
  const isWhole = gives === 'record'
  const at = isWhole ? '.' : gives
  const path = compilePath(at)
  const idAt = at === '.' ? idPath : `${at}.${idPath}`
  return (json: JsonValue | undefined, references: References): Shown | string => {
    const value = json === undefined ? undefined : readFirst(path, json)
    if (isJsonObject(value)) {
      const id = map.idOf(value)
      return isId(id) ? { id, idAt, server: value, record: () => map.read(value, references) } : `has no id at ${idAt}`
    }
    const id = isWhole ? undefined : idText(value)
    return isId(id)
      ? { id, idAt: at, record: () => ({ id }) }
      : `has ${isWhole ? 'no record' : `neither a record nor an id at ${at}`}`
  }
}

/** Not that of a record that was not created. */
const NO_ID = /^\s*(?:0|-\d+|0{8}(?:-0{4}){3}-0{12})?\s*$/

function isId(id: string | undefined): id is string {
  return id !== undefined && !NO_ID.test(id)
}
