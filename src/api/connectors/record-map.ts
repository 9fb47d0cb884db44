import { idText, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord, Resource } from '../../core/resources/registry.ts'
import { createAllValues, type ValuesOf } from './all-values.ts'
import type { ResourceDocument } from './document.ts'
import { compileField, type FieldMap, type References } from './field-map.ts'
import { programConversion, type RunProgram } from './field-program.ts'
import { conversionOf } from './field-values.ts'
import { createOverruled, type Overruled } from './overruled.ts'
import { compileOwnNames } from './own-names.ts'
import { pathReader } from './path-reader.ts'
import { compilePath, type Path, readFirst } from './paths.ts'
import { createRecordWriter } from './record-writer.ts'
import { type Beside, createShownValues } from './shown-values.ts'
import type { WriteRecordOptions } from './write-field.ts'

/** Translates the records of one resource between the server's members and crm's fields. */
export interface RecordMap {
  /** Records are not changed at all. */
  readonly isPlain: boolean
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

/** `run` is needed for fields with programs. */
export function createRecordMap(
  document: ResourceDocument,
  { connector, resource }: MapNames,
  run?: RunProgram,
): RecordMap {
  const fields = Object.entries(document.fields).map(([name, field]) => {
    const conversion = field.jq && run && programConversion(field.jq, run)
    return compileField(name, field, { connector, fields: document.fields, conversion })
  })
  const own = compileOwnNames(document, fields)
  const inside = insideReader(compilePath(document.inside))
  const idAt = pathReader(compilePath(document.id.at))
  const system = systemReaders(document)
  const deleted = document.deleted === undefined ? undefined : compilePath(document.deleted)
  const allValues = createAllValues(fields)
  const readNames = [...new Set(fields.flatMap(headNames))]
  const hidden = new Set([...readNames, ...fields.filter(({ reads }) => reads.length === 0).map(({ name }) => name)])
  for (const { name, reads } of fields) if (reads.length > 0) hidden.delete(name)
  const writer = createRecordWriter({ document, fields, own, inside, connector, resource })
  return {
    isPlain: isPlain(document),
    read: (server, references) => {
      const inner = inside(server)
      const record: CrmRecord = own.start(inner)
      record.id = idText(idAt(server)) ?? null
      for (const field of fields) record[field.name] = field.read(inner, references)
      for (const field of system) record[field.name] = field.read(server)
      allValues.keep(record, inner)
      return record
    },
    collectValues: allValues.collect,
    shown: createShownValues(fields),
    write: writer.write,
    overruled: createOverruled(fields, own),
    needsCurrent: writer.needsCurrent,
    idOf: (server) => idText(idAt(server)),
    isReadOnly: writer.isReadOnly,
    isDeleted: (server) => deleted !== undefined && readFirst(deleted, server) === true,
    showsSent: (name) => name !== 'id' && !hidden.has(name),
    readNames: [...new Set([...readNames, ...systemHeads(document)])],
    ownNameOf: own.ownNameOf,
    names: shownNames(document, fields),
    nestedNames: nestedNames(fields),
  }
}

/** An own name that equals a field of crm is shown with `_` after it. */
function shownNames({ readOnly }: ResourceDocument, fields: readonly FieldMap[]): readonly string[] {
  const heads = fields.flatMap(headNames)
  return [...new Set([...fields.map(({ name }) => name), ...heads, ...heads.map((name) => `${name}_`), ...readOnly])]
}

function nestedNames(fields: readonly FieldMap[]): readonly string[] {
  const mapped = new Set(fields.map(({ name }) => name))
  const heads = fields.flatMap(({ reads }) =>
    reads.flatMap(({ steps: [step, inner] }) => (step?.type === 'member' && inner ? [step.name] : [])),
  )
  return [...new Set(heads)].map((name) => (mapped.has(name) ? `${name}_` : name))
}

function headNames({ reads }: FieldMap): readonly string[] {
  return reads.flatMap(({ steps: [step] }) => (step?.type === 'member' ? [step.name] : []))
}

/** Where fields and system members are side by side, all of them must be asked for. */
function systemHeads({ inside, id, createdAt, updatedAt, version, deleted }: ResourceDocument): readonly string[] {
  const paths = inside === '.' ? [id.at, createdAt?.at, updatedAt?.at, version, deleted] : []
  return paths.flatMap((path) => {
    const [step] = path === undefined ? [] : compilePath(path).steps
    return step?.type === 'member' ? [step.name] : []
  })
}

/** The object in which fields begin; an empty one where the server has none. */
function insideReader(path: Path): (server: JsonObject) => JsonObject {
  if (path.steps.length === 0) return (server) => server
  return (server) => {
    const inner = readFirst(path, server)
    return isJsonObject(inner) ? inner : {}
  }
}

interface SystemField {
  readonly name: 'created_at' | 'updated_at' | 'version'
  read(server: JsonObject): JsonValue
}

function systemReaders({ createdAt, updatedAt, version }: ResourceDocument): readonly SystemField[] {
  const fields: SystemField[] = []
  for (const [name, place] of [
    ['created_at', createdAt],
    ['updated_at', updatedAt],
  ] as const) {
    if (!place) continue
    const [path, { read }] = [pathReader(compilePath(place.at)), conversionOf('time', place.as)]
    fields.push({ name, read: (server) => read(path(server) ?? null) })
  }
  if (version === undefined) return fields
  const path = compilePath(version)
  return [...fields, { name: 'version', read: (server) => readFirst(path, server) ?? null }]
}

function isPlain({
  fields,
  id,
  createdAt,
  updatedAt,
  version,
  inside,
  others,
  readOnly,
  value,
  clear,
}: ResourceDocument): boolean {
  const [first, ...more] = others
  return (
    Object.keys(fields).length === 0 &&
    id.at === 'id' &&
    id.type === 'string' &&
    createdAt === undefined &&
    updatedAt === undefined &&
    (version === undefined || version === 'version') &&
    inside === '.' &&
    first?.at === '.' &&
    more.length === 0 &&
    readOnly.length === 0 &&
    value === undefined &&
    clear === null
  )
}
