import { Decisions } from '../api/connectors/draft/decisions.ts'
import { compilePath, readFirst } from '../api/connectors/paths.ts'
import { oneLine } from '../api/errors/one-line.ts'
import { CrmError } from '../core/errors.ts'
import { idText, type JsonObject, type JsonValue } from '../core/json.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import { itemsPathOf, listPathsIn } from './answer-paths.ts'
import { draftRecord } from './draft-record.ts'
import { ofOnePage } from './one-page.ts'
import { findPageSize } from './page-size.ts'
import { pagingCandidates, type ReadPages } from './paging-candidates.ts'
import type { ProbeServer, ProbingHttp } from './probing-http.ts'
import { type Declared, differenceOf, readByConnector } from './prove.ts'
import { type ListPlace, type Reading, readByRecognition, type Sized } from './read-list.ts'

/** What the server showed of one list. It is read once, and drafted as often as there are answers. */
export interface FoundList {
  readonly resource: Resource
  readonly path: string
  readonly records: readonly JsonObject[]
  readonly single: JsonValue | undefined
  /** Undefined: the records are no elements of a list, or there are none. */
  readonly itemsPath: string | undefined
  /** Undefined: none was proven. */
  readonly paging: JsonObject | undefined
  /** Why it was not. */
  readonly doubt: string | undefined
  /** The records as recognition read them. */
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
  const { reading, place } = await readAnywhere(http, { path, itemsAt: undefined })
  const { records } = reading
  const found = {
    resource,
    path,
    records,
    single: undefined,
    itemsPath: undefined,
    paging: undefined,
    isOnePage: false,
  }
  const nothing = { ids: [], isCut: false }
  const { plural } = RESOURCES[resource]
  if (records.length === 0) {
    const doubt = `there are no ${plural}: without a record, neither its members nor its paging can be seen`
    return { ...found, doubt, reference: nothing }
  }
  const itemsPath = reading.pages.map(({ answer, page }) => itemsPathOf(answer.json ?? null, page.items)).find(Boolean)
  if (itemsPath === undefined) {
    return { ...found, doubt: `the ${plural} are no elements of a list in the answer`, reference: nothing }
  }
  const { idOf, inner, value } = draftRecord({ resource, path, records, single: undefined }, new Decisions(answers))
  if (records.some((record) => idOf(record) === undefined)) {
    return { ...found, itemsPath, doubt: 'it can be seen where each record has an id', reference: nothing }
  }
  const single = await readSingle(http, path, { records, idOf })
  const pages: ReadPages = { reading, itemsPath, idOf }
  const size = await findPageSize(http, place, reading)
  const list = { ...place, resource, value, items: itemsPath + inner }
  return { ...found, single, itemsPath: list.items, ...(await provePaging(probing, list, { pages, size })) }
}

interface Placed {
  readonly reading: Reading
  readonly place: ListPlace
}

/** The list in its usual place, else the only list of records in the answer; counted, where its answers name no way on. */
async function readAnywhere(http: ProbingHttp, place: ListPlace): Promise<Placed> {
  const before = http.seen.length
  try {
    return { reading: await readByRecognition(http, place), place }
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    const [first] = http.seen.slice(before)
    const other = otherPlace(error, place, first?.answer.json ?? null)
    if (!other) throw error
    const found = await readAnywhere(http, other)
    const isNext = found.reading.doubt !== undefined && other.counted === 'offset'
    return isNext ? readAnywhere(http, { ...other, counted: 'page' }) : found
  }
}

function otherPlace({ message }: CrmError, place: ListPlace, json: JsonValue): ListPlace | undefined {
  if (message.endsWith('there are more records, but no cursor for them') && place.counted === undefined) {
    return { ...place, counted: 'offset' }
  }
  const [itemsAt, ...others] = listPathsIn(json)
  const isNoList = message.includes(': expected a list, got') && place.itemsAt === undefined
  return isNoList && itemsAt !== undefined && others.length === 0 ? { ...place, itemsAt } : undefined
}

interface ListDraft extends ListPlace {
  readonly resource: Resource
  readonly value: JsonObject
  readonly items: string
}

interface Read {
  readonly pages: ReadPages
  readonly size: Sized | undefined
}

/** For a list of which the server shows no more than it is asked for. */
const LARGE = 100

/** A size that makes several pages of one. */
function stepOf(size: Sized, count: number): Sized {
  return { ...size, max: Math.max(1, Math.ceil(count / 3)) }
}

type Proven = Pick<FoundList, 'paging' | 'doubt' | 'reference' | 'isOnePage'>

/** The first way of paging by which the connector reads the records that recognition reads. */
async function provePaging(probing: Probing, list: ListDraft, { pages, size }: Read): Promise<Proven> {
  const { http } = probing
  const { reading } = pages
  const isOne = reading.pages.length === 1
  const step =
    size && (reading.doubt ? { ...size, max: LARGE } : isOne ? stepOf(size, reading.records.length) : undefined)
  const small = step && { ...pages, reading: await readByRecognition(http, list, step) }
  const [sure, other] = [pages, small].filter((each) => each !== undefined && each.reading.doubt === undefined)
  const isOnePage = [pages, small].every((each) => !each || each.reading.pages.length === 1)
  if (!sure) return { paging: undefined, doubt: reasonOf(reading), reference: declaredOf(pages), isOnePage }
  const reference = declaredOf(sure)
  const clash = other && differenceOf(reference, declaredOf(other))
  if (clash !== undefined) {
    return { paging: undefined, doubt: `pages of another size have other records: ${clash}`, reference, isOnePage }
  }
  const paged = [sure, other].find((each) => each && each.reading.pages.length > 1)
  const one = paged
    ? undefined
    : await ofOnePage(http, list, { read: sure, size, asked: sure === pages ? undefined : step })
  const candidates = one?.candidates ?? (paged ? pagingCandidates(paged, size) : [])
  const tried = await firstThatHolds(probing, list, { candidates, reference, step })
  return 'paging' in tried
    ? { paging: tried.paging, doubt: undefined, reference, isOnePage }
    : { paging: undefined, doubt: one?.doubt ?? tried.reason, reference, isOnePage }
}

interface Trials {
  readonly candidates: readonly JsonObject[]
  readonly reference: Declared
  /** The size at which the list was read again. */
  readonly step: Sized | undefined
}

async function firstThatHolds(
  { server }: Probing,
  list: ListDraft,
  { candidates, reference, step }: Trials,
): Promise<{ readonly paging: JsonObject } | { readonly reason: string }> {
  let reason: string | undefined
  const problemOf = async (paging: JsonObject) => {
    const read = await readByConnector(server, connectorText(server, list, paging), list.resource)
    return typeof read === 'string' ? read : differenceOf(reference, read)
  }
  for (const paging of candidates.slice(0, MOST_CANDIDATES)) {
    const stepped = step && paging.by !== 'none' ? { ...paging, size: { param: step.param, max: step.max } } : undefined
    const problem = (stepped && (await problemOf(stepped))) ?? (await problemOf(paging))
    if (problem === undefined) return { paging }
    reason ??= `by ${oneLine(JSON.stringify(paging), 120)}: ${problem}`
  }
  return { reason: reason ?? 'nothing in the answers leads to the next page' }
}

function reasonOf({ doubt }: Reading): string {
  return doubt ? doubt.message.replace(/^cannot read \S+: /, '') : 'the end of the list is unknown'
}

function declaredOf({ reading: { records, isCut }, idOf }: ReadPages): Declared {
  return { ids: records.map((record) => idOf(record) ?? ''), isCut }
}

/** The connector of one list alone. */
function connectorText({ auth }: ProbeServer, { resource, path, value, items }: ListDraft, paging: JsonObject): string {
  const { id } = value
  const resources = { [RESOURCES[resource].plural]: { path, ...(id !== undefined && { id }), list: { items, paging } } }
  return JSON.stringify({ connector: 1, name: 'draft', auth, resources })
}

/** The answer for one record, where the server has it below the list. */
async function readSingle(
  http: ProbingHttp,
  path: string,
  { records, idOf }: Pick<ReadPages, 'idOf'> & { readonly records: readonly JsonObject[] },
): Promise<JsonValue | undefined> {
  const [first] = records
  const id = first && idOf(first)
  if (id === undefined || id === '') return undefined
  const answer = await http.look(`${path}/${encodeURIComponent(id)}`)
  return answer instanceof CrmError ? undefined : answer.json
}

/** Whether the record of this answer is the one that was asked for. */
export function showsRecord(
  single: JsonValue,
  record: string,
  { id, idPath }: { readonly id: string; readonly idPath: string },
): boolean {
  const at = record === '.' ? single : readFirst(compilePath(record), single)
  return at !== undefined && idText(readFirst(compilePath(idPath), at)) === id
}
