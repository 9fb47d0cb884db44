import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, memberOf } from '../core/json.ts'
import { type CrmRecord, isReadOnly, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { FieldMap } from './field-map.ts'
import { systemHeads } from './own-names.ts'
import { compilePath, copyOf, headsOf, readFirst, writeAt } from './paths.ts'
import {
  asLists,
  checkRoundTrip,
  type FieldParts,
  type WriteRecordOptions,
  type WrittenRecord,
  writeField,
} from './write-field.ts'

interface WriterParts extends FieldParts {
  inside(server: JsonObject): JsonObject
  readonly connector: string
  readonly resource: Resource
}

export interface RecordWriter {
  write(fields: JsonObject, options: WriteRecordOptions): JsonObject
  needsCurrent(fields: JsonObject): boolean
  isReadOnly(name: string): boolean
}

export function createRecordWriter(parts: WriterParts): RecordWriter {
  const { document, own } = parts
  const byName = new Map(parts.fields.map((field) => [field.name, field]))
  const isOwnReadOnly = namePattern(document.read_only)
  // Where a list of one is shown as its element, an own member may be given so.
  const listed = document.value ? parts.fields.flatMap((field) => field.writes) : []
  const parentField = document.parent === undefined ? undefined : `${document.parent}_id`
  const isNeverWritten = (name: string) => {
    const field = byName.get(name)
    return field ? field.writes.length === 0 : isReadOnly(name) || isOwnReadOnly(own.ownNameOf(name) ?? name)
  }
  return {
    isReadOnly: isNeverWritten,
    needsCurrent: (fields) => Object.keys(fields).some((name) => needsCurrent(name, fields, { ...parts, byName })),
    write: (values, options) => {
      const current = options.current && parts.inside(options.current)
      const isLeftOut = (name: string) => isOwnReadOnly(name) || options.drop?.includes(name) === true
      const target = options.isWhole && current ? wholeOf(current, parts, isLeftOut) : {}
      const draft: WrittenRecord = { target, values, options, current, given: new Set() }
      // The path of the request names the parent.
      const names = Object.keys(values).filter((name) => name !== parentField || !isNeverWritten(name))
      for (const name of names) {
        if (isNeverWritten(name)) throw refusal(name, { what: 'is read-only', hint: `leave ${name} out` }, parts)
        if (!byName.has(name)) writeOwn(name, draft, parts)
      }
      const mapped = names.flatMap((name) => byName.get(name) ?? [])
      for (const field of mapped) writeField(field, draft, parts)
      refuseLoss(draft, { parts, mapped, isLeftOut })
      checkRequired(parts.fields, draft)
      checkRoundTrip(mapped, draft)
      return asLists(target, listed)
    },
  }
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
  for (const { name, document, refuse } of fields) {
    if (document.required && (values[name] ?? null) === null)
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
