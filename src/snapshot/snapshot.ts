import type { Api } from '../api/api.ts'
import type { Page } from '../api/operations.ts'
import { unaskedText } from '../core/asked-members.ts'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, parseExactJson } from '../core/json.ts'
import { type CrmRecord, RESOURCES } from '../core/resources/registry.ts'
import { linesOf } from '../files/lines.ts'
import { toMachineError } from '../files/machine-error.ts'

const SNAPSHOT_TYPES = ['contact', 'deal'] as const

export type SnapshotType = (typeof SNAPSHOT_TYPES)[number]

type SnapshotList = (typeof RESOURCES)[SnapshotType]['plural']

/** A line of a snapshot between the first and the last one. */
export interface SnapshotEntry {
  readonly type: SnapshotType
  readonly record: CrmRecord
  /** In the file, counted from 1; undefined for a record of a server. */
  readonly line?: number
}

/** The first line. */
export interface SnapshotStart {
  readonly crm_snapshot: 1
  readonly server: string
  readonly taken_at: string
  /** The lists that the server does not have; absent: none. */
  readonly lacks?: readonly SnapshotList[]
}

/** The last line: the number of records of each list. Without it the snapshot is truncated. */
export type SnapshotEnd = { readonly type: 'end' } & Readonly<Record<SnapshotList, number>>

const BATCH_LINES = 500

/** Stands for stdin in place of a file name. */
const STDIN = '-'

/** Stands for the current records of the server in place of a file name. */
const LIVE = 'live'

export interface SnapshotSources {
  api(): Promise<Api>
  stdin(): AsyncIterable<Uint8Array | string>
}

/** The types that a snapshot does not have, each with the reason. */
export type Lacked = ReadonlyMap<SnapshotType, string>

export interface OpenSnapshot {
  readonly lacks: Lacked
  readonly entries: AsyncIterable<readonly SnapshotEntry[]>
}

/** An argument of `crm diff`: `live` requests the server, `-` reads stdin. */
export async function openSnapshot(source: string, { api, stdin }: SnapshotSources): Promise<OpenSnapshot> {
  if (source !== LIVE) return readSnapshot(source, stdin)
  const live = await api()
  const lacks = await lackedLists(live)
  return { lacks, entries: liveEntries(live, lacks) }
}

/** What a server does not list. CrmError `not_supported` if it lists nothing that is in a snapshot. */
export async function lackedLists({ require }: Pick<Api, 'require'>): Promise<Lacked> {
  const lacked = new Map<SnapshotType, string>()
  for (const type of SNAPSHOT_TYPES) {
    try {
      await require(type, 'list')
    } catch (error) {
      if (!(error instanceof CrmError) || error.code !== 'not_supported') throw error
      lacked.set(type, error.message)
      if (lacked.size === SNAPSHOT_TYPES.length) throw error
    }
  }
  return lacked
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
  const lacks = SNAPSHOT_TYPES.filter((type) => Array.isArray(start.lacks) && start.lacks.includes(pluralOf(type)))
  const reasons = lacks.map((type) => [type, `the server of ${file} has no ${pluralOf(type)}`] as const)
  return { lacks: new Map(reasons), entries: entriesBehindStart(file, lines) }
}

function pluralOf(type: SnapshotType): SnapshotList {
  return RESOURCES[type].plural
}

async function* entriesBehindStart(file: string, lines: AsyncIterable<string>): AsyncGenerator<SnapshotEntry[]> {
  let line = 1
  let counted = 0
  let batch: SnapshotEntry[] = []
  let end: JsonObject | undefined
  for await (const text of lines) {
    line += 1
    const value = parseLine(file, line, text)
    if (end) throw notASnapshot(file, line, 'follows the end of the snapshot')
    else if (value.type === 'end') end = value
    else batch.push(entryOf(file, line, value))
    if (batch.length < BATCH_LINES) continue
    counted += batch.length
    yield batch
    batch = []
  }
  counted += batch.length
  yield batch
  const stated = SNAPSHOT_TYPES.reduce((sum, type) => sum + Number(end?.[pluralOf(type)]), 0)
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

function entryOf(file: string, line: number, { type, record }: JsonObject): SnapshotEntry {
  const known = SNAPSHOT_TYPES.find((each) => each === type)
  if (known && isJsonObject(record)) return { type: known, record, line }
  throw notASnapshot(file, line, 'is neither a contact nor a deal')
}

function notASnapshot(file: string, line: number, what: string): CrmError {
  return new CrmError('invalid_input', `${file}: line ${line} ${what}`, {
    hint: 'compare files written by crm snapshot: crm snapshot > before.ndjson',
  })
}

/** All contacts and deals of the server, in batches of a page. */
async function* liveEntries(api: LiveApi, lacks: Lacked): AsyncGenerator<SnapshotEntry[]> {
  const types = SNAPSHOT_TYPES.filter((type) => !lacks.has(type))
  for (const type of types) await api.askAll(type)
  for (const type of types) yield* entriesIn(type, api[pluralOf(type)].list())
}

type LiveApi = Pick<Api, SnapshotList | 'askAll'>

/** The members that a snapshot lacks, where the server shows only what it is asked for. */
export async function membersLacked({ askAll }: LiveApi, lacks: Lacked): Promise<readonly string[]> {
  const clauses = SNAPSHOT_TYPES.filter((type) => !lacks.has(type)).map(async (type) => {
    const unasked = await askAll(type)
    return unasked ? [`of ${RESOURCES[type].plural} ${unaskedText(unasked)}`] : []
  })
  return (await Promise.all(clauses)).flat()
}

/** A snapshot as text, one chunk per page. */
export async function* snapshotText(
  api: LiveApi,
  given: Pick<SnapshotStart, 'server' | 'taken_at'>,
  lacked: Lacked,
): AsyncGenerator<string> {
  const lacks = [...lacked.keys()].map(pluralOf)
  const start: SnapshotStart = { crm_snapshot: 1, ...given, ...(lacks.length > 0 && { lacks }) }
  yield `${JSON.stringify(start)}\n`
  const counts: Record<SnapshotList, number> = { contacts: 0, deals: 0 }
  for await (const entries of liveEntries(api, lacked)) {
    for (const { type } of entries) counts[pluralOf(type)] += 1
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  }
  const end: SnapshotEnd = { type: 'end', ...counts }
  yield `${JSON.stringify(end)}\n`
}

async function* entriesIn(type: SnapshotType, pages: AsyncIterable<Page>): AsyncGenerator<SnapshotEntry[]> {
  for await (const { items } of pages) yield items.map((record) => ({ type, record }))
}
