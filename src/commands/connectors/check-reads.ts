import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, isSameJson, type JsonValue } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../core/resources/registry.ts'

export interface ConnectorCheck {
  readonly resource: string
  readonly operation: string
  readonly state: 'ok' | 'warn' | 'failed' | 'not offered'
  readonly seen: string
  readonly failure?: CrmError
}

/** A list that is longer than a page, and one record of it. */
export async function checkReads(api: Api, resource: Resource): Promise<readonly ConnectorCheck[]> {
  const { plural, parent }: ResourceDefinition = RESOURCES[resource]
  const { connector } = api
  if (!connector.document.resources[resource]?.list) {
    return [{ resource: plural, operation: 'list', state: 'not offered', seen: '' }]
  }
  const { paging, parent: listParent } = connector.rules(resource)
  if (listParent !== undefined) {
    return [{ resource: plural, operation: 'list', state: 'not offered', seen: `only of one ${parent ?? listParent}` }]
  }
  const records: CrmRecord[] = []
  let pages = 0
  const list = await runCheck(plural, 'list', async () => {
    // One more than a page, to see that the next page is found.
    const limit = (paging.size?.max ?? 100) + 1
    const collection = api[plural as 'contacts']
    const all = typeof collection === 'function' ? (collection as () => Api['contacts'])() : collection
    for await (const { items } of all.list({ limit })) {
      records.push(...items)
      pages += 1
    }
    const empty = emptyFields(api, resource, records)
    const isOrdered = pages < 2 || !['page', 'offset'].includes(paging.by) || hasOrder(api, resource)
    const seen = `${records.length} records, ${pages} ${pages === 1 ? 'page' : 'pages'}`
    if (!isOrdered) return { state: 'warn', seen: `${seen}; pages by ${paging.by} without an order` }
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
