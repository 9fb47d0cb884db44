import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { ListOperation, PagingDocument } from './document.ts'
import { compilePath, type Path, readAll, readFirst } from './paths.ts'
import { compileTemplate, fill, type TemplateValues } from './templates.ts'

/** A page of a list whose paging is declared. */
export interface DeclaredPage {
  readonly items: readonly CrmRecord[]
  /** The number of elements in the answer, with those that are not part of the list. */
  readonly elements: number
  readonly lastId: string | undefined
  /** By the paths of the paging; undefined: absent. */
  readonly stated: { readonly [Name in 'next' | 'more' | 'total' | 'pages']: JsonValue | undefined }
}

interface ReadList {
  readonly records: readonly JsonObject[]
  /** The number of elements, with those that are not part of the list. */
  readonly elements: number
  readonly stated: DeclaredPage['stated']
}

/** Reads the records of a page by the paths of the connector, or returns a clause with the reason why there are none. */
export type ReadPage = (json: JsonValue | undefined, values: TemplateValues) => ReadList | string

export function compileList({ items = '.', up, keep, paging }: ListOperation): ReadPage {
  const elementsIn = elementReader(items)
  const lifted = Object.entries(up).map(([name, path]) => [name, compilePath(path)] as const)
  const kept = Object.entries(keep).map(([name, value]) => ({ at: compilePath(name), wanted: compileTemplate(value) }))
  const statedIn = statedReader(paging)
  return (json, values) => {
    const found = json === undefined ? [] : elementsIn(json)
    if (found.length === 0 && !isListThere(json, items)) return `expected a list at ${items}`
    const all = found.map(({ element, holder }) => (lifted.length > 0 ? withLifted(element, lifted, holder) : element))
    if (!all.every(isJsonObject)) return 'the list contains something that is not a record'
    const rules = kept.map(({ at, wanted }) => ({ at, value: fill(wanted, values) }))
    const records = all.filter((record) => rules.every(({ at, value }) => isSameJson(readFirst(at, record), value)))
    return { records, elements: found.length, stated: statedIn(json ?? null) }
  }
}

function withLifted(element: JsonValue, lifted: readonly (readonly [string, Path])[], holder: JsonValue): JsonValue {
  if (!isJsonObject(element)) return element
  const members = lifted.map(([name, path]) => [name, readFirst(path, holder) ?? null] as const)
  return { ...element, ...Object.fromEntries(members) }
}

interface Found {
  readonly element: JsonValue
  /** The element that encloses it. */
  readonly holder: JsonValue
}

/** `results[].stages[]` is each element of `stages[]` in each of `results[]`. */
function elementReader(items: string): (json: JsonValue) => readonly Found[] {
  const at = items.slice(0, -2).lastIndexOf('[]')
  const outer = at < 0 ? undefined : compilePath(items.slice(0, at + 2))
  const inner = compilePath(at < 0 ? items : items.slice(at + 2).replace(/^\./, '') || '.')
  const within = (holder: JsonValue) => readAll(inner, holder).map((element) => ({ element, holder }))
  return (json) => (outer ? readAll(outer, json).flatMap(within) : within(json))
}

function statedReader({ next, more, total, pages }: PagingDocument): (json: JsonValue) => DeclaredPage['stated'] {
  const reader = (path: string | undefined) => {
    const compiled = path === undefined ? undefined : compilePath(path)
    return (json: JsonValue) => compiled && readFirst(compiled, json)
  }
  const read = { next: reader(next), more: reader(more), total: reader(total), pages: reader(pages) }
  return (json) => ({
    next: read.next(json),
    more: read.more(json),
    total: read.total(json),
    pages: read.pages(json),
  })
}

/** An empty list is one, and so is null; a missing one is not. */
function isListThere(json: JsonValue | undefined, items: string): boolean {
  const [first = ''] = items.split('[]')
  const found = readFirst(compilePath(first || '.'), json)
  return Array.isArray(found) || found === null
}
