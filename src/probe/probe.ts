import { CrmError, type ErrorCode } from '../core/errors.ts'
import { defined, type JsonObject, type JsonValue, objectOf } from '../core/json.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import { draftRecord } from './draft-record.ts'
import { differenceOf, type FoundList, findList, type Probing, readByConnector } from './find-list.ts'
import { nameOfHost } from './names.ts'
import { type Decision, Decisions } from './openapi/decisions.ts'
import { type Draft, fieldsText } from './openapi/make-draft.ts'
import { openProbing, type ProbeServer } from './pages.ts'

/** A server that is being probed: what was read of it is kept while a person answers. */
export interface ListProbe {
  /** Drafts the connector from what was read so far. CrmError if no list can be read. */
  draft(answers: ReadonlyMap<string, string>): Promise<Draft>
  /** Reads each list of the draft twice; a clause for each that does not hold. */
  prove(draft: Draft): Promise<readonly Decision[]>
  close(): Promise<void>
}

const PREFIXES = ['', '/v1', '/api', '/api/v1']

/** Where lists usually are; others are asked for. */
const USUAL: Readonly<Partial<Record<Resource, readonly string[]>>> = {
  contact: ['/contacts', '/people', '/persons'],
  deal: ['/deals', '/opportunities'],
}

export function openListProbe(server: ProbeServer, name: string | undefined): ListProbe {
  const { baseUrl, auth } = server
  const http = openProbing(server)
  const probing = { http, server }
  const known = new Map<string, FoundList>()
  let given: ReadonlyMap<string, string> = new Map()
  const read = async (resource: Resource, path: string) => {
    const key = JSON.stringify([resource, path, given.get(`${RESOURCES[resource].plural}.id`)])
    const found = known.get(key) ?? (await findList(probing, resource, { path, answers: given }))
    known.set(key, found)
    return found
  }
  const searched = new Map<Resource, string | undefined>()
  const failed: string[] = []
  const listOf = async (resource: Resource) => {
    const answer = given.get(RESOURCES[resource].plural)
    if (answer === undefined && !searched.has(resource))
      searched.set(resource, await searchList(probing, resource, { read, failed }))
    const path = answer ?? searched.get(resource)
    return path === undefined || path === 'none' ? undefined : read(resource, path)
  }
  let lists: readonly FoundList[] = []
  return {
    draft: async (answers) => {
      given = answers
      const decisions = new Decisions(answers)
      const all: FoundList[] = []
      for (const resource of Object.keys(RESOURCES) as Resource[]) all.push(...[(await listOf(resource)) ?? []].flat())
      if (all.length === 0) throw noList(server, failed)
      const found = all.filter(({ resource, records }) => records.length > 0 || answers.has(RESOURCES[resource].plural))
      lists = found.length > 0 ? found : all
      const absent = absentIn(answers, all, lists)
      for (const text of absent) decisions.remark('objects', text)
      const objects: JsonObject = {}
      for (const list of lists) objects[RESOURCES[list.resource].plural] = objectOfList(list, lists, decisions)
      const { origin, pathname, hostname } = baseUrl
      const base = pathname.replace(/\/+$/, '')
      const address = { origin, ...(base !== '' && { base }) }
      const value = { connector: 2, name: name ?? nameOfHost(hostname) ?? 'draft', ...address, auth, objects }
      const summary = lists.map((list) => summaryOf(list, objectOf(objects[RESOURCES[list.resource].plural])))
      return { value, open: decisions.open, remarks: decisions.remarks, summary: [...absent, ...summary] }
    },
    prove: (draft) => proveDraft(server, draft, lists),
    close: http.close,
  }
}

/** The resources that were searched in vain, or have no record yet: nobody asked for them. */
function absentIn(
  answers: ReadonlyMap<string, string>,
  all: readonly FoundList[],
  lists: readonly FoundList[],
): readonly string[] {
  return (Object.keys(USUAL) as Resource[]).flatMap((resource) => {
    const { plural } = RESOURCES[resource]
    const isOf = (list: FoundList) => list.resource === resource
    if (answers.has(plural) || lists.some(isOf)) return []
    const path = all.find(isOf)?.path
    if (path === undefined) return [`no path was found for ${plural}: --resource ${plural}=/PATH`]
    return [`${plural} are left out, for ${path} has none yet: --resource ${plural}=${path} when there are some`]
  })
}

interface Search {
  readonly read: (resource: Resource, path: string) => Promise<FoundList>
  /** Why the lists that were found could not be read. */
  readonly failed: string[]
}

/** Elsewhere, another path may do; any other failure is that of every path. */
const OF_PATH: readonly ErrorCode[] = [
  ...(['not_found', 'bad_answer', 'bad_request', 'rejected', 'invalid_values'] as const),
  ...(['forbidden', 'server_error', 'not_supported'] as const),
]

/** The first usual path that answers with a list. A key that is not accepted ends the search. */
async function searchList(probing: Probing, resource: Resource, { read, failed }: Search): Promise<string | undefined> {
  const { http, server } = probing
  const prefixes = server.baseUrl.pathname === '/' ? PREFIXES : ['']
  const paths = prefixes.flatMap((prefix) => (USUAL[resource] ?? []).map((each) => prefix + each))
  // Some servers have their paths with a slash at the end alone.
  for (const path of [...paths, ...paths.map((each) => `${each}/`)]) {
    try {
      const answer = await http.look(path)
      if (answer instanceof CrmError) throw answer
      if (typeof answer.json !== 'object') continue
      await read(resource, path)
      return path
    } catch (error) {
      if (!(error instanceof CrmError && OF_PATH.includes(error.code))) throw error
      if (error.code !== 'not_found') failed.push(error.message)
    }
  }
  return undefined
}

function noList({ baseUrl }: ProbeServer, [failed]: readonly string[]): CrmError {
  const why = failed === undefined ? '' : `: ${failed}`
  return new CrmError('not_found', `no list was found at the usual paths of ${baseUrl.origin}${why}`, {
    hint: 'name the path: --resource contacts=/PATH, and what leads to it in the address of --probe',
  })
}

/** What was proven, or what a person says: that one answer is the whole list. */
function pagingOf({ resource, paging, doubt, isOnePage }: FoundList, decisions: Decisions): JsonObject | undefined {
  const { plural } = RESOURCES[resource]
  const at = `objects.${plural}.verbs.list.paging`
  const id = `${plural}.whole`
  if (decisions.answer(id) === 'yes') {
    if (isOnePage) return { by: 'none' }
    throw new CrmError('usage', `--whole ${plural}: the server shows more than one page`, {
      hint: 'leave it out: the pages are read',
    })
  }
  if (doubt !== undefined) {
    const question = { id, ask: 'Is one answer always the whole list?', choices: ['yes', 'no'] }
    const flag = isOnePage ? `; if one answer is always the whole list: --whole ${plural}` : ''
    decisions.decide(at, `what leads to the next page: ${doubt}${flag}`, isOnePage ? question : undefined)
  } else if (paging?.most !== undefined) {
    const most = String(paging.most)
    const text = `one answer is taken for the whole list, as long as it has fewer than ${most} records: --whole ${plural} if it always is`
    decisions.remark(at, text)
  }
  return paging
}

function objectOfList(list: FoundList, all: readonly FoundList[], decisions: Decisions): JsonObject {
  const { path, itemsPath, records } = list
  const paging = pagingOf(list, decisions)
  // What is in doubt is left unfinished, so that the loader refuses it: half a list is not a list.
  const read = { ...defined({ items: itemsPath }), paging: paging ?? {} }
  if (records.length === 0) return { path, verbs: { list: read } }
  const { value } = draftRecord(list, decisions, new Map(all.map(({ resource }) => [resource, { value: {} }])))
  const { list: drafted, ...verbs } = objectOf(value.verbs)
  return { ...value, verbs: { list: { ...objectOf(drafted), ...read }, ...verbs } }
}

/** Reads each list of the draft twice by the connector, and compares it with what the probe read itself. An open one cannot be read. */
async function proveDraft(
  server: ProbeServer,
  { value }: Draft,
  lists: readonly FoundList[],
): Promise<readonly Decision[]> {
  // A list of a parent was read as one of all parents.
  const isClosed = ([, object]: [string, JsonValue]) =>
    pagingIn(object).by !== undefined && objectOf(object).parent === undefined
  const objects = Object.fromEntries(Object.entries(objectOf(value.objects)).filter(isClosed))
  const failed: Decision[] = []
  for (const { resource, reference } of lists) {
    const { plural } = RESOURCES[resource]
    if (!Object.hasOwn(objects, plural)) continue
    const problem = async () => differenceOf(reference, await readByConnector(server, { ...value, objects }, resource))
    const text = (await problem()) ?? (await problem())
    if (text === undefined) continue
    failed.push({ at: `objects.${plural}.verbs.list`, text: `the list was read again, and does not agree: ${text}` })
  }
  return failed
}

function pagingIn(object: JsonValue): JsonObject {
  return objectOf(objectOf(objectOf(objectOf(object).verbs).list).paging)
}

/** What was found, in a line. */
function summaryOf({ resource, path, records, reference: { isCut } }: FoundList, value: JsonObject): string {
  const count = isCut ? `the first ${records.length} records were read` : `${records.length} records`
  const { by = 'open', param, next, most } = pagingIn(value)
  const more = [next && `from ${String(next)}`, most && `below ${String(most)} records`]
  const how = [by === 'open' ? 'paging' : 'paging by', by, param, ...more].filter((each) => each).join(' ')
  return `${RESOURCES[resource].plural}: ${path}; ${count}; ${how}; fields ${fieldsText(value)}`
}
