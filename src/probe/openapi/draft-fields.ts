import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Resource } from '../../core/resources/registry.ts'
import { escaped } from './record-places.ts'
import type { Schemas, SchemaView } from './schemas.ts'
import { fieldNames, foldedName } from './server-names.ts'
import { channelPlace, valuePlace, valueType } from './value-places.ts'

/** What is known of the members of a record. */
export interface RecordMembers {
  readonly schemas: Schemas
  /** Of answers. */
  readonly read: SchemaView
  /** Of the bodies of create and update; undefined if the document does not describe them. */
  readonly write: SchemaView | undefined
  /** Resources of the draft with a list. */
  readonly hasStages: boolean
}

export interface DraftFields {
  readonly fields: JsonObject
  /** Names of the server that a field stands for. */
  readonly mapped: ReadonlySet<string>
}

/** The fields of crm that the record has, in the grammar of connectors. */
export function draftFields(resource: Resource, members: RecordMembers, joined?: readonly string[]): DraftFields {
  const fields: JsonObject = {}
  const mapped = new Set<string>()
  const views = [members.write, members.read].filter((view) => view !== undefined)
  if (joined) {
    fields.name = {
      join: joined.map(escaped),
      ...clearOf(joined, members),
      ...maxima(joined.map((each) => limitOf(members, each))),
    }
    for (const each of joined) mapped.add(each)
  }
  for (const [field, names] of Object.entries(fieldNames(resource))) {
    if (fields[field] !== undefined) continue
    const found = namedField(field, names, { views, mapped, resource, members }) ?? channelField(field, members)
    if (!found) continue
    fields[field] = found.made
    mapped.add(found.server)
  }
  const { stage, pipeline_id: pipeline } = fields
  if (resource === 'deal' && typeof stage === 'object' && stage && 'ref' in stage && pipeline !== undefined) {
    fields.stage = { ...stage, within: { pipeline_id: 'pipeline_id' } }
  }
  return { fields, mapped }
}

interface FoundField {
  /** The member of the server. */
  readonly server: string
  readonly made: JsonValue
}

function namedField(
  field: string,
  names: readonly string[],
  { views, mapped, resource, members }: FieldContext & Pick<Search, 'views' | 'mapped'>,
): FoundField | undefined {
  const server = bestMember(names, { views, mapped, members, field })
  const made = server === undefined ? undefined : fieldAt(field, server, { resource, members })
  return server === undefined || made === undefined ? undefined : { server, made }
}

function channelField(field: string, { read, write, schemas }: RecordMembers): FoundField | undefined {
  const channel = channelPlace(field, write ?? read, schemas)
  if (!channel) return undefined
  return { server: channel.server, made: field === 'email' ? { at: channel.path, fold: 'case' } : channel.path }
}

interface Search {
  readonly views: readonly SchemaView[]
  readonly mapped: ReadonlySet<string>
  readonly members: RecordMembers
  readonly field: string
}

/** A member that can be written is better than one of answers alone, or one that the document calls read-only. */
function bestMember(names: readonly string[], { views, mapped, members, field }: Search): string | undefined {
  const found = views.flatMap((view) =>
    names.flatMap((name) =>
      [...view.members.keys()].filter(
        (each) => foldedName(each) === name && !mapped.has(each) && isOfField(field, members, each),
      ),
    ),
  )
  return found.find((name) => !isReadOnly(members, name)) ?? found[0]
}

function isReadOnly({ schemas, read, write }: RecordMembers, name: string): boolean {
  return [write, read].some((view) => view !== undefined && schemas.member(view, name)?.isReadOnly === true)
}

/** A company's name is no number, and a time is no amount. */
function isOfField(field: string, { schemas, read, write }: RecordMembers, name: string): boolean {
  const view = (write && schemas.member(write, name)) ?? schemas.member(read, name)
  if (!view) return false
  const isNumber = view.type === 'integer' || view.type === 'number'
  if (['name', 'company', 'email', 'url', 'body'].includes(field)) return !isNumber && view.type !== 'boolean'
  if (field === 'amount') return view.format !== 'date-time' && view.format !== 'date' && view.type !== 'boolean'
  return view.type !== 'boolean'
}

/** A name of one word clears the other half, for which the document may not take null. */
function clearOf(names: readonly string[], { schemas, write }: RecordMembers): JsonObject {
  const views = names.map((name) => write && schemas.member(write, name))
  return views.every((view) => view?.type === 'string' && !view.isNullable) ? { clear: '' } : {}
}

function limitOf({ schemas, read, write }: RecordMembers, name: string): number | undefined {
  const view = (write && schemas.member(write, name)) ?? schemas.member(read, name)
  return view?.maxLength
}

function maxima(limits: readonly (number | undefined)[]): JsonObject {
  const known = limits.filter((limit) => limit !== undefined)
  return known.length === limits.length ? { max: known } : {}
}

interface FieldContext {
  readonly resource: Resource
  readonly members: RecordMembers
}

function fieldAt(field: string, server: string, { resource, members }: FieldContext): JsonValue | undefined {
  const { schemas, read, write } = members
  const readView = schemas.member(read, server)
  const writeView = write && schemas.member(write, server)
  const isWritable = writeView !== undefined || !write || write.members.size === 0
  const readPlace = readView && valuePlace(field, server, readView, schemas)
  const writePlace = writeView ? valuePlace(field, server, writeView, schemas) : readPlace
  const place = readPlace ?? writePlace
  if (!place || !writePlace) return undefined
  const paths = pathsOf(place.path, isWritable && !readView?.isReadOnly ? writePlace.path : undefined)
  const extras = {
    ...paths,
    ...(writePlace.new && isWritable && { new: writePlace.new }),
    ...valueType(field, { resource, server, view: place.view, hasStages: members.hasStages }),
    ...(isWritable && write?.required.has(server) && { required: true }),
    ...(isWritable && writePlace.view.maxLength !== undefined && { max: writePlace.view.maxLength }),
    ...(field === 'email' && { fold: 'case' }),
  }
  const { at, ...more } = extras as JsonObject
  return at !== undefined && Object.keys(more).length === 0 ? at : extras
}

function pathsOf(read: string, write: string | undefined): JsonObject {
  if (write === undefined) return { read }
  return read === write ? { at: read } : { read, write }
}
