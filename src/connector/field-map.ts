import { CrmError } from '../core/errors.ts'
import { canonicalJson, idText, isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import type { Resource } from '../core/resources/registry.ts'
import type { FieldDocument } from './document.ts'
import { type Conversion, conversionOf, isSameValue } from './field-values.ts'
import { compilePath, type Path, pathReader } from './paths.ts'
import { compileTemplate, type Template } from './templates.ts'

/** Names of other records, which were listed before. */
interface Names {
  /** Undefined for an id that no record has; of records with the same id, that with the fields of `within`. */
  nameOf(resource: Resource, id: string, within?: () => Readonly<Record<string, string>>): string | undefined
}

export interface References extends Names {
  /** CrmError for a name that no record, or more than one, has; `within` are fields that the record must have. */
  idOf(resource: Resource, name: string, within: Readonly<Record<string, string>>): string
}

/** What a value is written with: the other fields of the record, by crm's names. */
export interface EncodeOptions {
  readonly references: References | undefined
  readonly fieldValue: (name: string) => JsonValue | undefined
}

/** One field, compiled. */
export interface FieldMap {
  readonly name: string
  readonly document: FieldDocument
  readonly reads: readonly Path[]
  readonly writes: readonly Path[]
  /** What is written beside the value, with `{value}`. */
  readonly beside: readonly { readonly path: Path; readonly template: Template }[]
  /** The shown value; null for an absent or cleared one. */
  read(inner: JsonObject, references: Names | undefined): JsonValue
  /** What is written at each of `writes`; CrmError for a value that the field cannot have. */
  encode(value: JsonValue, options: EncodeOptions): readonly JsonValue[]
  /** The value that is shown for what `encode` returns. */
  decode(raws: readonly (JsonValue | undefined)[], references: Names | undefined): JsonValue
  /** Whether the value that would be read is the one that was written. */
  isKept(kept: JsonValue, value: JsonValue): boolean
  refuse(value: JsonValue | undefined, expected: string, hint?: string): CrmError
}

export interface FieldSurroundings {
  /** For messages. */
  readonly connector: string
  /** All fields of the resource. */
  readonly fields: Readonly<Record<string, FieldDocument>>
}

/** Compiles how a field is read and written. */
export function compileField(
  name: string,
  document: FieldDocument,
  { connector, fields }: FieldSurroundings,
): FieldMap {
  const reads = document.read.map(compilePath)
  const writes = document.write.map(compilePath)
  const refuse: FieldMap['refuse'] = (value, expected, hint) =>
    new CrmError('invalid_input', `${name} is ${shortJson(value)}, expected ${expected} (connector ${connector})`, {
      hint: hint ?? `correct ${name}`,
    })
  const convert = conversionOf(document.type, document.as)
  const decode = decoderOf(document, reads, convert)
  const readRaws = reads.map(pathReader)
  return {
    name,
    document,
    reads,
    writes,
    beside: Object.entries(document.set).map(([at, text]) => ({
      path: compilePath(at),
      template: compileTemplate(text),
    })),
    read: onlyIf(withinRecord(readerOf(document, readRaws, decode), document, fields), document.if),
    decode: (raws, references) =>
      raws.length === 1 && !document.join ? decode.one(raws[0], references) : decode.all(raws, references),
    encode: encoderOf(document, { writes, convert, refuse }),
    isKept: (kept, value) =>
      isSameValue(kept, document.one && !Array.isArray(value) ? [value] : value, document.type) ||
      (isCleared(kept, document) && isCleared(value, document)),
    refuse,
  }
}

/** Whether the field is the member of the same name, and at most its type is converted. */
export function isOwnValue(name: string, field: FieldDocument): boolean {
  const { read, write, map, ref, as, max, join, one, fold, clear } = field
  const isHere = read.length === 1 && [...read, ...write].every((path) => path === name)
  const isKept = !(map ?? ref ?? as ?? join ?? fold ?? field.if) && !one && max.length === 0 && clear === null
  return isHere && isKept && Object.keys({ ...field.set, ...field.new }).length === 0
}

/** A member that means another thing in other records, such as the id of a parent of any kind, is null there. */
function onlyIf(read: FieldMap['read'], conditions: FieldDocument['if'] = {}): FieldMap['read'] {
  const all = Object.entries(conditions).map(([at, pattern]) => {
    return [pathReader(compilePath(at)), new RegExp(pattern, 'u')] as const
  })
  if (all.length === 0) return read
  return (inner, references) =>
    all.every(([valueIn, pattern]) => pattern.test(idText(valueIn(inner)) ?? '')) ? read(inner, references) : null
}

/** The name of a record is sought among those that the other fields of this one point at. */
function withinRecord(
  read: FieldMap['read'],
  { ref, within }: FieldDocument,
  fields: FieldSurroundings['fields'],
): FieldMap['read'] {
  const others = Object.entries(within).map(([theirs, own]) => {
    const [path] = fields[own]?.read.map(compilePath) ?? []
    return [theirs, pathReader(path ?? { text: own, steps: [{ type: 'member', name: own }] })] as const
  })
  if (ref === undefined || others.length === 0) return read
  return (inner, references) => {
    const near = () => Object.fromEntries(others.map(([theirs, readRaw]) => [theirs, idText(readRaw(inner)) ?? '']))
    return read(inner, references && { nameOf: (resource, id) => references.nameOf(resource, id, near) })
  }
}

type RawReader = (inner: JsonObject) => Raw

function readerOf(document: FieldDocument, readRaws: readonly RawReader[], decode: Decoder): FieldMap['read'] {
  const [readRaw, ...others] = readRaws
  if (!readRaw || others.length > 0 || document.join) {
    return (inner, references) =>
      decode.all(
        readRaws.map((read) => read(inner)),
        references,
      )
  }
  const isConverted = document.map || document.ref || document.one || document.read.some((text) => text.includes('[]'))
  if (isConverted || document.clear !== null) return (inner, references) => decode.one(readRaw(inner), references)
  // The usual field: this runs for each of 100,000 records.
  const { read } = conversionOf(document.type, document.as)
  return (inner) => {
    const raw = readRaw(inner)
    return raw === undefined || raw === null ? null : read(raw)
  }
}

const SHOWN_CHARS = 60

export function shortJson(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS - 1).toWellFormed()}…`
}

export function isCleared(value: JsonValue | undefined, { clear }: Pick<FieldDocument, 'clear'>): boolean {
  if (value === null || value === undefined) return true
  if (clear === '') return value === ''
  return Array.isArray(clear) && Array.isArray(value) && value.length === 0
}

type Raw = JsonValue | undefined

export function isListPath({ steps }: Path): boolean {
  return steps.some(({ type }) => type === 'each')
}

interface Decoder {
  one(raw: Raw, references: Names | undefined): JsonValue
  all(raws: readonly Raw[], references: Names | undefined): JsonValue
}

function decoderOf(document: FieldDocument, reads: readonly Path[], conversion: Conversion): Decoder {
  const { map, ref, one: isOne, many, join, clear } = document
  const here = map && new Map(Object.entries(map).map(([name, there]) => [canonicalJson(there), name]))
  const element = (raw: JsonValue, references: Names | undefined): JsonValue => {
    if (here) return here.get(canonicalJson(raw)) ?? here.get(canonicalJson(withoutNulls(raw))) ?? raw
    if (ref !== undefined) {
      const id = idText(raw)
      return id === undefined ? raw : (references?.nameOf(ref, id) ?? id)
    }
    return conversion.read(raw)
  }
  const isList = reads.some(isListPath)
  const isEmptyText = clear === ''
  const mayBeEmpty = isList || Array.isArray(clear)
  const one: Decoder['one'] = (raw, references) => {
    if (raw === undefined || raw === null || (isEmptyText && raw === '')) return null
    if (Array.isArray(raw) && raw.length === 0 && mayBeEmpty) return many ? [] : null
    if (isList && Array.isArray(raw)) return raw.map((each) => element(each, references))
    const shown = element(raw, references)
    return isOne ? [shown] : shown
  }
  return {
    one,
    all: (raws, references) => {
      if (join) return joinedText(raws)
      const isAbsent = raws.every((raw) => raw === undefined || raw === null)
      return isAbsent
        ? null
        : one(
            raws.map((raw) => raw ?? null),
            references,
          )
    },
  }
}

/** A member that is null is absent, such as a filter that an event does not have. */
function withoutNulls(raw: JsonValue): JsonValue {
  if (!isJsonObject(raw)) return raw
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null))
}

interface Encoding extends Pick<FieldMap, 'writes' | 'refuse'> {
  readonly convert: Conversion
}

function encoderOf(document: FieldDocument, { writes, convert, refuse }: Encoding): FieldMap['encode'] {
  const { map, one, join, max } = document
  const isList = writes.some(isListPath)
  const element = (value: JsonValue, options: EncodeOptions): JsonValue => {
    const given = document.ref === undefined || map ? value : referred(document, value, options, refuse)
    const raw = map ? mapped(map, given) : convert.write(given)
    if (raw !== undefined) return raw
    const choices = map && Object.keys(map)
    throw refuse(value, choices ? `one of ${choices.slice(0, 20).join(', ')}` : convert.expected)
  }
  return (value, options) => {
    let raws: readonly JsonValue[]
    if (join) raws = splitParts(value, document, refuse)
    else if (isList) raws = [listOf(value).map((each) => element(each, options))]
    else {
      const raw = element(one ? onlyOf(value, refuse) : value, options)
      raws = writes.length === 1 ? [raw] : partsOf(raw, writes.length)
    }
    for (const [at, most] of max.entries()) checkLength(raws[at], { most, value, refuse })
    return raws
  }
}

/** The id of a named record, in the form of the server. */
function referred(
  { ref, within, as }: FieldDocument,
  value: JsonValue,
  { references, fieldValue }: EncodeOptions,
  refuse: FieldMap['refuse'],
): JsonValue {
  const name = idText(value)
  if (name === undefined || ref === undefined) throw refuse(value, `the name or id of a ${ref}`)
  const near = Object.entries(within).flatMap(([field, own]) => {
    const text = idText(fieldValue(own))
    return text === undefined ? [] : [[field, text] as const]
  })
  const id = references ? references.idOf(ref, name, Object.fromEntries(near)) : name
  const raw = conversionOf('id', as).write(id)
  if (raw === undefined) throw refuse(value, `the name of a ${ref}, or its id, which is a whole number`)
  return raw
}

function mapped(map: Readonly<Record<string, JsonValue>>, value: JsonValue): JsonValue | undefined {
  return typeof value === 'string' && Object.hasOwn(map, value) ? map[value] : undefined
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value]
}

function onlyOf(value: JsonValue, refuse: FieldMap['refuse']): JsonValue {
  const [only, ...others] = listOf(value)
  if (only === undefined || others.length > 0)
    throw refuse(value, 'exactly one value: the server keeps one for each record')
  return only
}

function partsOf(raw: JsonValue, count: number): readonly JsonValue[] {
  return Array.from({ length: count }, (_, at) => (Array.isArray(raw) ? (raw[at] ?? null) : null))
}

function splitParts(value: JsonValue, { write, lone }: FieldDocument, refuse: FieldMap['refuse']): readonly string[] {
  const text = idText(value)
  if (text === undefined) throw refuse(value, 'a text')
  return splitText(text, write.length, lone === 'last')
}

interface LengthCheck {
  readonly most: number
  readonly value: JsonValue
  readonly refuse: FieldMap['refuse']
}

function checkLength(raw: JsonValue | undefined, { most, value, refuse }: LengthCheck): void {
  if (typeof raw !== 'string' || raw.length <= most) return
  const length = [...raw].length
  if (length <= most) return
  throw refuse(value, `at most ${most} characters, not ${length}${raw === value ? '' : ` as in ${shortJson(raw)}`}`)
}

/** `Ada King Lovelace` of `Ada` and `King Lovelace`; null when every part is empty. */
export function joinedText(parts: readonly (JsonValue | undefined)[]): string | null {
  const texts = parts.flatMap((part) => {
    const text = idText(part)
    return text === undefined || text === '' ? [] : [text]
  })
  return texts.length === 0 ? null : texts.join(' ')
}

/** Splits at the first spaces; the last part has the rest. Missing parts, after a lone word or before it, are empty. */
function splitText(text: string, count: number, isLoneLast = false): readonly string[] {
  const words = text.split(' ')
  if (isLoneLast && words.length === 1) return [...Array.from({ length: count - 1 }, () => ''), text]
  return Array.from({ length: count }, (_, at) => (at < count - 1 ? (words[at] ?? '') : words.slice(at).join(' ')))
}

/**
 * Splits a text some of whose parts are known (`Anna Maria`, then the rest); undefined when they are no parts of it. Of more
 * than two parts, all or none must be known.
 */
export function splitAround(text: string, known: readonly (string | undefined)[]): readonly string[] | undefined {
  const parts = known.filter((part) => part !== undefined)
  if (parts.length === known.length) return (joinedText(parts) ?? '') === text ? parts : undefined
  const [first, last] = known
  if (known.length !== 2) return undefined
  if (first !== undefined)
    return text === first || text.startsWith(`${first} `) ? [first, text.slice(first.length + 1)] : undefined
  if (last === undefined) return undefined
  return text === last || text.endsWith(` ${last}`) ? [text.slice(0, -last.length - 1), last] : undefined
}
