import type { Api } from '../../api/api.ts'
import type { PageAnswer } from '../../api/operations.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, isSameJson, type JsonValue } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Unread } from '../../probe/signs.ts'

export interface ConnectorCheck {
  readonly resource: string
  readonly operation: string
  readonly state: 'ok' | 'warn' | 'failed' | 'not offered'
  readonly seen: string
  readonly failure?: CrmError
}

/** The start of a list, and one record of it. */
export async function checkReads(api: Api, resource: Resource): Promise<readonly ConnectorCheck[]> {
  const { plural, parent }: ResourceDefinition = RESOURCES[resource]
  const { connector } = api
  if (!connector.document.resources[resource]?.list) {
    return [{ resource: plural, operation: 'list', state: 'not offered', seen: '' }]
  }
  const { parent: listParent } = connector.rules(resource)
  if (listParent !== undefined) {
    return [{ resource: plural, operation: 'list', state: 'not offered', seen: `only of one ${parent ?? listParent}` }]
  }
  let records: readonly CrmRecord[] = []
  const list = await runCheck(plural, 'list', async () => {
    const start = await readStart(api, resource)
    records = start.records
    return judgeStart(api, resource, start)
  })
  const [first] = records
  const id = first && idText(first.id)
  if (list.state === 'failed' || !first || id === undefined || !connector.offers(resource, 'get')) return [list]
  const get = await runCheck(plural, 'get', async () => {
    const collection = api[plural as 'contacts']
    const record = await collection.get(id)
    if (!record) return checkFailed(`${id} of the list is not found`)
    const other = Object.keys(first).filter((name) => !isSameJson(record[name], first[name]))
    return other.length === 0
      ? { state: 'ok', seen: `${id}, as in the list` }
      : { state: 'warn', seen: `${id} differs from the list in ${other.slice(0, 5).join(', ')}` }
  })
  return [list, get]
}

interface ListStart {
  readonly records: readonly CrmRecord[]
  readonly pages: number
  /** What its only answer states of others. */
  readonly unread: Unread | undefined
}

/** A page and more, to see that the next page is found. */
async function readStart(api: Api, resource: Resource): Promise<ListStart> {
  const { paging } = api.connector.rules(resource)
  const collection = api[RESOURCES[resource].plural as 'contacts']
  const all = typeof collection === 'function' ? (collection as () => Api['contacts'])() : collection
  const records: CrmRecord[] = []
  const answers: PageAnswer[] = []
  const least = (paging.size?.max ?? 100) + 1
  // Without a size of pages, a limit would hide that the list ends with the first one.
  const limit = paging.size && { limit: least }
  let pages = 0
  let isEnded = true
  for await (const { items, nextCursor, isCut } of all.list({ ...limit, onAnswer: (each) => answers.push(each) })) {
    records.push(...items)
    pages += 1
    isEnded = nextCursor === undefined && !isCut
    if (records.length >= least) break
  }
  return { records, pages, unread: isEnded ? await unreadIn(api, resource, answers) : undefined }
}

function judgeStart(api: Api, resource: Resource, { records, pages, unread }: ListStart): CheckResult {
  const { paging } = api.connector.rules(resource)
  const seen = `${records.length} records, ${pages} ${pages === 1 ? 'page' : 'pages'}`
  if (unread?.isStated) return checkFailed(`${seen}, and there are more: ${unread.why}`)
  if (unread) return { state: 'warn', seen: `${seen}; are these all? ${unread.why}` }
  const isOrdered = pages < 2 || !['page', 'offset'].includes(paging.by) || hasOrder(api, resource)
  if (!isOrdered) return { state: 'warn', seen: `${seen}; pages by ${paging.by} without an order` }
  const empty = emptyFields(api, resource, records)
  if (empty.length > 0) {
    const places = empty.map(({ name, at }) => `${name} (${at})`).join(', ')
    return { state: 'warn', seen: `${seen}; none has ${places}: are these paths right?` }
  }
  // A wrong path is never there either.
  const isUnseen = pages < 2 && records.length > 1 && paging.absent === true
  return isUnseen
    ? {
        state: 'warn',
        seen: `${seen}; nothing was at ${paging.next}, which absent: true takes for the end: are these all?`,
      }
    : { state: 'ok', seen }
}

/** Pages that are counted are asked for until one is empty. */
async function unreadIn(
  { connector }: Api,
  resource: Resource,
  [answer, ...others]: readonly PageAnswer[],
): Promise<Unread | undefined> {
  const { paging, items } = connector.document.resources[resource]?.list ?? {}
  if (!paging || items === undefined || !answer || others.length > 0) return undefined
  const { by, absent, total } = paging
  if (!['none', 'link', 'next_url', 'cursor'].includes(by)) return undefined
  const isEndStated = total !== undefined || (!absent && (by === 'cursor' || by === 'next_url'))
  const { unreadAfter } = await import('../../probe/signs.ts')
  return unreadAfter(answer, items, isEndStated)
}

/** The fields of a file of one's own that no record shows, with their paths. */
function emptyFields({ connector }: Api, resource: Resource, records: readonly CrmRecord[]) {
  if (connector.word === connector.name) return []
  const { fields = {} } = connector.document.resources[resource] ?? {}
  return records.length === 0
    ? []
    : Object.entries(fields).flatMap(
        ([
          name,
          {
            read: [at],
          },
        ]) => (at === undefined || records.some((record) => !isEmpty(record[name])) ? [] : [{ name, at }]),
      )
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === ''
}

const ORDER = /sort|order/i

function hasOrder({ connector }: Api, resource: Resource): boolean {
  const list = connector.document.resources[resource]?.list
  return ORDER.test(Object.keys(list?.query ?? {}).join(' ')) || ORDER.test(JSON.stringify(list?.body ?? null))
}

export type CheckResult = Pick<ConnectorCheck, 'state' | 'seen'>

export function checkFailed(seen: string): CheckResult {
  return { state: 'failed', seen }
}

export async function runCheck(
  resource: string,
  operation: string,
  work: () => Promise<CheckResult>,
): Promise<ConnectorCheck> {
  try {
    return { resource, operation, ...(await work()) }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    return { resource, operation, state: 'failed', seen: error.message, failure: error }
  }
}
