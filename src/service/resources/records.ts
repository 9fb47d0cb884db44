import { READ_ONLY_FIELDS, recordPath, type StoredResource } from '../../core/resources/registry.ts'
import type { EventKind } from '../../core/webhook-events.ts'
import { type JsonNode, type Members, nodeText, parseJsonText } from '../json-text.ts'
import { invalidValue, invalidValues, notFound, type Problem } from '../problem.ts'
import type { ChangedMembers } from '../store/history.ts'
import type { OutboxEvent, RecordChange, StoredRecord, WriteAnswer, WriteState } from '../store/store.ts'
import { type CheckedWrite, type ExpectedVersions, requireVersion } from '../write.ts'
import { pointer, requireMember } from './rules.ts'

const MAX_RECORD_BYTES = 64 * 1024

type ReadOnlyField = (typeof READ_ONLY_FIELDS)[number]

/** The parts of a record: members sent by clients, and members set by the service. */
interface RecordParts {
  readonly fields: Members
  readonly own: Readonly<Record<ReadOnlyField, JsonNode>>
}

export function creationChange(
  state: WriteState,
  {
    resource,
    fields,
    event,
  }: { readonly resource: StoredResource; readonly fields: Members; readonly event: EventKind | undefined },
): RecordChange {
  const values = nodeText(fields)
  const text = newRecordText(state, values)
  return {
    next: { text, version: 1 },
    event: event && eventOf(event, timeText(state.nowMs), text),
    changed: () => ({
      ...{ action: 'created', version: 1, oldValues: null, previousAtMs: null },
      fields: namesOf(fields),
      newValues: values,
    }),
    answer: { status: 201, body: text, location: recordPath(resource).replace('{id}', state.id), etag: '"1"' },
  }
}

/** The record to change. Throws a Problem when it does not exist or is at another version. */
export function requireRecord(
  resource: StoredResource,
  { id, current }: WriteState,
  expected?: ExpectedVersions,
): StoredRecord {
  if (!current) throw notFound(resource, id)
  requireVersion(expected, current.version)
  return current
}

/** The text of a new record. `values`: its members without those that the service sets. */
export function newRecordText({ id, nowMs }: WriteState, values: string): string {
  const members = values === '{}' ? '' : `${values.slice(1, -1)},`
  const time = timeText(nowMs)
  return withinSize(`{"id":"${id}",${members}"created_at":"${time}","updated_at":"${time}","version":1}`)
}

/** A patch without changes keeps the version and sends no event. */
export function patchChange(
  state: WriteState,
  current: StoredRecord,
  patch: Members,
  event: EventKind | undefined,
): RecordChange {
  const { fields, own } = recordParts(current.text)
  const fieldPatch = withoutReadOnly(patch, own)
  const nextFields = mergeMembers(fields, fieldPatch)
  const previous = changedMembers(fields, nextFields)
  if (previous.size === 0) {
    return { next: current, answer: okAnswer(current.text, current.version) }
  }
  requireMember(nextFields)
  const version = current.version + 1
  const time = timeText(state.nowMs)
  const text = recordText({
    fields: nextFields,
    own: { ...own, updated_at: JSON.stringify(time), version: `${version}` },
  })
  return {
    next: { text, version },
    event: event && eventOf(event, time, text, nodeText(previous)),
    changed: () => ({
      ...{ action: 'updated', version, fields: namesOf(previous), oldValues: nodeText(previous) },
      newValues: nodeText(new Map([...previous.keys()].map((name) => [name, nextFields.get(name) ?? 'null']))),
      previousAtMs: timeOf(own.updated_at),
    }),
    answer: okAnswer(text, version),
  }
}

/** With the kind of event for each note of a removed deal. */
export function deletionChange(
  state: WriteState,
  current: StoredRecord,
  event: EventKind | undefined,
  noteEvent?: EventKind,
): RecordChange {
  const time = timeText(state.nowMs)
  return {
    next: undefined,
    event: event && eventOf(event, time, current.text),
    noteEvents: noteEvent && { kind: noteEvent, eventOf: (text) => eventOf(noteEvent, time, text) },
    changed: () => deletedMembers(current),
    answer: { status: 204, body: '', location: undefined, etag: undefined },
  }
}

/** Also deletes the notes of a deal, and the deliveries of a subscription with their log: attempts in progress are not aborted. */
export function recordDeletion(resource: StoredResource, id: string, expected: ExpectedVersions): CheckedWrite {
  const event: EventKind | undefined = resource === 'webhook' ? undefined : `${resource}.deleted`
  const noteEvent = resource === 'deal' ? 'note.deleted' : undefined
  return {
    resource,
    id,
    decide: (state) => deletionChange(state, requireRecord(resource, state, expected), event, noteEvent),
  }
}

/** Its values are erased with those of earlier changes. */
function deletedMembers({ version, text }: StoredRecord): ChangedMembers {
  const { updated_at } = JSON.parse(text) as { updated_at?: unknown }
  const none = { fields: '[]', oldValues: null, newValues: null }
  return { action: 'deleted', version, ...none, previousAtMs: timeOf(JSON.stringify(updated_at ?? null)) }
}

function namesOf(members: Members): string {
  return JSON.stringify([...members.keys()])
}

/** The time in a member; null where it has none. */
function timeOf(node: JsonNode): number | null {
  const timeMs = Date.parse(nodeText(node).slice(1, -1))
  return Number.isNaN(timeMs) ? null : timeMs
}

function recordText({ fields, own }: RecordParts): string {
  const { id, ...rest } = own
  return withinSize(nodeText(new Map<string, JsonNode>([['id', id], ...fields, ...Object.entries(rest)])))
}

/** Throws a Problem for a record that is too large. */
function withinSize(text: string): string {
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes <= MAX_RECORD_BYTES) return text
  const detail = `the record would have ${sizeBytes} bytes, expected at most ${MAX_RECORD_BYTES}`
  throw invalidValue('#', 'too_large', detail)
}

function recordParts(text: string): RecordParts {
  const fields = new Map(parseJsonText(text) as Members)
  const take = (name: ReadOnlyField): JsonNode => {
    const value = fields.get(name) ?? 'null'
    fields.delete(name)
    return value
  }
  const own = {
    id: take('id'),
    created_at: take('created_at'),
    updated_at: take('updated_at'),
    version: take('version'),
  }
  return { fields, own }
}

/** Unchanged read-only members are accepted, so that a fetched and edited record can be sent whole. */
function withoutReadOnly(patch: Members, own: RecordParts['own']): Members {
  const changed = READ_ONLY_FIELDS.filter((name) => patch.has(name) && nodeText(patch.get(name) ?? '') !== own[name])
  if (changed.length > 0) {
    throw readOnly(changed)
  }
  const fields = new Map(patch)
  for (const name of READ_ONLY_FIELDS) fields.delete(name)
  return fields
}

export function readOnly(names: readonly string[]): Problem {
  const detail = 'read-only: remove it from the request'
  return invalidValues(names.map((name) => ({ pointer: pointer(name), code: 'read_only', detail })))
}

/** The old values of changed members; null for members that were missing. */
function changedMembers(before: Members, after: Members): Members {
  const names = new Set([...before.keys(), ...after.keys()])
  const changed = new Map<string, JsonNode>()
  for (const name of names) {
    const old = before.get(name)
    const next = after.get(name)
    const isSame = old !== undefined && next !== undefined && nodeText(old) === nodeText(next)
    if (!isSame) changed.set(name, old ?? 'null')
  }
  return changed
}

/** An event about a record that is not changed. */
export function eventAbout({ nowMs }: WriteState, { text }: StoredRecord, kind: EventKind): OutboxEvent {
  return eventOf(kind, timeText(nowMs), text)
}

function eventOf(kind: EventKind, time: string, data: string, previous?: string): OutboxEvent {
  const tail = previous === undefined ? '' : `,"previous":${previous}`
  return { kind, text: `{"type":"${kind}","timestamp":"${time}","data":${data}${tail}}` }
}

export function okAnswer(body: string, version: number): WriteAnswer {
  return { status: 200, body, location: undefined, etag: `"${version}"` }
}

/** A time in a response; null for none. */
export function timeText<T extends number | null | undefined>(timeMs: T): T extends number ? string : string | null {
  return (timeMs === undefined || timeMs === null ? null : new Date(timeMs).toISOString()) as ReturnType<
    typeof timeText<T>
  >
}

/** RFC 7396. */
export function mergePatch(target: JsonNode, patch: JsonNode): JsonNode {
  if (typeof patch === 'string') return patch
  return mergeMembers(typeof target === 'string' ? new Map() : target, patch)
}

/** Applies a patch to an object. Kept members keep their position; new ones are appended. */
function mergeMembers(target: Members, patch: Members): Members {
  const merged = new Map(target)
  for (const [name, value] of patch) {
    if (value === 'null') merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name) ?? 'null', value))
  }
  return merged
}
