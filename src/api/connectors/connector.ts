import type { ConnectorDocument, ListOperation, ResourceDocument } from '../../connector/document.ts'
import { ofParent, parentsIn } from '../../connector/of-parent.ts'
import { SERVER_RECORDS } from '../../connector/record-map.ts'
import { compileTemplate, fillText, headerText } from '../../connector/templates.ts'
import { noParent } from '../../core/resources/parents.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { mismatchHint } from '../errors/failure.ts'
import { type Answer, parseJson } from '../transport/answer.ts'
import { compileOk } from '../writes/judge-write.ts'
import { type ListRules, listRules } from './list-rules.ts'
import { type ConnectorPlace, compileRequest } from './requests.ts'
import { createResourceRules, lacks, type OperationName, once, type ResourceRules } from './resource-rules.ts'
import { type Credentials, compileCredentials, createErrorRules, type ErrorRules } from './server-rules.ts'

/** Whether the server has an operation, as its connector says. */
export type Offers = (resource: Resource, operation: OperationName) => boolean

/** A connector compiled for the address of one server. */
export interface Connector {
  readonly name: string
  /** What `crm connectors show` finds it by: its name or its file. */
  readonly word: string
  /** Undefined where the connector says nothing of refusals: their text is read where most servers have it. */
  readonly errors: ErrorRules | undefined
  readonly document: ConnectorDocument
  /** For an answer that is not what the connector says. */
  readonly mismatchHint: string
  credentials(key: string): Credentials
  readonly offers: Offers
  /** Whether one list has all records of a resource, and not a list for each parent. */
  hasOneList(resource: Resource): boolean
  /** Whether the server itself creates or changes the record that has a value in this field. */
  upserts(resource: Resource, field: string): boolean
  /** Of the records of one kind of parent. CrmError `not_supported` if the server has nothing of this resource, `usage` for a parent that has none. */
  rules(resource: Resource, of?: Resource): ResourceRules
  /** The objects that records of this one may be on. */
  parents(resource: Resource): readonly Resource[]
  /** What every request has: alternating names and values, and parameters. */
  readonly common: { readonly headers: readonly string[]; readonly query: Readonly<Record<string, string>> }
  /** Why an answer to a request at this path is no success, where the connector says what one is. */
  whyRefused(method: string, path: string, answer: Answer): string | undefined
  /** The list at a path, of the server's own records: read as the connector reads lists there, else as it reads contacts. */
  listAt(path: string): ListRules
  /** Whether the server restores a record that was deleted this long ago, under its id. */
  restores(resource: Resource, sinceMs: number): boolean
  /** From now on records of this resource, else those with data of people, show these members, of servers that show only what they are asked for. */
  ask(names: readonly string[], only?: Resource): void
}

/** Records of the account, which others refer to. */
const SHARED: readonly string[] = ['user', 'pipeline', 'stage', 'webhook']

export function createConnector(document: ConnectorDocument, place: ConnectorPlace): Connector {
  const rules = once((resource: Resource): ResourceRules => {
    const described = document.resources[resource]
    // What the server describes may have been read for none yet.
    const hint = document.schema && 'crm objects asks the server what it has'
    if (!described) throw lacks(document, RESOURCES[resource].plural, { ...place, hint })
    return createResourceRules(resource, ofParent(described, undefined), { document, place })
  })
  const ofParents = once((key: string): ResourceRules => {
    const [resource, of] = key.split(' ') as [Resource, Resource]
    const { selection } = rules(resource)
    const described = document.resources[resource] as ResourceDocument
    return createResourceRules(resource, ofParent(described, of), { document, place, selection })
  })
  return {
    name: document.name,
    word: place.word ?? document.name,
    document,
    mismatchHint: mismatchHint(place.baseUrl, isOwnFile(document, place) ? probeFlags(document) : ''),
    errors: createErrorRules(document),
    credentials: compileCredentials(document, place.variables),
    offers: (resource, operation) => document.resources[resource]?.[operation] !== undefined,
    hasOneList: (resource) => {
      const described = document.resources[resource]
      return described?.list !== undefined && described.parent === undefined
    },
    upserts: (resource, field) => {
      const { upsert = {}, batch = {} } = document.resources[resource] ?? {}
      return Object.hasOwn(upsert, field) || Object.hasOwn(batch.upsert?.by ?? {}, field)
    },
    rules: (resource, of) => {
      if (of === undefined) return rules(resource)
      const known = rules(resource) && parentsIn(document, resource)
      if (!known.includes(of)) throw noParent(document.name, known, of)
      return ofParents(`${resource} ${of}`)
    },
    parents: (resource) => parentsIn(document, resource),
    common: commonParts(document, place),
    whyRefused: (...asked) => whyRefused(document, ...asked),
    listAt: (path) => listAt(path, document, place),
    restores: (resource, sinceMs) => {
      const { restore, delete: removal } = document.resources[resource] ?? {}
      return restore !== undefined && sinceMs < (removal?.restorable ?? Number.POSITIVE_INFINITY)
    },
    ask: (names, only) => {
      for (const [name, described] of Object.entries(document.resources)) {
        const isAsked = only === undefined ? !SHARED.includes(name) : only === name
        if (described.select && isAsked) rules(name as Resource).selection.ask(names)
      }
    },
  }
}

/** Shipped connectors say nothing of the server that does not fit them. */
function isOwnFile({ name }: ConnectorDocument, { word = name }: ConnectorPlace): boolean {
  return word !== name
}

/** How the key is sent, and where the lists are, as the flags of `crm connectors create --probe`. */
function probeFlags({ auth, resources }: ConnectorDocument): string {
  const how = authFlag(auth)
  const lists = Object.entries(resources).flatMap(([resource, { list, parent }]) =>
    list && parent === undefined && !/[{}]/.test(list.path)
      ? [` --resource ${shellWord(`${RESOURCES[resource as Resource].plural}=${list.path}`)}`]
      : [],
  )
  return `${how === undefined ? '' : ` --auth ${shellWord(how)}`}${lists.join('')}`
}

function authFlag(auth: ConnectorDocument['auth']): string | undefined {
  switch (auth.in) {
    case 'bearer':
      return undefined
    case 'basic':
      return auth.user === '{key}' ? 'basic' : `basic:${auth.user}`
    case 'query':
      return `query:${auth.name}`
    case 'header':
      return `header:${auth.name}${auth.value === '{key}' ? '' : `:${auth.value.replace(' {key}', '')}`}`
  }
}

function commonParts({ headers, query }: ConnectorDocument, { variables }: ConnectorPlace): Connector['common'] {
  const filled = (members: typeof query) =>
    Object.entries(members).map(([name, each]) => [name, fillText(compileTemplate(each), variables)] as const)
  return {
    headers: filled(headers).flatMap(([name, value]) => [name, headerText(name, value)]),
    query: Object.fromEntries(filled(query)),
  }
}

function whyRefused(
  { resources }: ConnectorDocument,
  ...[method, path, answer]: Parameters<Connector['whyRefused']>
): string | undefined {
  const writes = Object.values(resources).flatMap((described) => [described.create, described.update, described.delete])
  const found = writes.find((each) => each?.method === method && isOfTemplate(path, each.path))
  if (!found || (found.ok.statuses === undefined && found.ok.at === undefined)) return undefined
  const json = found.ok.at === undefined ? undefined : parseJson(answer.body?.toString('utf8') ?? '')
  return compileOk(found.ok, true)({ ...answer, json }, 'update')
}

function listAt(path: string, document: ConnectorDocument, place: ConnectorPlace): ListRules {
  const all = Object.values(document.resources).flatMap((described) => {
    const { list } = described
    return list ? [{ described, list }] : []
  })
  const isAt = ({ list }: { readonly list: ListOperation }) => list.method === 'GET' && isOfTemplate(path, list.path)
  const found = all.find(isAt) ?? all.find(({ list }) => list === document.resources.contact?.list) ?? all[0]
  if (!found) throw lacks(document, 'lists', place)
  const { described, list } = found
  const asked = { ...list, method: 'GET', path, query: isAt(found) ? list.query : document.query, up: {} } as const
  const requestOf = () => compileRequest(asked, { described, place })
  return listRules(asked, { requestOf, selecting: (parts) => parts, map: SERVER_RECORDS })
}

/** `/deals/{parent}/notes` has `/deals/5/notes`. */
export function isOfTemplate(path: string, template: string): boolean {
  const parts = template.split('/')
  const own = path.split('/')
  return parts.length === own.length && parts.every((part, at) => part === own[at] || /^\{[^{}]*\}$/.test(part))
}
