import { CrmError } from '../../core/errors.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { isReadOnly, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Answer } from '../transport/answer.ts'
import type { ConnectorDocument, ListOperation, Operation, PagingDocument, ResourceDocument } from './document.ts'
import type { References } from './field-map.ts'
import { compilePath, type Path, readFirst } from './paths.ts'
import { compileList, type DeclaredPage } from './read-list.ts'
import type { createRecordMap, RecordMap } from './record-map.ts'
import {
  type ConnectorPlace,
  type ConnectorRequest,
  compileRequest,
  type PageStart,
  type RequestParts,
} from './requests.ts'

export type OperationName = 'list' | 'get' | 'create' | 'update' | 'delete' | 'restore' | 'test'

/** The requests of one resource, and what their answers say in crm's own names. */
export interface ResourceRules {
  readonly resource: Resource
  /** Records, ids and bodies are the server's own: nothing is translated. */
  readonly isPlain: boolean
  /** Resources that fields of this one name, and that must be listed before a record is read or written. */
  readonly refs: readonly Resource[]
  readonly map: RecordMap
  /** The resource that requests for its records name. */
  readonly parent: Resource | undefined
  readonly paging: PagingDocument
  /** From now on records are asked for these members, too, of servers that show only what they are asked for. */
  ask(names: Iterable<string>): void
  /** CrmError `not_supported` if the connector has no such operation. */
  operation(name: OperationName): Operation
  /** Whether the request needs the parent's own record. */
  needsParent(name: OperationName): boolean
  /** Whether the record as it is now is needed to write a change. */
  needsCurrent(fields: JsonObject): boolean
  request(name: OperationName, parts: RequestParts): ConnectorRequest
  pageRequest(start: PageStart | undefined, size: number | undefined, parts: RequestParts): ConnectorRequest
  readPage(answer: Answer, parts: RequestParts, references: References): DeclaredPage | string
  /** The record of an answer, by the server's names; undefined if it has none. */
  serverRecord(name: OperationName, json: JsonValue | undefined): JsonObject | undefined
  /** An answer to a write, with the record in crm's names. */
  translated(name: OperationName, answer: Answer, references: References): Answer
  isDeleted(record: JsonObject): boolean
  /** Filters as parameters of the server. CrmError `not_supported` for one that the connector does not name. */
  filters(asked: Readonly<Record<string, string>>): Readonly<Record<string, string>>
}

interface Surroundings {
  readonly document: ConnectorDocument
  readonly place: ConnectorPlace
  readonly mapRecords: typeof createRecordMap | undefined
}

export function createResourceRules(
  resource: Resource,
  described: ResourceDocument,
  { document, place, mapRecords }: Surroundings,
): ResourceRules {
  const map = mapRecords?.(described, { connector: document.name, resource }) ?? PLAIN_RECORDS
  const { ask, selecting } = selectionOf(described, map)
  const requests = new Map<Operation, ReturnType<typeof compileRequest>>()
  const requestOf = (operation: Operation) => {
    const made = requests.get(operation) ?? compileRequest(operation, { described, place })
    requests.set(operation, made)
    return made
  }
  const operation = (name: OperationName): Operation => {
    const found = described[name]
    if (found) return found
    throw document.isDescribed
      ? notDescribed(resource, name)
      : lacks(document, `${name} of ${RESOURCES[resource].plural}`)
  }
  const reading = described.list && compileList(described.list)
  const recordAt = new Map<Operation, Path>()
  const serverRecord = (name: OperationName, json: JsonValue | undefined) => {
    const asked = operation(name)
    if (asked.record === undefined || json === undefined) return undefined
    const path = recordAt.get(asked) ?? compilePath(asked.record)
    recordAt.set(asked, path)
    const found = readFirst(path, json)
    return isJsonObject(found) ? found : undefined
  }
  return {
    resource,
    isPlain: map.isPlain,
    refs: refsOf(described),
    map,
    parent: described.parent,
    get paging() {
      return (described.list ?? (operation('list') as ListOperation)).paging
    },
    operation,
    needsParent: (name) => requestOf(operation(name)).placeholders.some((each) => each.startsWith('parent.')),
    needsCurrent: (fields) => described.update?.sends === 'whole' || map.needsCurrent(fields),
    ask,
    request: (name, parts) => requestOf(operation(name)).request(selecting(parts)),
    pageRequest: (start, size, parts) => {
      const list = operation('list') as ListOperation
      return requestOf(list).request({ ...selecting(parts), page: pageValues(list.paging, start, size) }, start)
    },
    readPage: (answer, parts, references) => {
      if (!reading) throw lacks(document, `list of ${RESOURCES[resource].plural}`)
      const found = reading(answer.json, requestOf(operation('list')).values(parts))
      if (typeof found === 'string') return found
      const kept = found.records.filter((record) => !map.isDeleted(record))
      const last = found.records.at(-1)
      return {
        items: map.isPlain ? kept : kept.map((record) => map.read(record, references)),
        elements: found.elements,
        lastId: last && map.idOf(last),
        stated: found.stated,
      }
    },
    serverRecord,
    translated: (name, answer, references) => {
      const asked = operation(name)
      if (asked.returns === 'nothing') return { ...answer, json: undefined }
      const record = serverRecord(name, answer.json)
      if (!record || map.isPlain) return record ? { ...answer, json: record } : answer
      return {
        ...answer,
        json: asked.returns === 'id' ? { id: map.idOf(record) ?? null } : map.read(record, references),
      }
    },
    isDeleted: map.isDeleted,
    filters: (asked) => (described.filters === 'any' ? asked : namedFilters(asked, described.filters, document.name)),
  }
}

function namedFilters(
  asked: Readonly<Record<string, string>>,
  known: Exclude<ResourceDocument['filters'], 'any'>,
  connector: string,
): Readonly<Record<string, string>> {
  const pairs = Object.entries(asked).map(([name, value]) => {
    const filter = Object.hasOwn(known, name) ? known[name] : undefined
    if (filter && 'query' in filter) return [filter.query, value] as const
    throw new CrmError('not_supported', `${connector} (connector) has no filter ${JSON.stringify(name)}`, {
      hint: `--where filters here: --where '.${name} == ${JSON.stringify(value)}'`,
    })
  })
  return Object.fromEntries(pairs)
}

/** The members that requests name, for servers that show only what they are asked for. */
function selectionOf({ select }: ResourceDocument, map: RecordMap) {
  const selected = new Set(map.readNames)
  return {
    ask: (names: Iterable<string>) => {
      for (const name of names) if (!map.isKnown(name)) selected.add(name)
    },
    selecting: (parts: RequestParts): RequestParts => (select ? { ...parts, select: [...selected] } : parts),
  }
}

/** `pipedrive (connector) has no webhooks`. */
export function lacks({ name }: Pick<ConnectorDocument, 'name'>, what: string): CrmError {
  return new CrmError('not_supported', `${name} (connector) has no ${what}`, {
    hint: `crm connectors show ${name} lists what it offers`,
  })
}

/** In "a request that deletes deals". */
const ACTIONS: Readonly<Record<OperationName, string>> = {
  ...{
    list: 'lists',
    get: 'shows single',
    create: 'creates',
    update: 'changes',
    delete: 'deletes',
    restore: 'restores',
  },
  test: 'tests',
}

/** Of the built-in connector. `this server has no request that deletes deals: no OpenAPI document of it names one` */
function notDescribed(resource: Resource, name: OperationName): CrmError {
  const request = `this server has no request that ${ACTIONS[name]} ${RESOURCES[resource].plural}`
  return new CrmError('not_supported', `${request}: no OpenAPI document of it names one`, {
    hint: 'crm doctor reads that document again, and crm doctor --fix keeps what it names',
  })
}

function refsOf({ fields }: ResourceDocument): readonly Resource[] {
  return [...new Set(Object.values(fields).flatMap(({ ref }) => (ref === undefined ? [] : [ref])))]
}

/** Records whose members are crm's own. */
const PLAIN_RECORDS: RecordMap = {
  isPlain: true,
  read: (server) => server,
  write: (fields) => fields,
  idOf: ({ id }) => idText(id),
  needsCurrent: () => false,
  isReadOnly,
  isDeleted: () => false,
  readNames: [],
  isKnown: () => true,
  names: [],
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
