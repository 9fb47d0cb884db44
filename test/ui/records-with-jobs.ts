import type { JsonObject } from '../../src/core/json.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import type { BackgroundWorld } from '../../src/ui/background/parts.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import type { ServerList } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { ALL, NO_KEY, openClient } from '../api/client-fixture.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { jobsAt } from './jobs-at.ts'
import { uiOf } from './ui-of.ts'

/** New records of a real service on their screen, with jobs. */
export async function recordsWithJobs(list: ServerList, records: readonly JsonObject[], profile = '') {
  const service = await serveForTest()
  const url = new URL(service.url)
  const { api } = openClient(url, { key: service.key.text })
  const jobs = await jobsAt(url, service.key.text)
  const rows: CrmRecord[] = []
  for (const record of records) rows.push(await api[list].create(record, NO_KEY))
  const all = async (name: ServerList): Promise<readonly CrmRecord[]> => {
    const found: CrmRecord[] = []
    for await (const { items } of api[name].list(ALL)) found.push(...items)
    return found
  }
  const findRecords: BackgroundWorld['findRecords'] = async (name, ids) =>
    new Map((await all(name)).flatMap((row) => (ids.includes(String(row.id)) ? [[String(row.id), row]] : [])))
  const ui = await uiOf(list, { openApi: async () => api, openJobs: async () => jobs, findRecords })
  const page = { items: rows, nextCursor: undefined, searched: searchedIn(list) }
  ui.store.update((state) => withList(state, list, (before) => takePage(before, page)))
  if (profile !== '') ui.store.update((state) => ({ ...state, place: { ...state.place, profile } }))
  return {
    ...{ service, api, jobs, rows, ui, all },
    overlay: () => ui.store.get().overlay,
    /** The messages so far, the newest first. */
    said: () => ui.store.get().lists.log.rows.map(({ message }) => String(message)),
    shown: (member: string) => ui.store.get().lists[list].rows.map((row) => row[member] ?? null),
    /** Waits until nothing is being sent. */
    settled: () => ui.background.underWay.settled(),
  }
}
