import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject, type JsonObject, parseExactJson } from '../core/json.ts'
import { isAnother } from '../core/other-values.ts'
import { id18 } from '../core/record-ids.ts'
import { wasThereBefore } from '../core/record-time.ts'
import type { ApiOperation, ResourceDefinition } from '../core/resources/field.ts'
import { type GivenParent, onFlag, type ParentRecord, parentMember, parentRecord } from '../core/resources/parents.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'
import { shellWord } from '../core/shell-words.ts'
import type { Connector } from './connectors/connector.ts'
import type { ListedReferences } from './connectors/references.ts'
import { createExchange } from './connectors/resource-exchange.ts'
import { otherReason } from './connectors/shown-at.ts'
import { type KeyState, onceError } from './errors/failure.ts'
import { oneLine } from './errors/one-line.ts'
import { linkedRecords, updateLinked } from './links/linked-records.ts'
import type { ListQuery, Operations, Page, PlannedRequest } from './operations.ts'
import type { ApiOptions } from './options.ts'
import {
  type NamedParent,
  pagesOfParent,
  type ReadScope,
  readRecord,
  readShownAt,
  recordPages,
  type ShownUnderId,
  withMember,
} from './pages/pages.ts'
import type { Answer } from './transport/answer.ts'
import { type Call, checkId } from './transport/call.ts'
import type { Http } from './transport/http.ts'
import { createRecord, lookCommand, requestRecord, requestWrite } from './writes/record.ts'

export interface CollectionParts {
  readonly http: Http
  readonly connector: Connector
  readonly references: ListedReferences
  readonly onUnread: ApiOptions['onUnread']
}

const NO_QUERY: ListQuery = { limit: undefined, cursor: undefined, filters: {} }

/** The operations of one resource, or of the records of one parent, as the connector describes them. */
export function createCollection(parts: CollectionParts, resource: Resource, on?: GivenParent): Operations {
  const { http, connector } = parts
  const parent = parentRecord(resource, on)
  const texts = textsFor(resource, parent)
  const exchange = createExchange(parts, { resource, parent })
  const named = namedParent(resource, parent)
  const linked = linkedRecords(parts, resource)
  const scope = (): ReadScope => ({ ...parts, rules: connector.rules(resource, parent?.of), exchange, linked })

  const list: Operations['list'] = (asked = {}) => {
    if (parent) checkId(parent.id, parent.of)
    const [reading, query] = [scope(), { ...NO_QUERY, ...asked }]
    const ids = parent && linked?.idsOn(parent)
    const pages = ids ? partsOf(parts, { resource, ids }, query) : recordPages(reading, texts.ofAll('list'), query)
    return named ? pagesOfParent(pages, named, reading.rules.parent === undefined) : pages
  }
  const getCall = (id: string, signal?: AbortSignal) => ({ ...texts.ofShown(id), signal })
  const idOf = connector.document.resources[resource]?.id.type === 'id18' ? id18 : (id: string) => id
  const get: Operations['get'] = (id, signal) => readRecord(scope(), idOf(id), getCall(idOf(id), signal))
  const ofRecord = (id: string, name: 'update' | 'delete') => ({
    ...texts.ofOne(id, name),
    recordId: id,
    list: () => list(),
    ...(connector.offers(resource, 'get') && { read: () => get(id) }),
    findCommand: texts.listCommand,
    showCommand: `crm ${RESOURCES[resource].plural} get ${shellWord(id)}`,
  })
  const whole = showWhole(parts, resource, {
    shownAt: (id) => readShownAt(scope(), id, getCall(id)),
    doneOf: texts.done,
  })
  return {
    list,
    get,
    create: async (fields, options) => {
      if (parent) checkId(parent.id, parent.of)
      const started = http.mark()
      const call = await exchange.write('create', { fields }, { ...options, ...texts.ofAll('create') })
      const isListed = connector.offers(resource, 'list') && !('parent' in RESOURCES[resource])
      const look = isListed ? lookCommand(call.command, fields) : texts.lookCommand
      const create = { ...call, body: fields, lookCommand: look }
      const isLookedFor = isListed && options.isLookedFor !== false
      const listed = () => list({ signal: options.signal })
      const written = await (isLookedFor ? createRecord(http, create, listed) : requestRecord(http, create))
      const id = idText(written.id)
      if (id === undefined) return withMember(written, named)
      const checkShown: Check = (shown) =>
        checkMade(shown, { call: create, id, sent: fields, sinceMs: started(), keys: http.keys })
      checkShown({ record: written })
      return withMember(await whole('create', written, { id, sent: fields, checkShown }), named)
    },
    update: async (given, patch, options) => {
      const id = idOf(given)
      const naming = { ...options, ...ofRecord(id, 'update') }
      const own = async () => requestRecord(http, await exchange.write('update', { id, fields: patch }, naming))
      const written = updateLinked(linked, { ...naming, id, fields: patch }, own)
      return whole('update', await written, { id, sent: patch, checkShown: () => {} })
    },
    delete: async (id, options) => {
      const call = await exchange.write('delete', { id }, { ...options, ...ofRecord(id, 'delete') })
      await requestWrite(http, { ...call, whyNotGone: () => exchange.whyNotGone(id, options.signal) })
    },
    preview: async ({ kind, id, fields }) => {
      const naming = id === undefined ? texts.ofAll('create') : ofRecord(id, 'update')
      return plannedRequest(http, await exchange.write(kind, { ...(id !== undefined && { id }), fields }, naming))
    },
    test: async (id, options) => {
      const { body: _, ...request } = connector.rules(resource).request('test', { id })
      return objectIn(await http.request({ ...request, ...options, ...texts.ofOne(id, 'test') }))
    },
  }
}

function objectIn({ json }: Answer): JsonObject {
  return isJsonObject(json) ? json : {}
}

function plannedRequest({ locate }: Pick<Http, 'locate'>, call: Call): PlannedRequest {
  const { pathname, search } = locate(call)
  const body = call.bytes ? parseExactJson(call.bytes.toString('utf8')) : call.body
  const { method } = call
  if (method === 'GET' || method === 'HEAD') throw new Error(`a write by ${method}`)
  return { method, path: pathname + search, ...(body !== undefined && { body }) }
}

type Check = Parameters<typeof readBack>[0]['checkShown']

interface WholeParts {
  readonly shownAt: (id: string) => Promise<ShownUnderId>
  readonly doneOf: (name: 'create' | 'update', id: string) => string
}

/** Returns the record after a write whose answer shows a part of it, or nothing, as a 204. */
function showWhole(
  { connector, onUnread }: CollectionParts,
  resource: Resource,
  { shownAt, doneOf }: WholeParts,
): (
  name: 'create' | 'update',
  written: CrmRecord,
  found: { readonly id: string | undefined; readonly sent: JsonObject; readonly checkShown: Check },
) => Promise<CrmRecord> {
  return async (name, written, { id, sent, checkShown }) => {
    const { operation, selection } = connector.rules(resource)
    const isShown = operation(name).gives === 'record' || Object.keys(written).some((member) => member !== 'id')
    if (isShown || id === undefined || !connector.offers(resource, 'get')) return written
    selection.ask(Object.keys(sent))
    return readBack({
      written: { ...written, id },
      read: () => shownAt(id),
      onUnread: (reason) => onUnread?.({ done: doneOf(name, id), reason }),
      checkShown,
    })
  }
}

function namedParent(resource: Resource, parent: ParentRecord | undefined): NamedParent | undefined {
  const { parent: usual, fields }: ResourceDefinition = RESOURCES[resource]
  if (!parent || !usual) return undefined
  return { member: parentMember(parent.of), id: parent.id, isShown: Object.hasOwn(fields, parentMember(usual)) }
}

interface LinkedParts {
  readonly resource: Resource
  readonly ids: () => Promise<readonly string[]>
}

/** The records with these ids, where links say which records belong to another one. */
async function* partsOf(
  parts: CollectionParts,
  { resource, ids }: LinkedParts,
  { limit, signal = new AbortController().signal }: ListQuery,
): AsyncGenerator<Page> {
  const { createKeyReader } = await import('./keyed-reads.ts')
  const reader = createKeyReader(parts, resource, 'id')
  if (!reader) throw new Error(`no request reads ${resource} by ids`)
  const linked = await ids()
  const all = linked.slice(0, limit)
  for (let at = 0; at < all.length; at += reader.size) {
    const items = await reader.read(all.slice(at, at + reader.size), { signal, rateShare: 1 })
    const isCut = all.length < linked.length && at + reader.size >= all.length
    yield { items, nextCursor: undefined, ...(isCut && { isCut }) }
  }
}

/** For messages and hints. */
function textsFor(resource: Resource, on: ParentRecord | undefined) {
  const { singular, plural, parent: usual, commands }: ResourceDefinition = RESOURCES[resource]
  const parent = on?.of ?? usual
  const commandOf = (name: ApiOperation) => commands?.[name] ?? `crm ${plural} ${name}`
  const actions = on
    ? { list: `list the ${plural} of ${on.of} ${on.id}`, create: `add the ${singular} to ${on.of} ${on.id}` }
    : { list: `list ${plural}`, create: `create the ${singular}` }
  return {
    listCommand: commandOf('list'),
    done: (name: 'create' | 'update', id: string) =>
      `${singular} ${id} was ${name === 'create' ? 'created' : 'changed'}`,
    lookCommand: `crm ${plural} list${parent ? ` ${shellWord(on?.id ?? '')}${resource === 'note' ? onFlag(parent) : ''}` : ''}, where the server lists ${plural}`,
    ofAll: (name: 'list' | 'create') => ({
      action: actions[name],
      command: commandOf(name),
      findCommand: parent && `crm ${RESOURCES[parent].plural} list`,
    }),
    ofShown: (id: string) => ({
      action: `get ${singular} ${checkId(id, resource)}`,
      command: `crm ${plural} get`,
      findCommand: commandOf('list'),
    }),
    ofOne: (id: string, name: 'update' | 'delete' | 'test') => ({
      action: `${name} ${singular} ${checkId(id, resource)}`,
      command: name === 'test' ? `crm ${plural} ${name}` : commandOf(name),
      findCommand: parent ? undefined : commandOf('list'),
    }),
  }
}

interface ReadBack {
  /** What the answer to the write showed. */
  readonly written: CrmRecord
  /** Undefined: the record cannot be read. */
  readonly read: () => Promise<ShownUnderId>
  /** Called with the reason why the record cannot be shown. */
  readonly onUnread: (reason: string) => void
  /** Throws for another record than the written one. */
  readonly checkShown: (shown: Exclude<ShownUnderId, undefined>) => void
}

/**
 * The record after a write whose answer shows a part of it, or nothing. The write is done, so that a record which cannot be
 * read is no error.
 */
async function readBack({ written, read, onUnread, checkShown }: ReadBack): Promise<CrmRecord> {
  let shown: ShownUnderId
  try {
    shown = await read()
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    onUnread(error.message)
    return written
  }
  if (!shown) {
    onUnread('the server does not show it yet')
    return written
  }
  checkShown(shown)
  if ('record' in shown) return shown.record
  onUnread(otherReason(shown.otherId))
  return written
}

interface MadeRecord {
  readonly call: Call
  readonly id: string
  readonly sent: JsonObject
  /** When the request began, by the clock of the server. */
  readonly sinceMs: number
  /** If they are kept, the answer may be the kept one of an earlier request. */
  readonly keys: KeyState
}

/** CrmError `in_doubt` if the id that answers a create is that of another record. */
function checkMade(shown: Exclude<ShownUnderId, undefined>, made: MadeRecord): void {
  const why = 'record' in shown ? whyNotMade(shown.record, made) : whyOther(shown.otherId)
  if (why === undefined) return
  const reason = `the server answered with the id ${oneLine(made.id, 60)}, but ${why}`
  throw onceError(
    made.call,
    { code: 'in_doubt', reason, hint: '', rule: 'never', isInDoubt: true },
    { tries: 1, keys: made.keys },
  )
}

function whyNotMade(record: CrmRecord, { sent, sinceMs, keys }: MadeRecord): string | undefined {
  const isOld = wasThereBefore(record, sinceMs)
  if (isOld && !keys.isKept) return 'that record was there before'
  return isAnother(record, sent) ? 'that record has none of the values that were sent' : undefined
}

function whyOther(otherId: string | undefined): string | undefined {
  return otherId === undefined ? undefined : `shows the record ${oneLine(otherId, 60)} there`
}
