import type { Operation, ResourceDocument } from '../../connector/document.ts'
import type { RecordMap } from '../../connector/record-map.ts'
import {
  compileTemplate,
  fill,
  fillPath,
  fillText,
  headerText,
  placeholdersOf,
  type TemplateValues,
} from '../../connector/templates.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Call } from '../transport/call.ts'

export interface ConnectorPlace {
  /** Its path replaces the base of the connector. */
  readonly baseUrl: URL
  readonly variables: Readonly<Record<string, string>>
  /** The name or the file that opened the connector; undefined: its name. */
  readonly word?: string
}

/** Where a page starts. A `value` is a cursor, the number of a page, an offset, or the id of the last record. */
export type PageStart = { readonly value: string | number } | { readonly address: string }

/** A request ready to be sent: the body is the server's own. */
export interface ConnectorRequest
  extends Pick<Call, 'method' | 'path' | 'base' | 'address' | 'query' | 'headers' | 'limits'> {
  readonly body: JsonValue | undefined
}

export interface RequestParts {
  readonly id?: string
  readonly parentId?: string
  /** The event that is delivered again. */
  readonly eventId?: string
  /** The server's record of the parent. */
  readonly parent?: JsonObject
  /** The server's own record, whole or the members that change. */
  readonly record?: JsonObject
  /** Filters, in the query or the body, as the connector names them. */
  readonly filters?: Readonly<Record<string, string>>
  /** Names of the members that the server is asked for. */
  readonly select?: readonly string[]
  /** The value by which one record is found, and the server's name of its member. */
  readonly value?: JsonValue
  readonly by?: string
  /** The links of a new record, as the server takes them. */
  readonly links?: readonly JsonValue[]
  /** The rows of a batch, as the server takes them. */
  readonly items?: readonly JsonValue[]
  /** Parameters of a page. */
  readonly page?: Readonly<Record<string, string | number>>
}

export interface RequestMaker {
  readonly placeholders: readonly string[]
  request(parts: RequestParts, start?: PageStart): ConnectorRequest
  /** What stands for each placeholder. */
  values(parts: RequestParts): TemplateValues
}

interface Surroundings {
  readonly described: ResourceDocument
  readonly place: ConnectorPlace
}

export function compileRequest(operation: Operation, { described, place }: Surroundings): RequestMaker {
  const path = compileTemplate(operation.path)
  const query = Object.entries(operation.query).map(([name, each]) => [name, compileTemplate(each)] as const)
  const headers = Object.entries(operation.headers).map(([name, each]) => [name, compileTemplate(each)] as const)
  const body = operation.body === undefined ? undefined : compileTemplate(operation.body)
  const set = Object.entries(operation.set).map(([name, each]) => [name, compileTemplate(each)] as const)
  const all = [operation.path, operation.query, operation.headers, operation.body ?? null, operation.set]
  const placeholders = all.flatMap((each) => placeholdersOf(compileTemplate(each as JsonValue)))
  const idValue = (id: string | undefined) =>
    id !== undefined && described.id.type === 'integer' && /^-?\d{1,15}$/.test(id) ? Number(id) : id
  const isBodyPaged = 'paging' in operation && (operation.paging as { in: string }).in === 'body'

  const values = (parts: RequestParts): TemplateValues => {
    const known: Record<string, JsonValue | undefined> = {
      ...place.variables,
      id: idValue(parts.id),
      parent: idValue(parts.parentId),
      event: parts.eventId,
      ...(placeholders.includes('now') && { now: new Date().toISOString() }),
      select: parts.select && [...parts.select],
      value: parts.value,
      by: parts.by,
      items: parts.items && [...parts.items],
      links: [...(parts.links ?? [])],
    }
    for (const name of placeholders) {
      if (name.startsWith('parent.') && parts.parent) known[name] = parts.parent[name.slice('parent.'.length)]
    }
    return known
  }
  /** Of reads alone: a write would take it for a filter. */
  const selectQuery = ({ select }: RequestParts): (readonly [string, string | readonly string[]])[] => {
    const { select: asked } = described
    if (!asked || !select || operation.method !== 'GET' || placeholders.includes('select')) return []
    return [[asked.param, asked.as === 'comma' ? select.join(',') : select]]
  }
  return {
    placeholders,
    values,
    request: (parts, start) => {
      const known = values(parts)
      const constants = Object.fromEntries(set.flatMap(([name, each]) => memberOf(name, fill(each, known))))
      const record = parts.record && set.length > 0 ? { ...constants, ...parts.record } : parts.record
      const page = parts.page ?? {}
      const filled = body && fill(body, { ...known, record })
      const asked = query.flatMap(([name, each]) => textMember(name, fillText(each, known)))
      const pageQuery = isBodyPaged ? [] : Object.entries(page).map(([name, each]) => [name, String(each)] as const)
      return {
        method: operation.method,
        path: fillPath(path, known),
        ...(operation.base !== undefined && { base: operation.base }),
        ...(operation.limits && { limits: operation.limits }),
        ...(start && 'address' in start && { address: start.address }),
        query: Object.fromEntries([
          ...asked,
          ...selectQuery(parts),
          ...Object.entries(parts.filters ?? {}),
          ...pageQuery,
        ]),
        ...(headers.length > 0 && {
          headers: headers.flatMap(([name, each]) => [name, headerText(name, fillText(each, known))]),
        }),
        body: isBodyPaged ? { ...(filled as JsonObject | undefined), ...page } : filled,
      }
    },
  }
}

function memberOf(name: string, value: JsonValue | undefined): [string, JsonValue][] {
  return value === undefined ? [] : [[name, value]]
}

/** A parameter without a value is left out. */
function textMember(name: string, value: string): (readonly [string, string])[] {
  return value === '' ? [] : [[name, value]]
}

/** The members that requests name, for servers that show only what they are asked for. */
export interface Selection {
  /** From now on these members, under crm's names or the server's own, are asked for, too. */
  ask(names: Iterable<string>): void
  /** As many of them as an address has room for; returns the others. */
  askWithin(names: Iterable<string>): readonly string[]
  /** The fields with links that were asked for. */
  readonly links: ReadonlySet<string>
  /** Those that were asked for beside what the fields need; undefined for servers that show every member. */
  readonly asked: readonly string[] | undefined
  /** The parts of a request with these names. */
  added(parts: RequestParts): RequestParts
}

/** Many servers refuse an address of more than 8,000 characters. */
const MOST_CHARS = 6000

export function createSelection({ select, links }: ResourceDocument, map: RecordMap): Selection {
  const names = new Set(map.readNames)
  const asked = new Set<string>()
  const askedLinks = new Set<string>()
  const ask = (name: string) => {
    if (links && Object.hasOwn(links.fields, name)) return void askedLinks.add(name)
    const own = map.ownNameOf(name)
    if (own === undefined) return
    asked.add(own)
    names.add(own)
  }
  const charsOf = (name: string) =>
    encodeURIComponent(name).length + (select?.as === 'repeat' ? select.param.length + 2 : 3)
  return {
    links: askedLinks,
    ask: (given) => {
      for (const name of given) ask(name)
    },
    askWithin: (given) => {
      let chars = [...names].reduce((sum, name) => sum + charsOf(name), 0)
      return [...given].filter((name) => {
        if (names.has(name)) return false
        chars += charsOf(name)
        if (chars > MOST_CHARS || names.size >= (select?.most ?? Number.POSITIVE_INFINITY)) return true
        ask(name)
        return false
      })
    },
    get asked() {
      return (select || links) && [...asked, ...askedLinks]
    },
    added: (parts) => (select ? { ...parts, select: [...names] } : parts),
  }
}
