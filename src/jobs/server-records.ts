import type { Api } from '../api/api.ts'
import { askListed } from '../api/connectors/listed-names.ts'
import type { KeyReader, KeyReadTerms } from '../api/keyed-reads.ts'
import type { Page } from '../api/operations.ts'
import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject, type JsonValue } from '../core/json.ts'
import { type CrmRecord, isListed, RESOURCES, resourceOf } from '../core/resources/registry.ts'
import type { RowRules } from './plan/make-job.ts'
import type { JobNoun } from './plan/plan-format.ts'
import type { ReadRecords } from './send/sender-adapters.ts'
import type { RunTerms } from './send/services.ts'
import type { JobPaths } from './store/job-folder.ts'
import { openJob } from './store/open-job.ts'

/** The client, which has learnt the operations of the job: another process may have planned it. */
export async function apiFor(api: Api, paths: JobPaths, { isRestDropped }: RunTerms): Promise<Api> {
  if (isRestDropped) return api
  const plan = openJob(paths)
  try {
    const { head, end } = plan
    const resource = resourceOf(head.noun)
    if (head.asked) api.connector.rules(resource).selection.ask(head.asked)
    if (end.update > 0 && head.updates === undefined) api.require(resource, 'update')
    if (end.delete > 0) api.require(resource, 'delete')
    return api
  } finally {
    plan.close()
  }
}

/** What the connector allows in rows. */
export async function rowRules(api: Api, noun: JobNoun): Promise<RowRules> {
  const { connector, references, listedNames } = api
  const resource = resourceOf(noun)
  const rules = connector.rules(resource)
  const { refs, map, selection } = rules
  await references.load(refs)
  const listed = selection.asked && (await listedNames(resource))
  const { update, open: isOpen, fields = {} } = connector.document.resources[resource] ?? {}
  const setByServer = new Set(listed?.flatMap(({ name, isReadOnly }) => (isReadOnly ? [name] : [])))
  const isReadOnly = (name: string) => map.isReadOnly(name) || setByServer.has(map.ownNameOf(name) ?? '')
  return {
    members: async () => {
      if (isOpen) return undefined
      const first = listed ? {} : await firstRecord(api, noun)
      const nested = Object.entries(first).flatMap(([name, value]) => (isNested(value) ? [name] : []))
      const nestedNames = new Set([...map.nestedNames, ...nested])
      const names = [...map.names, ...Object.keys(first), ...(listed ?? []).map(({ name }) => name)]
      return { names, isReadOnly, isNested: (name) => nestedNames.has(name) }
    },
    isSelecting: selection.asked !== undefined,
    ask: (names, all) => {
      selection.ask(names)
      const unasked = all && askListed(rules, listed)
      const { asked } = selection
      return { ...(asked && { asked }), ...(unasked && { unasked }) }
    },
    isReadOnly,
    isOwnField: (name) => connector.word !== connector.name && Object.hasOwn(fields, name),
    isDropped: (name) => update?.drop.includes(map.ownNameOf(name) ?? '') === true,
    valuesOf: map.collectValues(),
    refersTo: (other) => refs.includes(other),
    shown: (fields, record) => map.shown(fields, { references, record }),
    overruled: (fields) => map.overruled(fields, references),
    faultIn: (fields, record) => {
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
  if (!isListed(resource)) throw new Error(`${noun} have no list`)
  const api = await openApi()
  yield* api[RESOURCES[resource].plural].list()
}

/** CrmError `bad_answer` for a record that the list lacks and the server has; nothing where it cannot be asked for one. */
export async function checkGone({ connector, ...api }: Api, noun: JobNoun, id: string): Promise<void> {
  const resource = resourceOf(noun)
  if (!isListed(resource) || !connector.offers(resource, 'get')) return
  if ((await api[RESOURCES[resource].plural].get(id)) === undefined) return
  throw new CrmError('bad_answer', `the list of ${noun} lacks ${id}, which the server has: nothing was sent`, {
    hint: connector.mismatchHint,
  })
}

/** Lists read at the same time. */
const PARTS_AT_ONCE = 8

/** The notes of some deals. Those of a deal that was deleted are gone, too. */
export async function* listParts(api: Api, resource: 'note', parentIds: Iterable<string>): AsyncGenerator<Page> {
  const { connector } = api
  if (connector.offers(resource, 'list') && connector.rules(resource).parent === undefined) {
    yield* api.notes().list()
    return
  }
  const ids = [...parentIds]
  for (let at = 0; at < ids.length; at += PARTS_AT_ONCE) {
    const lists = ids.slice(at, at + PARTS_AT_ONCE).map((id) => pagesOf(api.notes(id).list()))
    for (const pages of await Promise.all(lists)) yield* pages
  }
}

async function pagesOf(list: AsyncIterable<Page>): Promise<readonly Page[]> {
  try {
    const pages: Page[] = []
    for await (const page of list) pages.push(page)
    return pages
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_found') return []
    throw error
  }
}

/** Reads records by id, before changes that no version guards; undefined if there are none, or the server has no request for it. */
export async function recordReader(api: Api, paths: JobPaths, terms: KeyReadTerms): Promise<ReadRecords | undefined> {
  const plan = openJob(paths)
  plan.close()
  const resource = resourceOf(plan.head.noun)
  if (!plan.end.unguarded || !isListed(resource)) return undefined
  const keyed = await api.keyReader(resource, 'id')
  if (keyed) return async (ids) => byId((await inParts(keyed, ids, terms)).flat())
  if (!api.connector.offers(resource, 'get')) return undefined
  const records = api[RESOURCES[resource].plural]
  return async (ids) => byId(await Promise.all(ids.map((id) => recordIfThere(records, id))))
}

function inParts({ size, read }: KeyReader, ids: readonly string[], terms: KeyReadTerms) {
  const parts = Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size))
  return Promise.all(parts.map((part) => read(part, terms)))
}

async function recordIfThere(records: Pick<Api['contacts'], 'get'>, id: string): Promise<CrmRecord | undefined> {
  try {
    return await records.get(id)
  } catch (error) {
    // The write tells whether it is missing; some keys may write, and not read.
    if (error instanceof CrmError && ['not_found', 'forbidden', 'not_supported'].includes(error.code)) return undefined
    throw error
  }
}

function byId(records: readonly (CrmRecord | undefined)[]): ReadonlyMap<string, CrmRecord> {
  return new Map(records.flatMap((record) => (record ? [[idText(record.id) ?? '', record] as const] : [])))
}
