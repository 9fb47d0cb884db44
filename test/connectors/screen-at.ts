import { openConnector } from '../../src/api/connectors/open-connector.ts'
import { learnOffered } from '../../src/ui/background/learn-offered.ts'
import type { ServerList } from '../../src/ui/screens.ts'
import { openClient } from '../api/client-fixture.ts'
import { jobsAt } from '../ui/jobs-at.ts'
import { uiOf } from '../ui/ui-of.ts'
import type { ConnectedServer } from './servers.ts'

/** A screen of crm browse at a server with a shipped connector, and its loaded rows. */
export async function screenAt({ env }: ConnectedServer, list: ServerList) {
  const {
    CRM_CONNECTOR: name = '',
    CRM_CONNECTOR_VARS: pairs = '',
    CRM_BASE_URL: url = '',
    CRM_API_KEY: key = '',
  } = env
  const baseUrl = new URL(url)
  const variables = Object.fromEntries(pairs === '' ? [] : [pairs.split('=')])
  const connector = await openConnector({ name, variables }, { baseUrl, pageSize: undefined })
  const { api } = openClient(baseUrl, { key, connector })
  const jobs = await jobsAt(baseUrl, key, undefined, { connector })
  const findRecords = async () => new Map()
  const openApi = async () => api
  const ui = await uiOf(list, { openApi, openJobs: async () => jobs, findRecords })
  await learnOffered(ui.store, openApi)
  await ui.background.lists.all(list)
  return { ui, jobs, rows: ui.store.get().lists[list].rows, overlay: () => ui.store.get().overlay }
}
