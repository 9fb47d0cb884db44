import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import {
  hasRefusingStatus,
  isPendingDeletion,
  isPendingMember,
  isPendingName,
  isPendingState,
  isRefusing,
  isRefusingState,
  isTrouble,
} from './answer-signs.ts'

export type WriteKind = 'create' | 'update' | 'delete'

/** Whether an object with an id contradicts the success of the write; `explained` with a reason in words. */
export type Contradiction = 'none' | 'vague' | 'explained'

const STATE = /^(?:status|state|result|outcome|type|kind|object)$/i
const KIND = /^(?:type|kind|object)$/i
const UNDONE = /^(?:no[\s_-]?op|unchanged|not[\s_-]?(?:found|modified)|skipped|ignored|duplicate|conflict|locked)$/i
const OTHER_KIND = /^(?:job|task|operation|request|process|batch|error|problem|exception)s?$/i
const PASSED_OVER = /^(?:is_?)?(?:skipped|duplicated?|ignored|rejected|no_?op)$/i
/** Members that report whether the operation happened. */
const CHANGES: Readonly<Record<WriteKind, RegExp>> = {
  create: /^(?:is_?)?(?:created|inserted|saved|added)$/i,
  update: /^(?:is_?)?(?:updated|modified|changed|saved|applied)$/i,
  delete: /^(?:is_?)?(?:deleted|removed|destroyed)$/i,
}
const ARCHIVED = /^(?:is_?)?archived$/i
const DELETED_AT = /^(?:deleted|archived|removed|destroyed)_?(?:at|on|date|time)$/i
const REASON = /^(?:message|msg|reason|details?|error_?(?:message|description))$/i

export function isContradictionName(name: string): boolean {
  return (
    isPendingName(name) ||
    [STATE, PASSED_OVER, ARCHIVED, REASON, ...Object.values(CHANGES)].some((names) => names.test(name))
  )
}

/** `isRecord`: the object has data, so a status is data, too. Members that were sent are ignored. */
export function contradictionIn(
  values: JsonObject,
  { kind, sent, isRecord }: { readonly kind: WriteKind; readonly sent: JsonObject; readonly isRecord: boolean },
): Contradiction {
  if (hasRefusingStatus(values)) return 'explained'
  const entries = Object.entries(values).filter(
    ([name, value]) => !(isRecord && isData(kind, name, value)) && !(name in sent && sent[name] === value),
  )
  const isReasoned = entries.some(([name, value]) => REASON.test(name) && typeof value === 'string' && value !== '')
  if (entries.some(([name, value]) => isRefused(kind, name, value))) return isReasoned ? 'explained' : 'vague'
  const isCoded = isReasoned && !isRecord && isCode(values.code)
  return isCoded || entries.some(([name, value]) => isUnfinished(name, value)) ? 'vague' : 'none'
}

/** Whether a member that looks like an outcome is data of a record. */
function isData(kind: WriteKind, name: string, value: JsonValue): boolean {
  if (kind === 'delete' && isPendingDeletion(name, value)) return false
  return STATE.test(name) || name === 'code' || isPendingName(name)
}

function isRefused(kind: WriteKind, name: string, value: JsonValue): boolean {
  if (isRefusing(name, value)) return true
  if (PASSED_OVER.test(name)) return value === true || value === 'true'
  if (CHANGES[kind].test(name)) return value === false || value === 0 || value === 'false'
  return STATE.test(name) && typeof value === 'string' && (isRefusingState(value) || UNDONE.test(value))
}

function isUnfinished(name: string, value: JsonValue): boolean {
  if (isTrouble(name, value) || isPendingMember(name, value)) return true
  if (!STATE.test(name) || isJsonObject(value) || typeof value !== 'string') return false
  return KIND.test(name) ? OTHER_KIND.test(value) : isPendingState(value)
}

/** Whether a record states that it is not deleted (`archived: false`, `deleted_at: null`), and nothing states that it is. */
export function isUndeleted(values: JsonObject): boolean {
  const entries = Object.entries(values)
  const isDeletion = (name: string) => CHANGES.delete.test(name) || ARCHIVED.test(name)
  const isDeleted = entries.some(([name, value]) =>
    isDeletion(name) ? value === true : DELETED_AT.test(name) && value !== null && value !== '',
  )
  if (isDeleted) return false
  return entries.some(([name, value]) =>
    isDeletion(name) ? value === false || value === 0 || value === 'false' : DELETED_AT.test(name),
  )
}

/** `VALIDATION_FAILED`, but not a customer number. */
function isCode(value: JsonValue | undefined): boolean {
  return (
    typeof value === 'string' &&
    /^[A-Za-z][A-Za-z_.-]*$/.test(value) &&
    !/^(?:ok|success|created|updated|deleted)$/i.test(value)
  )
}
