import { createApi } from '../api/client.ts'
import { oneLine } from '../api/errors/one-line.ts'
import type { Operations } from '../api/operations.ts'
import { CrmError } from '../core/errors.ts'
import { type JsonObject, type JsonValue, objectOf } from '../core/json.ts'
import { listedId } from '../core/record-ids.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import { draftRecord, recordWithin, singlePath } from './draft-record.ts'
import { Decisions } from './openapi/decisions.ts'
import { findPageSize, ofOnePage, ofPages } from './paged.ts'
import { draftedConnector, type ListPlace, noPage, optionsOf, type ProbeServer, type ProbingHttp } from './pages.ts'
import { isEnough, type Reading, readByTrials, type Sized } from './read-list.ts'
import { placeOfRecords, recordsAt } from './records-in.ts'

/** What the server showed of one list. It is read once, and drafted as often as there are answers. */
export interface FoundList {
  readonly resource: Resource
  readonly path: string
  readonly records: readonly JsonObject[]
  readonly wrapper: string | undefined
  readonly single: JsonValue | undefined
  /** Undefined: the records are no elements of a list, or there are none. */
  readonly itemsPath: string | undefined
  /** Undefined: none was proven. */
  readonly paging: JsonObject | undefined
  /** Why it was not. */
  readonly doubt: string | undefined
  /** The records as the probe read them. */
  readonly reference: Declared
  /** No second page was seen. */
  readonly isOnePage: boolean
}

export interface Probing {
  readonly http: ProbingHttp
  readonly server: ProbeServer
}

const MOST_CANDIDATES = 10

/** Reads the list at this path, and finds a way of paging that reads the same. CrmError where the path is no list. */
export async function findList(
  probing: Probing,
  resource: Resource,
  { path, answers }: { readonly path: string; readonly answers: ReadonlyMap<string, string> },
): Promise<FoundList> {
  const { http } = probing
  const { plural } = RESOURCES[resource]
  const first = await http.look(path)
  if (first instanceof CrmError) throw first
  const list = placeOfRecords(first.json, plural)
  if (typeof list === 'string') throw noPage(path, list)
  const { wrapper, inner } = recordWithin(resource, recordsAt(first.json, list.items) ?? [])
  const items = list.items + inner
  const records = recordsAt(first.json, items) ?? []
  const shown = { resource, path, records, wrapper, single: undefined }
  const reference = { ids: [], isCut: false }
  const open = { ...shown, itemsPath: undefined, paging: undefined, reference, isOnePage: false }
  if (records.length === 0) {
    const doubt = `there are no ${plural}: without a record, neither its members nor its paging can be seen`
    return { ...open, doubt }
  }
  const { idOf, value } = draftRecord(shown, new Decisions(answers))
  const ids = new Set(records.map(idOf))
  if (ids.has(undefined) || ids.size < records.length) {
    return { ...open, itemsPath: items, doubt: 'it cannot be seen where each record has an id of its own' }
  }
  const place = { path, items, idOf }
  const reading = await readByTrials(http, place)
  // The answer for one record, where the server has it below the list.
  const [id = ''] = ids
  const single = id === '' ? undefined : await http.look(singlePath(path, encodeURIComponent(id)))
  const size = await findPageSize(http, place, reading)
  const proven = await provePaging(probing, { ...place, resource, record: value.record }, { reading, size })
  const one = single instanceof CrmError ? undefined : single?.json
  return { ...shown, records: reading.records, single: one, itemsPath: items, ...proven }
}

interface ListDraft extends ListPlace {
  readonly resource: Resource
  readonly record: JsonValue | undefined
}

/** For a list of which the server shows no more than it is asked for. */
const LARGE = 100

type Proven = Pick<FoundList, 'paging' | 'doubt' | 'reference' | 'isOnePage'>

/** The first way of paging by which the connector reads the records that the probe read itself. */
async function provePaging(
  probing: Probing,
  list: ListDraft,
  { reading, size }: { readonly reading: Reading; readonly size: Sized | undefined },
): Promise<Proven> {
  const { http } = probing
  const isOne = reading.pages.length === 1
  // A size that makes several pages of one.
  const max = reading.doubt === undefined ? Math.max(1, Math.ceil(reading.records.length / 3)) : LARGE
  const step = size && (isOne || reading.doubt !== undefined) ? { ...size, max } : undefined
  const small = step && (await readByTrials(http, list, step))
  const [sure, other] = [reading, small].filter((each) => each !== undefined && each.doubt === undefined)
  const isOnePage = [reading, small].every((each) => !each || each.pages.length === 1)
  const reference = declaredOf(sure ?? reading, list)
  const open = (doubt: string | undefined) => ({ paging: undefined, doubt, reference, isOnePage })
  if (!sure) return open(reading.doubt)
  const clash = other && differenceOf(reference, declaredOf(other, list))
  if (clash !== undefined) return open(`pages of another size have other records: ${clash}`)
  const paged = [sure, other].find((each) => each && each.pages.length > 1)
  const { candidates, doubt } = paged
    ? ofPages(paged, size)
    : await ofOnePage(http, list, { reading: sure, size, asked: sure === reading ? undefined : step })
  const tried = await firstThatHolds(probing, list, { candidates, reference, step })
  return typeof tried === 'string' ? open(doubt ?? tried) : { ...open(undefined), paging: tried }
}

interface Trials {
  readonly candidates: readonly JsonObject[]
  readonly reference: Declared
  /** The size at which the list was read again. */
  readonly step: Sized | undefined
}

/** The reason why the first one does not hold, if none does. */
async function firstThatHolds(
  { server }: Probing,
  list: ListDraft,
  { candidates, reference, step }: Trials,
): Promise<JsonObject | string> {
  let reason: string | undefined
  const problemOf = async (paging: JsonObject) => {
    if (paging.param !== undefined && paging.param === objectOf(paging.size).param) return 'it is that of the size, too'
    const read = await readByConnector(server, connectorOfList(server, list, paging), list.resource)
    return differenceOf(reference, read)
  }
  for (const paging of candidates.slice(0, MOST_CANDIDATES)) {
    const stepped = step && paging.by !== 'none' ? { ...paging, size: { param: step.param, max: step.max } } : undefined
    const problem = (stepped && (await problemOf(stepped))) ?? (await problemOf(paging))
    if (problem === undefined) return paging
    reason ??= `by ${oneLine(JSON.stringify(paging), 120)}: ${problem}`
  }
  return reason ?? 'nothing in the answers leads to the next page'
}

function declaredOf({ records, end }: Reading, { idOf }: ListPlace): Declared {
  return { ids: records.map((record) => idOf(record) ?? ''), isCut: end === 'cut' }
}

/** The connector of one list alone. */
function connectorOfList({ auth }: ProbeServer, list: ListDraft, paging: JsonObject): JsonObject {
  const { resource, path, record, items } = list
  const { id } = objectOf(record)
  const object = { path, ...(id !== undefined && { record: { id } }), verbs: { list: { items, paging } } }
  return { connector: 2, name: 'draft', auth, objects: { [RESOURCES[resource].plural]: object } }
}

/** A list as the connector reads it. */
export interface Declared {
  readonly ids: readonly string[]
  readonly isCut: boolean
}

/** Reads the list by the connector, up to the bounds of the probe; a clause with the reason why it cannot. */
export async function readByConnector(
  server: ProbeServer,
  draft: JsonObject,
  resource: Resource,
): Promise<Declared | string> {
  const api = createApi({ ...optionsOf(server), connector: draftedConnector(server, draft) }, server.timing)
  const all = api[RESOURCES[resource].plural as 'contacts'] as Operations | ((id?: string) => Operations)
  const { list } = typeof all === 'function' ? all() : all
  const ids: string[] = []
  let pages = 0
  try {
    for await (const { items } of list({})) {
      // Endless lists of empty pages end with an error.
      if (items.length > 0) pages += 1
      ids.push(...items.map(listedId))
      if (isEnough(pages, ids.length)) return { ids, isCut: true }
    }
    return { ids, isCut: false }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    return error.message
  } finally {
    await api.close()
  }
}

/** Why the two readings differ; undefined where they show the same records. Of a long list, the part that both have read. */
export function differenceOf(reference: Declared, read: Declared | string): string | undefined {
  if (typeof read === 'string') return read
  const isCut = reference.isCut || read.isCut
  const count = Math.min(reference.ids.length, read.ids.length)
  if (!isCut && reference.ids.length !== read.ids.length) {
    return `${read.ids.length} records, and ${reference.ids.length} by another way`
  }
  const [wanted, found] = [reference, read].map(({ ids }) => new Set(isCut ? ids.slice(0, count) : ids))
  if (wanted?.size !== found?.size) return 'an id comes twice'
  const missing = [...(wanted ?? [])].find((id) => !found?.has(id))
  return missing === undefined ? undefined : `the record ${oneLine(missing, 60)} is missing`
}
