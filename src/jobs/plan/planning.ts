import type { Api } from '../../api/api.ts'
import { askListed, type ListedName, memberByLabel } from '../../api/connectors/listed-names.ts'
import { allNotes, listParts } from '../../api/note-lists.ts'
import type { Page } from '../../api/operations.ts'
import { type HostTiming, SYSTEM_TIMING } from '../../api/transport/timing.ts'
import type { Asked } from '../../core/asked-members.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue, memberOf } from '../../core/json.ts'
import { id18 } from '../../core/record-ids.ts'
import type { ParentRecord } from '../../core/resources/parents.ts'
import {
  type CrmRecord,
  isListed,
  isReadOnly,
  RESOURCES,
  type Resource,
  resourceOf,
} from '../../core/resources/registry.ts'
import type { InputStream } from '../../core/streams.ts'
import { linksOf, relationsOf } from '../input/relations.ts'
import type { Relation, ServerMembers } from '../input/row.ts'
import { type WrongStage, wrongStage } from '../input/row-draft.ts'
import type { JobNoun } from './plan-format.ts'

/** What a command is shown while it plans. */
export interface PlanningHooks {
  onStep(step: PlanningStep): void
}

/** How far one part of the planning is. */
export interface PlanningStep {
  /** The name of the input, or of the records of the server. */
  readonly what: string
  readonly unit: 'records' | 'bytes'
  readonly done: number
  /** In the unit; undefined if it is unknown. */
  readonly total: number | undefined
}

/** How the records that rows are matched with were found. */
export interface Matching {
  readonly by: 'keys' | 'list'
  readonly fields: readonly string[]
  readonly requests: number
  /** The records read that show no value of the fields. */
  readonly unmatchable: number
}

/** What planning gets of the process and of its command. */
export interface PlanningHost {
  readonly stdin: () => InputStream
  readonly argv: readonly string[]
  readonly version: string
  readonly signal: AbortSignal
  readonly now: () => number
  /** Undefined: that of the system. */
  readonly timing: HostTiming | undefined
  readonly note: (line: string) => void
  /** For lists, which retry by themselves. */
  readonly api: () => Promise<Api>
}

interface Places {
  readonly account: string
  /** The folder of existing jobs; in a dry run it may not exist. */
  readonly jobsFolder: string
  /** The folder in which a new job is made. */
  readonly draftsFolder: string
}

/** What planning needs. */
export type PlanningContext = Awaited<ReturnType<typeof openPlanning>>

export async function openPlanning(
  host: PlanningHost,
  places: Places,
  { onStep }: PlanningHooks = { onStep: () => {} },
) {
  const { stdin, signal, version, argv: command, now: nowMs, note } = host
  const api = await host.api()
  const { keyReader, require, connector } = api
  const { upserts, offers, restores } = connector
  let read = 0
  return {
    ...{ ...places, stdin, signal, version, command, nowMs, note, onStep },
    /** Of the server: whether it has an upsert by a field, an operation, and restores a record that was deleted so long ago. */
    ...{ keyReader, require, upserts, offers, restores },
    /** All records, a page at a time. */
    list: (noun: JobNoun) => allRecords(host.api, noun),
    /** The notes of these records, a page at a time. */
    listParts: (parents: Iterable<ParentRecord>) => listParts(api, parents),
    /** What the server takes notes on. */
    parents: connector.parents('note'),
    /** The most records on a page of a list, where the connector says it. */
    pageSize: (resource: Resource) => connector.document.resources[resource]?.list?.paging.size?.max,
    checkGone: (noun: JobNoun, id: string) => checkGone(api, noun, id),
    rowRules: (noun: JobNoun) => rowRules(api, noun),
    /** Called with the number of further records read from the list. */
    onRead: (count: number) => {
      read += count
      onStep({ what: 'the records of the server', unit: 'records', done: read, total: undefined })
    },
    /** Ends early, with an error, when the command is interrupted. */
    sleep: async (ms: number) => {
      await (host.timing ?? SYSTEM_TIMING).sleep(ms, signal)
      signal.throwIfAborted()
    },
  }
}

/** What the connector allows in rows. */
export async function rowRules(api: Api, noun: JobNoun) {
  const { connector, references, listedNames } = api
  const resource = resourceOf(noun)
  const rules = connector.rules(resource)
  const { refs, map, selection } = rules
  await references.load(refs)
  const listed = await listedNames(resource)
  const { update, open: isOpen, id, fields = {}, links, hidden = [] } = connector.document.resources[resource] ?? {}
  const linkFields = Object.keys(links?.fields ?? {})
  const setByServer = new Set(listed?.flatMap(({ name, isReadOnly }) => (isReadOnly ? [name] : [])))
  /** Undefined where crm has values of its own for those of the server. */
  const listedAs = (name: string) => {
    if (!Object.hasOwn(fields, name)) return map.ownNameOf(name) ?? name
    const { ref, map: values, write: [at, ...more] = [] } = fields[name] ?? {}
    return ref === undefined && values === undefined && more.length === 0 ? at : undefined
  }
  /** Some servers refuse to show what they do not have, such as a field of crm that an export of another server has. */
  const isThere = (name: string) =>
    !listed ||
    !selection.asked ||
    Object.hasOwn({ ...fields, ...links?.fields }, name) ||
    listed.some((one) => one.name === (map.ownNameOf(name) ?? name))
  const lacking = listed ? lackingFields(resource, { ...fields, ...links?.fields }, listed) : []
  const isReadOnly = (name: string) => map.isReadOnly(name) || setByServer.has(map.ownNameOf(name) ?? '')
  return {
    /** Of the connector, and those that the server lists, or that its first record has; undefined where records may have any. */
    members: async (): Promise<ServerMembers | undefined> => {
      if (isOpen) return undefined
      const first = listed && selection.asked ? {} : await firstRecord(api, noun)
      const nestedNames = new Set([...map.nestedNames, ...nestedIn(first)])
      const all = [...map.names, ...Object.keys(first), ...(listed ?? []).map(({ name }) => name)]
      return {
        names: withoutShown(all, fields),
        isReadOnly,
        isNested: (name: string) => nestedNames.has(name),
        ...(id?.type === 'id18' && { ids: { whole: id18, members: idFields(fields) } }),
        ...(listed && { isClosed: true, ...listedMeaning(listed, listedAs, fields) }),
      }
    },
    /** The fields that refer to other records or have several values, and that the connector says. */
    relations: [...relationsOf(resource, fields), ...linksOf(links?.fields ?? {}), ...severalIn(listed, hidden)],
    /** Fields with links, and the kinds of records that a note may be on. */
    ...{ linkFields, parents: connector.parents(resource) },
    /** The types of the links in a field, by label. */
    linkTypes: (field: string) => api.linkTypes(resource, field),
    /** Whether records show only the members that they are asked for. */
    isSelecting: selection.asked !== undefined,
    /** From now on lists show these members, too; with `all`, each one that can be restored after a deletion. */
    ask: (names: Iterable<string>, all?: 'all'): Asked => {
      selection.ask([...[...names].filter(isThere), ...(all ? Object.keys(links?.fields ?? {}) : [])])
      const unasked = all && askListed(rules, listed)
      const { asked } = selection
      return { ...(asked && { asked }), ...(unasked && { unasked }) }
    },
    /** Whether the server sets this member, so that a new record cannot have it. */
    isReadOnly,
    /** Whether a connector file of one's own says where records have this field. */
    isOwnField: (name: string) => connector.word !== connector.name && Object.hasOwn(fields, name),
    /** Whether the server itself finds records by this field, so that it may be empty in all of them. */
    isKey: (name: string) => connector.upserts(resource, name),
    /** Whether updates leave this member out on purpose, and no field of crm has it. */
    isDropped: (name: string) => update?.drop.includes(map.ownNameOf(name) ?? '') === true,
    /** All values of a field in a record of a list, where it shows one of several; else none. */
    valuesOf: map.collectValues(),
    /** Whether the connector finds the id of this resource by its name, and refuses unknown ones. */
    refersTo: (other: Resource) => refs.includes(other),
    /** The values as a record shows them: the name of a stage in place of its id. */
    shown: (fields: JsonObject, record?: CrmRecord): JsonObject => map.shown(fields, { references, record }),
    /** Members under the server's own names that contradict a field of crm in the same row, with its name. */
    overruled: (fields: JsonObject): ReadonlyMap<string, string> => map.overruled(fields, references),
    /** Why the server could not keep these values, in lower case; undefined if it can. `record`: undefined for a new one. */
    faultIn: (fields: JsonObject, record: CrmRecord | undefined): string | undefined => {
      const set = Object.keys(fields).find((name) => setByServer.has(map.ownNameOf(name) ?? ''))
      if (set !== undefined) return `${set} is read-only on this server`
      const absent = lacking.find((name) => (memberOf(fields, name) ?? null) !== null)
      if (absent !== undefined) return `${absent} is no field of this server`
      try {
        const isWhole = record !== undefined && update?.sends === 'whole'
        map.write(fields, { isCreate: record === undefined, references, record, isWhole, drop: update?.drop })
        return undefined
      } catch (error) {
        if (error instanceof CrmError) return faultText(error)
        throw error
      }
    },
  }
}

/** What a field shows has its name alone, so that a heading such as `Email` is that of `email`. */
function withoutShown(
  names: readonly string[],
  fields: Readonly<Record<string, { readonly write: readonly string[] }>>,
): readonly string[] {
  const shown = new Set(Object.values(fields).map(({ write }) => write.join()))
  return names.filter((name) => !shown.has(name) || Object.hasOwn(fields, name))
}

function nestedIn(record: object): readonly string[] {
  return Object.entries(record).flatMap(([name, value]) => (isNested(value) ? [name] : []))
}

function idFields(fields: Readonly<Record<string, { readonly type?: string | undefined }>>): ReadonlySet<string> {
  return new Set(Object.entries(fields).flatMap(([name, { type }]) => (type === 'id' ? [name] : [])))
}

/** Fields of crm that neither the connector nor the list of the server has. */
function lackingFields(resource: Resource, mapped: object, listed: readonly ListedName[]): readonly string[] {
  const there = new Set([...Object.keys(mapped), ...listed.map(({ name }) => name)])
  return Object.keys(RESOURCES[resource].fields).filter((name) => !there.has(name) && !isReadOnly(name))
}

/** Members with several values in a list, or with several options in one text. */
function severalIn(listed: readonly ListedName[] = [], hidden: readonly string[]): readonly Relation[] {
  return listed.flatMap(({ name, label = name, isMany, isList }) =>
    isMany && !hidden.includes(name)
      ? [{ field: name, to: undefined, isMany: true, isJoined: !isList, names: [name, label] }]
      : [],
  )
}

/** What a server says of its members. */
function listedMeaning(
  listed: readonly ListedName[],
  nameOf: (field: string) => string | undefined,
  fields: Readonly<Record<string, { readonly write: readonly string[] }>>,
): Pick<ServerMembers, 'labelled' | 'typeOf' | 'choices'> {
  const byName = new Map(listed.map((one) => [one.name, one]))
  return {
    labelled: memberByLabel(listed, fields),
    typeOf: (name) => byName.get(nameOf(name) ?? '')?.valueType,
    choices: (name) => {
      const { options, isMany = false, isList } = byName.get(nameOf(name) ?? '') ?? {}
      return options || isList ? { options, isMany, isList } : undefined
    },
  }
}

export type RowRules = Awaited<ReturnType<typeof rowRules>>

/** Members pass under the server's own names, which only a record shows. */
async function firstRecord(api: Api, noun: JobNoun): Promise<CrmRecord> {
  const resource = resourceOf(noun)
  if (!isListed(resource) || !api.connector.offers(resource, 'list')) return {}
  for await (const { items } of api[RESOURCES[resource].plural].list({ limit: 1 })) return items[0] ?? {}
  return {}
}

function faultText({ message, details: { hint } }: CrmError): string {
  return hint?.startsWith('expected') ? `${message}, ${hint}` : message
}

function isNested(value: JsonValue): boolean {
  return Array.isArray(value) || isJsonObject(value)
}

/** All records of a resource. */
export async function* allRecords(openApi: () => Promise<Api>, noun: JobNoun): AsyncGenerator<Page> {
  const resource = resourceOf(noun)
  const api = await openApi()
  if (!isListed(resource)) return yield* allNotes(api)
  yield* api[RESOURCES[resource].plural].list()
}

/** CrmError `bad_answer` for a record that the list lacks and the server has; nothing where it cannot be asked for one. */
async function checkGone({ connector, ...api }: Api, noun: JobNoun, id: string): Promise<void> {
  const resource = resourceOf(noun)
  if (!isListed(resource) || !connector.offers(resource, 'get')) return
  if ((await api[RESOURCES[resource].plural].get(id)) === undefined) return
  throw new CrmError('bad_answer', `the list of ${noun} lacks ${id}, which the server has: nothing was sent`, {
    hint: connector.mismatchHint,
  })
}

/** The number of deals that are read for their pipelines. */
const DEALS = 100

/**
 * Valid names for the stage of a deal. No documented endpoint lists pipelines, but deals name theirs: if the last deals are
 * all in one pipeline, its stages; if not, undefined, because the pipeline of a new deal is unknown. Without deals, those of
 * all pipelines, if the server lists them.
 * Undefined also with a connector that lacks stages or deals.
 */
export async function stageNames(api: Api): Promise<readonly string[] | undefined> {
  const isListed = api.connector.offers('stage', 'list') && api.connector.offers('deal', 'list')
  return isListed ? stagesOfDeals(api) : undefined
}

async function stagesOfDeals(api: Api): Promise<readonly string[] | undefined> {
  const { deals, stages } = api
  const ids = new Set<string>()
  for await (const { items } of deals.list({ limit: DEALS, cursor: undefined, filters: {} })) {
    for (const { pipeline_id: id } of items) ids.add(idText(id) ?? '')
  }
  const [id] = ids
  if (ids.size === 0) {
    const listed = await listedStages(api)
    return listed && namesOf(listed)
  }
  if (!id || ids.size > 1) return undefined
  const names: string[] = []
  for await (const { items } of stages(id).list()) {
    for (const { name } of items) if (typeof name === 'string') names.push(name)
  }
  return names
}

/** The first of these names or ids that is not a stage of any pipeline; undefined if all are, or stages cannot be listed. */
export async function unknownStage(api: Api, stages: readonly string[]): Promise<WrongStage | undefined> {
  const listed = await listedStages(api)
  const ids = listed?.map(({ id }) => idText(id))
  const names = listed && namesOf(listed)
  const unknown = stages.find((stage) => !ids?.includes(stage) && wrongStage(stage, names))
  return wrongStage(unknown, names)
}

/** The stages of all pipelines: a name that none of them has is wrong for any deal. */
async function listedStages(api: Api): Promise<readonly JsonObject[] | undefined> {
  const listed: JsonObject[] = []
  const { connector, pipelines } = api
  try {
    if (connector.hasOneList('stage')) return await stagesIn(api, undefined)
    for await (const { items } of pipelines.list()) {
      for (const { id } of items) listed.push(...(await stagesIn(api, idText(id))))
    }
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_supported') return undefined
    throw error
  }
  return namesOf(listed).length === 0 ? undefined : listed
}

async function stagesIn({ stages }: Api, pipelineId: string | undefined): Promise<JsonObject[]> {
  const listed: JsonObject[] = []
  for await (const { items } of stages(pipelineId).list()) listed.push(...items)
  return listed
}

function namesOf(stages: readonly JsonObject[]): readonly string[] {
  return [...new Set(stages.map(({ name }) => name).filter((name) => typeof name === 'string'))]
}
