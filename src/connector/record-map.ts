import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject, isSameJson, type JsonObject, type JsonValue, memberOf } from '../core/json.ts'
import { EXPECTED_LINKS, linksIn } from '../core/links.ts'
import { type CrmRecord, isReadOnly, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { PathText, ResourceDocument } from './document.ts'
import { compileField, type FieldMap, isOwnValue, type References } from './field-map.ts'
import { conversionOf } from './field-values.ts'
import { compileOwnNames, type OwnNames, systemHeads } from './own-names.ts'
import {
  compilePath,
  copyOf,
  headsOf,
  optionalPath,
  type Path,
  pathReader,
  readAll,
  readFirst,
  type Step,
  setMember,
  writeAt,
} from './paths.ts'
import {
  asLists,
  checkRoundTrip,
  type FieldParts,
  isContradicted,
  type WriteRecordOptions,
  type WrittenRecord,
  writeField,
} from './write-field.ts'

/** All values of a member, where the record shows one of several. */
export type ValuesOf = (record: CrmRecord, name: string) => readonly JsonValue[]

/** Translates the records of one resource between the server's members and crm's fields. */
export interface RecordMap {
  /**
   * In this order: `id` as text, the mapped fields as the document orders them (null when absent or cleared), `created_at`,
   * `updated_at` and `version`, then every other member under the server's own name. An own name that equals one of crm's is
   * shown with `_` after it. Without references, ids are shown instead of names.
   */
  read(server: JsonObject, references?: References): CrmRecord
  /**
   * The members that are sent, from `inside`. Null clears; on a create it is left out, since absent means the same. CrmError
   * `invalid_input` for read-only names, for values that the server cannot keep, and for a value that would be read back
   * differently. An own name goes to the place whose `names` it matches, else to the one in which the current record has it,
   * else to the first place without `names`.
   */
  write(fields: JsonObject, options: WriteRecordOptions): JsonObject
  readonly overruled: Overruled
  /** All values of a field that shows one element of a list, in a record that `read` returns from now on; else none. */
  collectValues(): ValuesOf
  /** Values as a record shows them that has them. */
  shown(values: JsonObject, beside: Beside): JsonObject
  idOf(server: JsonObject): string | undefined
  /** Where every record has its id; undefined: some have none. */
  readonly idPath?: PathText
  /** Whether these fields are written by completing what the record has now, so that it must be read before. */
  needsCurrent(fields: JsonObject): boolean
  /** Whether a name, crm's or the server's own, is shown but never written. */
  isReadOnly(name: string): boolean
  isDeleted(server: JsonObject): boolean
  /** Whether a record shows a value under the name that it was sent by: not that of a password, or of a member of a field. */
  showsSent(name: string): boolean
  /** The members of `inside` from which the fields are read, for servers that show only what they are asked for. */
  readonly readNames: readonly string[]
  /** The server's name of a member that no field maps; undefined for a field of crm, and for what every server sets. */
  ownNameOf(name: string): string | undefined
  /** The members of records that the document names, as they are shown. */
  readonly names: readonly string[]
  /** Those of them that hold lists or objects. */
  readonly nestedNames: readonly string[]
}

export interface MapNames {
  /** For messages. */
  readonly connector: string
  readonly resource: Resource
}

export function createRecordMap(document: ResourceDocument, { connector, resource }: MapNames): RecordMap {
  const fields = Object.entries(document.fields).map(([name, field]) =>
    compileField(name, field, { connector, fields: document.fields }),
  )
  const own = compileOwnNames(document, fields)
  const inside = insideReader(compilePath(document.inside))
  const idAt = pathReader(compilePath(document.id.at))
  const system = systemReaders(document)
  const deleted = optionalPath(document.deleted)
  const listed = new Map(fields.flatMap((field) => listedReader(field) ?? []))
  // Lists that need none of all values do without: keeping them takes longer than reading the record.
  let sources: WeakMap<CrmRecord, JsonObject> | undefined
  const readNames = [...new Set(fields.flatMap(({ reads }) => headsOf(reads)))]
  const hidden = new Set([...readNames, ...fields.filter(({ reads }) => reads.length === 0).map(({ name }) => name)])
  for (const { name, reads } of fields) if (reads.length > 0) hidden.delete(name)
  const writer = createRecordWriter({ document, fields, own, inside, connector, resource })
  const map: RecordMap = {
    read: (server, references) => {
      const inner = inside(server)
      const record: CrmRecord = own.start(inner)
      record.id = idText(idAt(server)) ?? null
      for (const field of fields) record[field.name] = field.read(inner, references)
      for (const field of system) record[field.name] = field.read(server)
      sources?.set(record, inner)
      return record
    },
    collectValues: () => {
      if (listed.size > 0) sources ??= new WeakMap()
      return (record, name) => {
        const inner = sources?.get(record)
        return (inner && listed.get(name)?.(inner)) ?? []
      }
    },
    shown: createShownValues(fields, document, own),
    write: writer.write,
    overruled: createOverruled(fields, own),
    needsCurrent: writer.needsCurrent,
    idOf: (server) => idText(idAt(server)),
    idPath: document.id.at,
    isReadOnly: writer.isReadOnly,
    isDeleted: (server) => deleted !== undefined && readFirst(deleted, server) === true,
    showsSent: (name) => !isReadOnly(name) && !hidden.has(name),
    // Where fields and system members are side by side, all of them must be asked for.
    readNames: [...new Set([...readNames, ...(document.inside === '.' ? systemHeads(document) : [])])],
    ownNameOf: own.ownNameOf,
    names: shownNames(document, fields),
    nestedNames: nestedNames(fields),
  }
  return isHandedThrough(document) ? { ...map, ...handedThrough(writer) } : map
}

/** Whether records of the server are those of crm. */
function isHandedThrough({ fields, others: [other, ...more], links, ...document }: ResourceDocument): boolean {
  const { id, created_at, updated_at, version, deleted, inside, read_only, value, clear } = document
  const places = [id.at, created_at?.at ?? 'created_at', updated_at?.at ?? 'updated_at', version ?? 'version', inside]
  return (
    isSameJson(places, ['id', 'created_at', 'updated_at', 'version', '.']) &&
    (document.open || (created_at ?? updated_at) === undefined) &&
    Object.entries(fields).every(([name, field]) => document.open && isOwnValue(name, field)) &&
    isSameJson([id.type, other?.at ?? null, more.length, read_only.length], ['string', '.', 0, 0]) &&
    clear === null &&
    (value ?? deleted ?? links) === undefined
  )
}

/** Nothing is copied, checked or compared: a list of such records takes no time for it. */
function handedThrough(writer: RecordWriter): Partial<RecordMap> {
  return {
    read: (server) => server,
    write: (fields, options) => (options.isWhole ? writer.write(fields, options) : fields),
    shown: (values) => values,
    overruled: () => new Map(),
    needsCurrent: () => false,
  }
}

/** Records in the server's own names. */
export const SERVER_RECORDS: Pick<RecordMap, 'read' | 'idOf' | 'idPath' | 'isDeleted'> = {
  read: (server) => server,
  idOf: ({ id }) => idText(id),
  isDeleted: () => false,
}

/** An own name that equals a field of crm is shown with `_` after it. */
function shownNames({ read_only }: ResourceDocument, fields: readonly FieldMap[]): readonly string[] {
  const heads = fields.flatMap(({ reads }) => headsOf(reads))
  return [...new Set([...fields.map(({ name }) => name), ...heads, ...heads.map((name) => `${name}_`), ...read_only])]
}

function nestedNames(fields: readonly FieldMap[]): readonly string[] {
  const mapped = new Set(fields.map(({ name }) => name))
  const heads = fields.flatMap(({ reads }) =>
    reads.flatMap(({ steps: [step, inner] }) => (step?.type === 'member' && inner ? [step.name] : [])),
  )
  return [...new Set(heads)].map((name) => (mapped.has(name) ? `${name}_` : name))
}

/** The object in which fields begin; an empty one where the server has none. */
function insideReader(path: Path): (server: JsonObject) => JsonObject {
  if (path.steps.length === 0) return (server) => server
  return (server) => {
    const inner = readFirst(path, server)
    return isJsonObject(inner) ? inner : {}
  }
}

type ListedReader = readonly [name: string, read: (inner: JsonObject) => readonly JsonValue[]]

/** Every value of a field that shows one element of a list, such as the primary email of several. */
function listedReader({ name, reads, document }: FieldMap): [ListedReader] | undefined {
  const [path, ...others] = reads
  const isConverted = document.join !== undefined || document.map !== undefined || document.ref !== undefined
  const isOneOfMany = ({ type }: Step) => type !== 'member' && type !== 'each'
  if (!path || others.length > 0 || isConverted || !path.steps.some(isOneOfMany)) return undefined
  const all: Path = { text: path.text, steps: path.steps.map((step) => (isOneOfMany(step) ? { type: 'each' } : step)) }
  const { read } = conversionOf(document.type, document.as)
  return [[name, (inner) => readAll(all, inner).map(read)]]
}

interface SystemField {
  readonly name: 'created_at' | 'updated_at' | 'version'
  read(server: JsonObject): JsonValue
}

function systemReaders({ created_at, updated_at, version }: ResourceDocument): readonly SystemField[] {
  const fields: SystemField[] = []
  for (const [name, place] of [
    ['created_at', created_at],
    ['updated_at', updated_at],
  ] as const) {
    if (!place) continue
    const [path, { read }] = [pathReader(compilePath(place.at)), conversionOf('time', place.as)]
    fields.push({ name, read: (server) => read(path(server) ?? null) })
  }
  if (version === undefined) return fields
  const path = compilePath(version)
  return [...fields, { name: 'version', read: (server) => readFirst(path, server) ?? null }]
}

/** Own members of a row that contradict a field which is written there, with the name of the field. */
type Overruled = (values: JsonObject, references?: References) => ReadonlyMap<string, string>

function createOverruled(fields: readonly FieldMap[], own: OwnNames): Overruled {
  const byHead = fields.map((field) => ({ field, heads: new Set(headsOf(field.writes)) }))
  return (values, references) => {
    const overruled = new Map<string, string>()
    for (const { field, heads } of byHead) {
      if (!Object.hasOwn(values, field.name)) continue
      const members = membersAt(heads, values, own)
      if (members.length === 0 || !isContradicted(field, draftOf(members, values, references))) continue
      for (const { name } of members) overruled.set(name, field.name)
    }
    return overruled
  }
}

function draftOf(members: readonly Member[], values: JsonObject, references: References | undefined): WrittenRecord {
  const target: JsonObject = {}
  for (const { name, head } of members) setMember(target, head, values[name] ?? null)
  const given = new Set(members.map(({ head }) => head))
  return { target, values, given, current: undefined, options: { isCreate: false, references } }
}

interface Member {
  readonly name: string
  /** The server's name. */
  readonly head: string
}

function membersAt(heads: ReadonlySet<string>, values: JsonObject, own: OwnNames): readonly Member[] {
  return Object.keys(values).flatMap((name) => {
    const head = own.ownNameOf(name)
    return head !== undefined && heads.has(head) ? [{ name, head }] : []
  })
}

interface Beside {
  readonly references: References
  /** Its values count where others are not given. */
  readonly record?: CrmRecord | undefined
}

/** Values as a record shows them that has them: the name of a stage in place of its id, a time in UTC. */
function createShownValues(
  fields: readonly FieldMap[],
  { links, value: shape }: ResourceDocument,
  own: OwnNames,
): (values: JsonObject, beside: Beside) => JsonObject {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return (values, beside) => {
    const shown = Object.entries(values).map(([name, value]): [string, JsonValue] => {
      if (links && Object.hasOwn(links.fields, name)) return [name, [...(linksIn(value) ?? [String(value)])]]
      const field = value === null ? undefined : byName.get(name)
      if (field) return [name, shownValue(field, value, { ...beside, values }) ?? value]
      return [name, shape?.lists ? own.shaped(value) : value]
    })
    return Object.fromEntries(shown)
  }
}

/** Undefined for a value that cannot be written, or whose shown form would be written differently. */
function shownValue(
  field: FieldMap,
  value: JsonValue,
  { references, values, record = {} }: Beside & { readonly values: JsonObject },
): JsonValue | undefined {
  const { writes, document } = field
  if (writes.length === 0) return undefined
  const fieldValue = (name: string) => (Object.hasOwn(values, name) ? values[name] : memberOf(record, name))
  const near = () =>
    Object.fromEntries(Object.entries(document.within).map(([their, own]) => [their, idText(fieldValue(own)) ?? '']))
  const names = {
    nameOf: (...[resource, id]: Parameters<References['nameOf']>) => references.nameOf(resource, id, near),
  }
  try {
    const wires = field.encode(value, { references, fieldValue })
    const shown = field.decode(wires, names)
    const isStable = isSameJson([...field.encode(shown, { references, fieldValue })], [...wires])
    return isStable ? shown : undefined
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}

interface WriterParts extends FieldParts {
  inside(server: JsonObject): JsonObject
  readonly connector: string
  readonly resource: Resource
}

interface RecordWriter {
  write(fields: JsonObject, options: WriteRecordOptions): JsonObject
  needsCurrent(fields: JsonObject): boolean
  isReadOnly(name: string): boolean
}

function createRecordWriter(parts: WriterParts): RecordWriter {
  const { document, own } = parts
  const byName = new Map(parts.fields.map((field) => [field.name, field]))
  const isOwnReadOnly = namePattern(document.read_only)
  // Where a list of one is shown as its element, an own member may be given so.
  const listed = document.value ? parts.fields.flatMap((field) => field.writes) : []
  const ownLists = ({ given }: WrittenRecord) => (document.value?.lists ? given : [])
  const parentField = document.parent === undefined ? undefined : `${document.parent}_id`
  const isLink = (name: string) => document.links !== undefined && Object.hasOwn(document.links.fields, name)
  const isNeverWritten = (name: string) => {
    const field = byName.get(name)
    return field ? field.writes.length === 0 : isReadOnly(name) || isOwnReadOnly(own.ownNameOf(name) ?? name)
  }
  const isElsewhere = (name: string, values: JsonObject) => {
    if (isLink(name)) refuseNoLinks(name, values[name], parts)
    return isLink(name) || (name === parentField && isNeverWritten(name))
  }
  return {
    isReadOnly: isNeverWritten,
    needsCurrent: (fields) =>
      Object.keys(fields).some((name) => !isLink(name) && needsCurrent(name, fields, { ...parts, byName })),
    write: (values, options) => {
      const current = options.current && parts.inside(options.current)
      const isLeftOut = (name: string) => isOwnReadOnly(name) || options.drop?.includes(name) === true
      const target = options.isWhole && current ? wholeOf(current, parts, isLeftOut) : {}
      const draft: WrittenRecord = { target, values, options, current, given: new Set() }
      // The path of the request names the parent.
      const names = Object.keys(values).filter((name) => !isElsewhere(name, values))
      for (const name of names) {
        if (isNeverWritten(name)) throw refusal(name, { what: 'is read-only', hint: `leave ${name} out` }, parts)
        if (!byName.has(name)) writeOwn(name, draft, parts)
      }
      const mapped = names.flatMap((name) => byName.get(name) ?? [])
      for (const field of mapped) writeField(field, draft, parts)
      refuseLoss(draft, { parts, mapped, isLeftOut })
      checkRequired(parts.fields, draft)
      checkRoundTrip(mapped, draft)
      return asLists(target, listed, ownLists(draft))
    },
  }
}

function refuseNoLinks(name: string, value: JsonValue | undefined, parts: WriterParts): void {
  if (linksIn(value)) return
  throw refusal(name, { what: `is ${JSON.stringify(value)}`, hint: EXPECTED_LINKS }, parts)
}

function refusal(
  name: string,
  { what, hint }: { what: string; hint: string },
  { connector, resource }: WriterParts,
): CrmError {
  const { singular } = RESOURCES[resource]
  return new CrmError('invalid_input', `${name} of a ${singular} ${what} (connector ${connector})`, { hint })
}

/** Writes a member under the server's own name. */
function writeOwn(name: string, { values, target, current, given, options }: WrittenRecord, parts: WriterParts): void {
  const { own, document } = parts
  const ownName = own.ownNameOf(name) ?? name
  const { path, hidden } = own.placeOf(ownName, current)
  if (hidden.has(ownName)) throw hiddenRefusal(name, hidden.get(ownName), parts)
  const value = values[name] ?? null
  if (value === null && options.isCreate) return
  if (value === null && document.clear === 'omit') {
    throw refusal(name, { what: 'cannot be cleared', hint: `leave ${name} out` }, parts)
  }
  const steps = [...path.steps, { type: 'member', name: ownName } as const]
  const place = { text: ownName, steps }
  const before = current && own.shaped(readFirst(place, current) ?? null)
  writeAt(place, target, value === null ? (document.clear as JsonValue) : completed(before ?? null, value))
  if (steps[0]?.type === 'member') given.add(steps[0].name)
}

/** The members of an object that are not named stay: most servers replace it whole. */
function completed(before: JsonValue, value: JsonValue): JsonValue {
  if (!isJsonObject(before) || !isJsonObject(value)) return value
  const members = Object.entries(value).map(
    ([name, inner]) => [name, completed(memberOf(before, name), inner)] as const,
  )
  return Object.fromEntries([...Object.entries(before), ...members])
}

function hiddenRefusal(name: string, shownAs: string | undefined, parts: WriterParts): CrmError {
  if (shownAs === undefined) return refusal(name, { what: 'cannot be written', hint: `leave ${name} out` }, parts)
  return refusal(name, { what: `is shown as ${shownAs}`, hint: `write ${shownAs} instead` }, parts)
}

/** Names with `*` for any characters. */
function namePattern(names: readonly string[]): (name: string) => boolean {
  if (names.length === 0) return () => false
  const quoted = names.map((name) =>
    name
      .split('*')
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
      .join('.*'),
  )
  const pattern = new RegExp(`^(?:${quoted.join('|')})$`, 's')
  return (name) => pattern.test(name)
}

function needsCurrent(
  name: string,
  fields: JsonObject,
  { byName, own, document }: Pick<WriterParts, 'own' | 'document'> & { byName: ReadonlyMap<string, FieldMap> },
): boolean {
  const field = byName.get(name)
  if (!field) return isJsonObject(fields[name]) || own.needsCurrent(own.ownNameOf(name) ?? name)
  const isMerged = document.update?.sends === 'merge'
  const isInner = field.writes.some(({ steps }) =>
    isMerged ? steps.some(({ type }) => type !== 'member') : steps.length > 1,
  )
  return isInner || Object.values(field.document.within).some((within) => !Object.hasOwn(fields, within))
}

function checkRequired(fields: readonly FieldMap[], { values, options }: WrittenRecord): void {
  if (!options.isCreate) return
  const isThere = (name: string) => (values[name] ?? null) !== null
  for (const { name, document, writes, refuse } of fields) {
    // A row may name the server's own members instead.
    if (document.required && !isThere(name) && !headsOf(writes).some(isThere))
      throw refuse(values[name], 'a value: the server requires it')
  }
}

/** The current record without what is never sent. */
function wholeOf(current: JsonObject, parts: WriterParts, isLeftOut: (name: string) => boolean): JsonObject {
  const { document } = parts
  const whole = copyOf(current) as JsonObject
  if (document.inside === '.') for (const name of systemHeads(document)) delete whole[name]
  for (const name of Object.keys(whole)) if (isLeftOut(name)) delete whole[name]
  const readOnlyFields = parts.fields.filter(({ writes }) => writes.length === 0)
  const written = new Set(parts.fields.flatMap(({ writes }) => writes.map(({ text }) => text)))
  for (const path of readOnlyFields.flatMap(({ reads }) => reads)) {
    if (path.steps.length === 1 && !written.has(path.text)) writeAt(path, whole, undefined)
  }
  return whole
}

/** What a record in crm's names shows of members that no field writes, by the server's names. */
function unwrittenIn(record: CrmRecord, { fields, own }: WriterParts): JsonObject {
  const shown = Object.entries(record).map(([name, value]) => [own.ownNameOf(name), value] as const)
  const readOnly = fields.flatMap(({ name, reads: [read], writes }) =>
    writes.length === 0 && read?.steps.length === 1 ? [[headsOf([read])[0], record[name] ?? null] as const] : [],
  )
  return Object.fromEntries([...shown, ...readOnly].filter(([name]) => name !== undefined))
}

interface Whole {
  readonly parts: WriterParts
  readonly mapped: readonly FieldMap[]
  readonly isLeftOut: (name: string) => boolean
}

/**
 * CrmError `invalid_input` where a record that is sent whole would lose a member that it shows: one that is neither sent, nor
 * changed, nor set by the server, nor named by `drop`. A server that replaces the record would delete it. Before the record is
 * read, the one of the plan shows it.
 */
function refuseLoss({ target, options, given }: WrittenRecord, { parts, mapped, isLeftOut }: Whole): void {
  const { current: server, record, drop = [], besides = [] } = options
  if (!options.isWhole || !(server || record)) return
  const inner = server ? parts.inside(server) : unwrittenIn(record ?? {}, parts)
  const sent = server ? target : wholeOf(inner, parts, isLeftOut)
  const { document, connector, resource } = parts
  const isNested = document.inside !== '.'
  const changed = headsOf(mapped.flatMap(({ writes }) => writes))
  const system = systemHeads(document)
  const kept = new Set([...Object.keys(sent), ...given, ...changed, ...drop, ...(isNested ? [] : system)])
  const outer = new Set([...headsOf([compilePath(document.inside)]), ...besides, ...drop, ...system])
  const losing = (shown: JsonObject, names: ReadonlySet<string>) =>
    Object.keys(shown).filter((name) => shown[name] !== null && !names.has(name))
  const lost = [...losing(inner, kept), ...(isNested && server ? losing(server, outer) : [])]
  if (lost.length === 0) return
  const { singular } = RESOURCES[resource]
  const names = lost.join(', ')
  throw new CrmError(
    'invalid_input',
    `the update sends the whole ${singular} and would leave out ${names}, which the record shows (connector ${connector})`,
    {
      hint: `expected drop: [${names}] in its update, if the server keeps them, or else no read_only for them; then crm connectors check`,
    },
  )
}
