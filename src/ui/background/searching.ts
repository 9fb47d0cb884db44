import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import { type CrmRecord, FIELDS, resourceOf } from '../../core/resources/registry.ts'
import { putRow, rowId } from '../list/list-state.ts'
import { searchedIn } from '../screens/all-screens.tsx'
import type { ServerList } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import type { Lists } from './loading.ts'
import type { Notices } from './notices.ts'

/** Searches the rows that are not loaded for the filter of a list: by a request of the server if it has one, else page by page. */
export type Search = (name: ServerList) => Promise<void>

interface Parts {
  readonly store: StateStore<State>
  readonly openApi: () => Promise<Api>
  readonly lists: Lists
  readonly notices: Notices
  readonly signal: AbortSignal
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

export function createSearch({ store, openApi, lists, notices, signal }: Parts): Search {
  /** The number of records that the server found, which are now in the list. */
  async function askServer(name: ServerList, email: string): Promise<number> {
    try {
      const found = await findByEmail(await openApi(), { state: store.get(), name, email, signal })
      for (const row of found) {
        store.update((state) => withList(state, name, (list) => putRow(list, row, searchedIn(name))))
      }
      return found.length
    } catch (error) {
      // The pages answer as well, and a failure that lasts is shown there.
      if (error instanceof CrmError) return 0
      throw error
    }
  }

  return async (name) => {
    const { filter, isComplete, failure } = store.get().lists[name]
    if (isComplete || filter === '' || failure?.isOfAnswer) return
    const found = EMAIL.test(filter) ? await askServer(name, filter) : 0
    if (found > 0) return notices.done(`The server found ${found} with this email; L loads all rows`)
    await lists.all(name)
  }
}

interface Wanted {
  readonly state: State
  readonly name: ServerList
  readonly email: string
  readonly signal: AbortSignal
}

/** Only records with exactly this address: a server that does not know the filter answers with others. */
async function findByEmail(api: Api, { state, name, email, signal }: Wanted): Promise<readonly CrmRecord[]> {
  const resource = resourceOf(name)
  if (!FIELDS[resource].some((field) => field === 'email')) return []
  const isWanted = (row: CrmRecord) =>
    rowId(row) !== undefined && String(row.email ?? '').toLowerCase() === email.toLowerCase()
  const reader = await api.keyReader(resource, 'email')
  if (reader) return (await reader.read([email], { signal, rateShare: 1 })).filter(isWanted)
  const filters = state.offered.fields[name]?.filters ?? 'any'
  if (filters !== 'any' && !filters.includes('email')) return []
  for await (const { items } of api[name].list({ limit: undefined, cursor: undefined, filters: { email }, signal })) {
    return items.filter(isWanted)
  }
  return []
}
