import type { CrmError } from '../core/errors.ts'
import { idText, isSameJson, type JsonObject, type JsonValue, memberOf } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { ResourceDocument } from './document.ts'
import {
  type FieldMap,
  isCleared,
  isListPath,
  joinedText,
  type References,
  shortJson,
  splitAround,
} from './field-map.ts'
import type { OwnNames } from './own-names.ts'
import { headsOf, type Path, readFirst, setMember, writeAt } from './paths.ts'
import { fill } from './templates.ts'

export interface WriteRecordOptions {
  readonly isCreate: boolean
  /** The current record of the server, as far as known. */
  readonly current?: JsonObject | undefined
  readonly references?: References | undefined
  /** The same in crm's names, where the server's record is not known. */
  readonly record?: CrmRecord | undefined
  /** The whole record is sent, not only its changes. */
  readonly isWhole?: boolean
  /** Members of the current record that are not sent with the whole. */
  readonly drop?: readonly string[] | undefined
  /** Members that the body of the request has beside the record. */
  readonly besides?: readonly string[]
}

/** One record that is written. */
export interface WrittenRecord {
  readonly target: JsonObject
  readonly values: JsonObject
  readonly options: WriteRecordOptions
  /** The object in which fields begin now. */
  readonly current: JsonObject | undefined
  /** Members of the target that the row names by the server's own names. */
  readonly given: Set<string>
}

export interface FieldParts {
  readonly document: ResourceDocument
  readonly fields: readonly FieldMap[]
  readonly own: OwnNames
}

export function writeField(field: FieldMap, draft: WrittenRecord, parts: FieldParts): void {
  const { name, document, refuse } = field
  const value = draft.values[name] ?? null
  if (document.when === 'create' && !draft.options.isCreate) {
    throw refuse(value, 'no value: it is set only when the record is created', `leave ${name} out`)
  }
  if (!isCleared(value, document)) writeValue(field, value, draft, parts)
  else if (document.required) throw refuse(value, 'a value: the server requires it')
  else clearField(field, draft, parts)
}

function writeValue(field: FieldMap, value: JsonValue, draft: WrittenRecord, parts: FieldParts): void {
  const { document, writes } = field
  const { options, target } = draft
  const fieldValue = (other: string) => fieldValueOf(other, draft, parts)
  let raws = field.encode(value, { references: options.references, fieldValue })
  for (const path of writes) takeShaped(path, field, draft)
  if (writes.some((path) => isAmongGiven(path, draft))) {
    if (!document.join) {
      checkAgreement(field, value, draft)
      return
    }
    raws = partsAround(field, value, draft)
  }
  for (const [at, path] of writes.entries()) {
    if (isAmongGiven(path, draft)) continue
    const raw = raws[at] ?? null
    const isEmptyPart = document.join && raw === ''
    const around = { ...completing(path, draft, parts), new: document.new }
    writeAt(path, target, isEmptyPart ? emptyPart(field, options) : raw, around)
  }
  for (const { path, template } of field.beside) {
    const beside = fill(template, { value })
    if (beside !== undefined) writeAt(path, target, beside, completing(path, draft, parts))
  }
}

/** A name of one word has no second part. */
function emptyPart({ document }: FieldMap, { isCreate }: WriteRecordOptions): JsonValue | undefined {
  const { clear, empty: written } = document
  if (written !== undefined) return written
  return isCreate || clear === 'omit' ? undefined : (clear as JsonValue)
}

function isAmongGiven({ steps: [step] }: Path, { given }: WrittenRecord): boolean {
  return step?.type === 'member' && given.has(step.name)
}

/**
 * An own member that is shown in another shape, such as the text of a list of one, gives way to the field, which knows the
 * shape that is sent.
 */
function takeShaped({ steps }: Path, field: FieldMap, { target, given, values }: WrittenRecord): void {
  const [head] = steps
  if (head?.type !== 'member' || steps.length === 1 || !given.has(head.name)) return
  const shown = target[head.name] ?? null
  if (typeof shown === 'object' || !field.isKept(shown, values[field.name] ?? null)) return
  delete target[head.name]
  given.delete(head.name)
}

/** A list of one is shown as its element. `names`: other members that are lists. */
export function asLists(target: JsonObject, paths: readonly Path[], names: Iterable<string> = []): JsonObject {
  const lists = { ...target }
  const heads = paths.flatMap(({ steps: [head, inner] }) =>
    head?.type !== 'member' || inner === undefined || inner.type === 'member' ? [] : [head.name],
  )
  for (const name of [...heads, ...names]) {
    const value = target[name] ?? null
    if (value !== null && !Array.isArray(value)) setMember(lists, name, [value])
  }
  return lists
}

/** A row may name a value both ways, as an exported one does, if both are the same. */
function checkAgreement(field: FieldMap, value: JsonValue, draft: WrittenRecord): void {
  const shown = shownByGiven(field, draft)
  if (!field.isKept(shown, value)) throw disagreement(field, value, shown)
}

/** What the field shows once the members are written that the row gives by their own names. */
function shownByGiven(field: FieldMap, draft: WrittenRecord): JsonValue {
  const { writes } = field
  const target = asLists(draft.target, writes)
  if (isReadWhereWritten(field)) return field.read(target, draft.options.references)
  return field.decode(
    writes.map((path) => readFirst(path, target)),
    draft.options.references,
  )
}

/** The parts that the row does not give by their own names follow from those that it does. */
function partsAround(field: FieldMap, value: JsonValue, draft: WrittenRecord): readonly JsonValue[] {
  const given = givenParts(field, draft)
  const parts = splitAround(idText(value) ?? '', given)
  if (parts) return parts
  throw disagreement(field, value, joinedText(given))
}

function givenParts({ writes }: FieldMap, draft: WrittenRecord): readonly (string | undefined)[] {
  return writes.map((path) => (isAmongGiven(path, draft) ? (idText(readFirst(path, draft.target)) ?? '') : undefined))
}

/** Whether the members that the row gives by their own names show another value of the field than the row has. */
export function isContradicted(field: FieldMap, draft: WrittenRecord): boolean {
  const { document, writes, name } = field
  const value = draft.values[name] ?? null
  for (const path of writes) takeShaped(path, field, draft)
  if (!writes.some((path) => isAmongGiven(path, draft))) return false
  if (!document.join) return !field.isKept(shownByGiven(field, draft), value)
  return splitAround(idText(value) ?? '', givenParts(field, draft)) === undefined
}

function disagreement({ name, writes, refuse }: FieldMap, value: JsonValue, shown: JsonValue): CrmError {
  const own = [...new Set(headsOf(writes))].join(' and ')
  return refuse(value, `${shortJson(shown)}, which the row says by ${own}`, `leave out ${name}, or ${own}`)
}

/** Or within an object that is written whole there. */
function isReadWhereWritten({ reads, writes, beside }: FieldMap): boolean {
  const isWithin = (text: string, read = '') =>
    beside.some(({ path }) => path.text === text) && read.startsWith(`${text}.`)
  const isAt = ({ text }: Path, read: string | undefined) => text === read || isWithin(text, read)
  return writes.length === reads.length && writes.every((path, at) => isAt(path, reads[at]?.text))
}

function clearField({ document, writes, refuse, ...field }: FieldMap, draft: WrittenRecord, parts: FieldParts): void {
  const { target, current, options } = draft
  if (options.isCreate) return
  const isAbsent = current !== undefined && isCleared(field.read(current, undefined), document)
  for (const path of writes) {
    const isElement = path.steps.some(({ type }) => type !== 'member')
    if (isElement || (document.clear === 'omit' && options.isWhole))
      writeAt(path, target, undefined, { current: currentFor(path, draft, parts) })
    else if (document.clear === 'object') writeAt({ ...path, steps: path.steps.slice(0, -1) }, target, null)
    else if (document.clear !== 'omit')
      writeAt(path, target, document.clear as JsonValue, completing(path, draft, parts))
    else if (!isAbsent) throw refuse(null, 'a value: this server cannot clear it')
  }
}

/** The value of another field of the row, else of the current record. */
function fieldValueOf(
  name: string,
  { values, current, options }: WrittenRecord,
  { fields }: FieldParts,
): JsonValue | undefined {
  if (Object.hasOwn(values, name)) return values[name]
  if (!current && options.record) return memberOf(options.record, name)
  const field = fields.find((each) => each.name === name)
  if (field) return current && field.read(current, undefined)
  return current && Object.hasOwn(current, name) ? current[name] : undefined
}

/** A server that replaces an object as a whole is sent what the record shows in it. */
function completing(path: Path, draft: WrittenRecord, parts: FieldParts) {
  const { update } = parts.document
  return { current: currentFor(path, draft, parts), isCompleted: !draft.options.isCreate && update?.sends !== 'merge' }
}

/** The elements of a list that are sent again have the shape in which they are written. */
function currentFor(path: Path, { current }: WrittenRecord, { own, document }: FieldParts): JsonObject | undefined {
  const at = path.steps.findIndex(({ type }) => type !== 'member')
  if (!current || !document.value || at < 0) return current
  const list = { text: path.text, steps: path.steps.slice(0, at) }
  const elements = readFirst(list, current)
  if (!Array.isArray(elements)) return current
  const shaped: JsonObject = {}
  const isWhole = at === path.steps.length - 1
  writeAt(list, shaped, elements.map(isWhole ? (element) => own.shaped([element]) : own.trimmed))
  return shaped
}

/**
 * The server must keep a value so that crm reads it back: CrmError with what it would keep. A field that is read elsewhere
 * than it is written is checked without its place.
 */
export function checkRoundTrip(fields: readonly FieldMap[], draft: WrittenRecord): void {
  const { target, current, values, options } = draft
  const record = options.isWhole ? target : { ...current, ...target }
  for (const field of fields) {
    const { name, writes } = field
    const value = values[name] ?? null
    const isSamePlace = isReadWhereWritten(field)
    if (!isSamePlace && value === null) continue
    const shown = asLists(target, writes)
    const raws = writes.map((path) => (isListPath(path) ? undefined : readFirst(path, shown)))
    const kept = isSamePlace
      ? field.read(asLists(record, writes), options.references)
      : field.decode(raws, options.references)
    if (field.isKept(kept, value) || isOwnId(field, value, raws)) continue
    if (!isSamePlace && writes.some(isListPath)) continue
    throw field.refuse(value, `a value that the server keeps unchanged; it would keep ${shortJson(kept)}`)
  }
}

/** A record that is named by its id is shown by its name. */
function isOwnId(
  { document: { ref } }: Pick<FieldMap, 'document'>,
  value: JsonValue,
  [raw]: readonly (JsonValue | undefined)[],
): boolean {
  return ref !== undefined && isSameJson(idText(raw) ?? null, idText(value) ?? null)
}
