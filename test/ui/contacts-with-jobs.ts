import { NO_KEY, openClient } from '../api/client-fixture.ts'
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
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs })
  return { api, jobs, rows, ui }
}
