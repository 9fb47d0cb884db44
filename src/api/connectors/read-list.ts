import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { ListOperation, PagingDocument } from './document.ts'
import { compilePath, type Path, readEach, readFirst } from './paths.ts'
import { compileTemplate, fill, type TemplateValues } from './templates.ts'

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

/** Reads the records of a page by the paths of the connector, or returns a clause with the reason why there are none. */
export type ReadPage = (json: JsonValue | undefined, values: TemplateValues) => ReadList | string

export function compileList({ items = '.', isNullEmpty, up, keep, paging }: ListOperation): ReadPage {
  const elements = compilePath(items)
  const lifted = Object.entries(up).map(([name, path]) => [name, compilePath(path)] as const)
  const keeping = compileKeep(keep)
  const statedIn = statedReader(paging)
  return (json, values) => {
    const found = readEach(elements, json, isNullEmpty)
    if (!found) return `expected a list at ${items}`
    const all = found.map(({ value, enclosing }) => (lifted.length > 0 ? withLifted(value, lifted, enclosing) : value))
    if (!all.every(isJsonObject)) return 'the list contains something that is not a record'
    return { records: all.filter(keeping(values)), elements: found.length, stated: statedIn(json ?? null) }
  }
}

/** Whether a record belongs to the list, by the members that it must have. */
export function compileKeep(keep: ListOperation['keep']): (values: TemplateValues) => (record: JsonObject) => boolean {
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
