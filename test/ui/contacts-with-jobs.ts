import type { CrmRecord } from '../../src/core/resources/registry.ts'
import type { FindRecords } from '../../src/ui/background/restore-kept.ts'
import { ALL, NO_KEY, openClient } from '../api/client-fixture.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { jobsAt } from './jobs-at.ts'
import { uiOf } from './ui-of.ts'

/** New contacts of a real service, and screens of it with jobs; the contacts are not loaded yet. */
export async function contactsWithJobs(names: readonly string[]) {
  const service = await serveForTest()
  const url = new URL(service.url)
  const { api } = openClient(url, { key: service.key.text })
  const jobs = await jobsAt(url, service.key.text)
  const rows = await Promise.all(names.map((name) => api.contacts.create({ name }, NO_KEY)))
  const findRecords: FindRecords = async (name, ids) => {
    const found = new Map<string, CrmRecord>()
    for await (const { items } of api[name].list(ALL)) for (const row of items) found.set(String(row.id), row)
    return new Map([...found].filter(([id]) => ids.includes(id)))
  }
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs, findRecords })
  return { api, jobs, rows, ui }
}
