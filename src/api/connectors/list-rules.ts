import type { ListOperation, PagingDocument } from '../../connector/document.ts'
import type { References } from '../../connector/field-map.ts'
import { compilePath, optionalPath, type Path, readEach, readFirst } from '../../connector/paths.ts'
import type { RecordMap } from '../../connector/record-map.ts'
import { compileTemplate, fill, type TemplateValues } from '../../connector/templates.ts'
import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { oneLine } from '../errors/one-line.ts'
import type { Answer } from '../transport/answer.ts'
import type { ConnectorRequest, PageStart, RequestMaker, RequestParts } from './requests.ts'

/** One list of records: all of them, or those with some values. */
export interface ListRules {
  readonly paging: PagingDocument
  pageRequest(start: PageStart | undefined, size: number | undefined, parts: RequestParts): ConnectorRequest
  readPage(answer: Answer, parts: RequestParts, references: References): DeclaredPage | string
}

interface Surroundings {
  readonly requestOf: (operation: ListOperation) => RequestMaker
  /** Adds the members that are asked for. */
  readonly selecting: (parts: RequestParts) => RequestParts
  readonly map: Pick<RecordMap, 'read' | 'idOf' | 'idPath' | 'isDeleted'>
}

export function listRules(list: ListOperation, { requestOf, selecting, map }: Surroundings): ListRules {
  const reading = compileList(list)
  return {
    paging: list.paging,
    pageRequest: (start, size, parts) =>
      requestOf(list).request({ ...selecting(parts), page: pageValues(list.paging, start, size) }, start),
    readPage: (answer, parts, references) => {
      const found = reading(answer, requestOf(list).values(parts))
      if (typeof found === 'string') return found
      const kept = found.records.filter((record) => !map.isDeleted(record))
      const unnamed = map.idPath === undefined ? undefined : kept.find((record) => !map.idOf(record))
      if (unnamed) return `expected the id of each record at ${map.idPath}, got ${jsonSummary(unnamed)}`
      const last = found.records.at(-1)
      return {
        items: kept.map((record) => map.read(record, references)),
        elements: found.elements,
        ...(Object.keys(list.up).length > 0 && { isNested: true }),
        lastId: last && map.idOf(last),
        stated: found.stated,
      }
    },
  }
}

function pageValues(
  paging: PagingDocument,
  start: PageStart | undefined,
  size: number | undefined,
): Readonly<Record<string, string | number>> {
  const { by, param, size: sized, start: first } = paging
  const values: Record<string, string | number> = {}
  if (sized && size !== undefined) values[sized.param] = size
  const isNumbered = by === 'page' || by === 'offset'
  const value = start === undefined ? (isNumbered ? first : undefined) : 'value' in start ? start.value : undefined
  if (param !== undefined && value !== undefined) values[param] = value
  return values
}

/** A page of a list whose paging is declared. */
export interface DeclaredPage {
  readonly items: readonly CrmRecord[]
  /** The number of elements in the answer, with those that are not part of the list. */
  readonly elements: number
  readonly lastId: string | undefined
  /** The records are parts of others: two with one id belong to different ones. */
  readonly isNested?: true
  /** By the paths of the paging; undefined: absent. */
  readonly stated: { readonly [Name in 'next' | 'more' | 'total' | 'pages']: JsonValue | undefined }
}

interface ReadList {
  readonly records: readonly JsonObject[]
  /** The number of elements, with those that are not part of the list. */
  readonly elements: number
  readonly stated: DeclaredPage['stated']
}

/** Nothing leads on from it. */
const NOTHING: ReadList = {
  records: [],
  elements: 0,
  stated: { next: null, more: false, total: undefined, pages: undefined },
}

/** Reads the records of a page by the paths of the connector, or returns a clause with the reason why there are none. */
type ReadPage = (answer: Answer, values: TemplateValues) => ReadList | string

function compileList({ items, empty, up, keep, paging }: ListOperation): ReadPage {
  const elements = compilePath(items)
  const lifted = Object.entries(up).map(([name, path]) => [name, compilePath(path)] as const)
  const keeping = compileKeep(keep)
  const statedIn = statedReader(paging)
  return ({ json, status }, values) => {
    if (status === empty) return NOTHING
    const found = readEach(elements, json, empty === null)
    if (!found) return `expected a list at ${items}, got ${jsonSummary(json)}`
    const all = found.map(({ value, enclosing }) => (lifted.length > 0 ? withLifted(value, lifted, enclosing) : value))
    if (!all.every(isJsonObject)) return 'the list contains something that is not a record'
    return { records: all.filter(keeping(values)), elements: found.length, stated: statedIn(json ?? null) }
  }
}

/** Whether a record belongs to the list, by the members that it must have. */
function compileKeep(keep: ListOperation['keep']): (values: TemplateValues) => (record: JsonObject) => boolean {
  const kept = Object.entries(keep).map(([name, value]) => ({ at: compilePath(name), wanted: compileTemplate(value) }))
  return (values) => {
    const rules = kept.map(({ at, wanted }) => ({ at, value: fill(wanted, values) }))
    return (record) => rules.every(({ at, value }) => isSameJson(readFirst(at, record), value))
  }
}

function withLifted(element: JsonValue, lifted: readonly (readonly [string, Path])[], holder: JsonValue): JsonValue {
  if (!isJsonObject(element)) return element
  const members = lifted.map(([name, path]) => [name, readFirst(path, holder) ?? null] as const)
  return { ...element, ...Object.fromEntries(members) }
}

function statedReader({ next, more, total, pages }: PagingDocument): (json: JsonValue) => DeclaredPage['stated'] {
  const paths = Object.entries({ next, more, total, pages }).map(([name, at]) => [name, optionalPath(at)] as const)
  const stated = (json: JsonValue) => paths.map(([name, path]) => [name, path && readFirst(path, json)])
  return (json) => Object.fromEntries(stated(json))
}

/** What an answer is instead, for a message: `an object with id, name`. */
export function jsonSummary(json: JsonValue | undefined): string {
  if (json === undefined) return 'no JSON'
  if (!isJsonObject(json)) return Array.isArray(json) ? 'a list as the whole answer' : oneLine(JSON.stringify(json), 60)
  const names = Object.keys(json)
  return names.length === 0 ? 'an empty object' : `an object with ${oneLine(names.join(', '), 200)}`
}
