import type { Api } from '../api/api.ts'
import { allNotes } from '../api/note-lists.ts'
import type { Page } from '../api/operations.ts'
import { unaskedText } from '../core/asked-members.ts'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, parseExactJson } from '../core/json.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import {
  type CrmRecord,
  type ListedResource,
  RECORD_RESOURCES,
  RESOURCES,
  type Resource,
} from '../core/resources/registry.ts'
import { linesOf } from '../files/lines.ts'
import { toMachineError } from '../files/machine-error.ts'

/** A line of a snapshot between the first and the last one. */
export interface SnapshotEntry {
  /** The singular of its object. */
  readonly type: string
  readonly record: CrmRecord
  /** In the file, counted from 1; undefined for a record of a server. */
  readonly line?: number
}

/** The plurals of the objects of a snapshot, by their singulars. */
type SnapshotObjects = Readonly<Record<string, string>>

/** The first line. */
interface SnapshotStart {
  readonly crm_snapshot: 1
  readonly server: string
  readonly taken_at: string
  /** Absent in snapshots of earlier versions: contacts and deals without those that `lacks` names. */
  readonly objects: SnapshotObjects
}

/** The last line: the number of records of each list. Without it the snapshot is truncated. */
type SnapshotEnd = { readonly type: 'end' } & Readonly<Record<string, number | 'end'>>

const BATCH_LINES = 500

/** Stands for stdin in place of a file name. */
const STDIN = '-'

/** Stands for the current records of the server in place of a file name. */
const LIVE = 'live'

export interface SnapshotSources {
  api(): Promise<Api>
  stdin(): AsyncIterable<Uint8Array | string>
}

export interface OpenSnapshot {
  readonly objects: SnapshotObjects
  readonly entries: AsyncIterable<readonly SnapshotEntry[]>
}

/** An argument of `crm diff`: `live` requests the server, `-` reads stdin. */
export async function openSnapshot(
  source: string,
  { api, stdin }: SnapshotSources,
  what: SnapshotRequest,
): Promise<OpenSnapshot> {
  if (source !== LIVE) return readSnapshot(source, stdin)
  const live = await api()
  const objects = listedObjects(live, what)
  return { objects, entries: liveEntries(live, objects) }
}

/** What a snapshot is to have. */
export interface SnapshotRequest {
  /** Nouns; undefined: all that the server lists whole. */
  readonly only: readonly string[] | undefined
  /** The notes, too: where the server has no list of them all, a request for each record that may have some. */
  readonly hasNotes: boolean
}

/** What a server lists whole, of these nouns if they are given. CrmError `usage` for one that it does not list. */
export function listedObjects(
  { connector, require }: Pick<Api, 'connector' | 'require'>,
  { only, hasNotes }: SnapshotRequest,
): SnapshotObjects {
  if (hasNotes) require('note', 'list')
  const all = Object.entries<ResourceDefinition>(RESOURCES).filter(([name]) => {
    return RECORD_RESOURCES.some((each) => each === name) && connector.hasOneList(name as Resource)
  })
  const objects = all.map(([name, { plural }]) => [name, plural] as const)
  const missing = only?.find((noun) => !objects.some(([, plural]) => plural === noun))
  if (missing !== undefined)
    throw new CrmError('usage', `--only: the server has no list of ${JSON.stringify(missing)}`, {
      hint: `expected ${objects.map(([, plural]) => plural).join(', ')}`,
    })
  if (objects.length === 0)
    throw new CrmError('not_supported', `${connector.name} (connector) has no list of records`, { hint: 'crm objects' })
  const chosen = objects.filter(([, plural]) => !only || only.includes(plural))
  return { ...Object.fromEntries(chosen), ...(hasNotes && { note: RESOURCES.note.plural }) }
}

/** A file written by `crm snapshot`. CrmError `invalid_input` for any other, and while a truncated file is read. */
export async function readSnapshot(
  file: string,
  stdin: () => AsyncIterable<Uint8Array | string>,
): Promise<OpenSnapshot> {
  const lines = snapshotLines(file, stdin)
  const { value, done } = await lines.next()
  if (done) throw new CrmError('invalid_input', `${file} is empty`, { hint: 'crm snapshot > before.ndjson' })
  const start = parseLine(file, 1, value)
  checkFirstLine(file, start)
  const objects = objectsIn(start)
  return { objects, entries: entriesBehindStart({ file, objects }, lines) }
}

function objectsIn({ objects, lacks }: JsonObject): SnapshotObjects {
  if (isJsonObject(objects))
    return Object.fromEntries(Object.entries(objects).map(([name, noun]) => [name, String(noun)]))
  const earlier = Object.entries({ contact: 'contacts', deal: 'deals' })
  return Object.fromEntries(earlier.filter(([, noun]) => !(Array.isArray(lacks) && lacks.includes(noun))))
}

interface SnapshotFile {
  readonly file: string
  readonly objects: SnapshotObjects
}

async function* entriesBehindStart(
  { file, objects }: SnapshotFile,
  lines: AsyncIterable<string>,
): AsyncGenerator<SnapshotEntry[]> {
  let line = 1
  let counted = 0
  let batch: SnapshotEntry[] = []
  let end: JsonObject | undefined
  for await (const text of lines) {
    line += 1
    const value = parseLine(file, line, text)
    if (end) throw notASnapshot(file, line, 'follows the end of the snapshot')
    else if (value.type === 'end') end = value
    else batch.push(entryOf({ file, objects }, line, value))
    if (batch.length < BATCH_LINES) continue
    counted += batch.length
    yield batch
    batch = []
  }
  counted += batch.length
  yield batch
  const stated = Object.values(objects).reduce((sum, noun) => sum + Number(end?.[noun]), 0)
  if (stated !== counted) throw notASnapshot(file, line, 'is the last one: the snapshot is truncated')
}

async function* snapshotLines(file: string, stdin: () => AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  try {
    yield* linesOf(file === STDIN ? stdin() : file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new CrmError('invalid_input', `there is no file ${JSON.stringify(file)}`, {
        hint: `crm snapshot > ${file === '' ? 'before.ndjson' : file}`,
        cause: error,
      })
    }
    throw toMachineError(error, file)
  }
}

function parseLine(file: string, line: number, text: string): JsonObject {
  try {
    const value = parseExactJson(text)
    if (isJsonObject(value)) return value
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  }
  throw notASnapshot(file, line, 'is not a JSON object')
}

function checkFirstLine(file: string, { crm_snapshot: version }: JsonObject): void {
  if (version === 1) return
  if (version === undefined) throw notASnapshot(file, 1, 'is not the first line of a snapshot')
  throw new CrmError('invalid_input', `${file} is a snapshot of version ${JSON.stringify(version)}, expected 1`, {
    hint: 'update crm, or take the snapshot again: crm snapshot',
  })
}

function entryOf({ file, objects }: SnapshotFile, line: number, { type, record }: JsonObject): SnapshotEntry {
  if (typeof type === 'string' && Object.hasOwn(objects, type) && isJsonObject(record)) return { type, record, line }
  throw notASnapshot(file, line, `is no record of ${Object.values(objects).join(', ')}`)
}

function notASnapshot(file: string, line: number, what: string): CrmError {
  return new CrmError('invalid_input', `${file}: line ${line} ${what}`, {
    hint: 'compare files written by crm snapshot: crm snapshot > before.ndjson',
  })
}

/** All records of these objects, in batches of a page. */
async function* liveEntries(api: Api, objects: SnapshotObjects): AsyncGenerator<SnapshotEntry[]> {
  const types = Object.keys(objects) as readonly (ListedResource | 'note')[]
  for (const type of types) {
    await api.askAll(type)
    // Links are read for who asks for them.
    api.connector.rules(type).selection.ask(Object.keys(api.connector.document.resources[type]?.links?.fields ?? {}))
  }
  for (const type of types) {
    try {
      yield* entriesIn(type, type === 'note' ? allNotes(api) : api[RESOURCES[type].plural].list())
    } catch (error) {
      throw withOnly(error, Object.values(objects), RESOURCES[type].plural)
    }
  }
}

/** A key may not read every object. */
function withOnly(error: unknown, nouns: readonly string[], refused: string): unknown {
  const others = nouns.filter((noun) => noun !== refused)
  if (!(error instanceof CrmError) || error.code !== 'forbidden' || others.length === 0) return error
  return new CrmError(error.code, error.message, { ...error.details, hint: `leave it out: --only ${others.join(',')}` })
}

/** The members that a snapshot lacks, where the server shows only what it is asked for. */
export async function membersLacked(
  { askAll }: Pick<Api, 'askAll'>,
  objects: SnapshotObjects,
): Promise<readonly string[]> {
  const clauses = Object.entries(objects).map(async ([type, noun]) => {
    const unasked = await askAll(type as Resource)
    return unasked ? [`of ${noun} ${unaskedText(unasked)}`] : []
  })
  return (await Promise.all(clauses)).flat()
}

/** A snapshot as text, one chunk per page. */
export async function* snapshotText(
  api: Api,
  given: Pick<SnapshotStart, 'server' | 'taken_at'>,
  objects: SnapshotObjects,
): AsyncGenerator<string> {
  const start: SnapshotStart = { crm_snapshot: 1, ...given, objects }
  yield `${JSON.stringify(start)}\n`
  const counts = new Map(Object.values(objects).map((noun) => [noun, 0]))
  for await (const entries of liveEntries(api, objects)) {
    for (const { type } of entries) counts.set(objects[type] ?? type, (counts.get(objects[type] ?? type) ?? 0) + 1)
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  }
  const end: SnapshotEnd = { type: 'end', ...Object.fromEntries(counts) }
  yield `${JSON.stringify(end)}\n`
}

async function* entriesIn(type: string, pages: AsyncIterable<Page>): AsyncGenerator<SnapshotEntry[]> {
  for await (const { items } of pages) yield items.map((record) => ({ type, record }))
}
