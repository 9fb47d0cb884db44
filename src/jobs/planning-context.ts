import { SYSTEM_TIMING } from '../api/transport/timing.ts'
import type { JobsHost } from './jobs-host.ts'
import type { PlanningContext, PlanningHooks } from './plan/make-job.ts'
import { crmAccount } from './send/run-on-server.ts'
import { allRecords, checkGone, listParts, rowRules } from './server-records.ts'
import { makeTrialFolder } from './store/job-folder.ts'

export function withHooks(make: PlanningContext, { onStep }: PlanningHooks): PlanningContext {
  let done = 0
  const onRead = (count: number) => {
    done += count
    onStep({ what: 'the records of the server', unit: 'records', done, total: undefined })
  }
  return { ...make, onRead, onStep }
}

export function planningContext(host: JobsHost, jobsFolder: string): Promise<PlanningContext> {
  return contextIn(host, jobsFolder, jobsFolder)
}

/** Reads existing jobs, and does not change them. */
export async function trialContext(host: JobsHost, jobsFolder: string): Promise<PlanningContext> {
  // Without a server there is nothing to plan: fails before a folder is made.
  await host.server()
  return contextIn(host, jobsFolder, makeTrialFolder(host.env, jobsFolder))
}

async function contextIn(host: JobsHost, jobsFolder: string, draftsFolder: string): Promise<PlanningContext> {
  const server = await host.server()
  const api = await host.api()
  return {
    account: crmAccount(server),
    ...{ jobsFolder, draftsFolder },
    stdin: host.stdin,
    signal: host.signal,
    version: host.version,
    command: host.argv,
    list: (noun) => allRecords(host.api, noun),
    listParts: (resource, parentIds) => listParts(api, resource, parentIds),
    pageSize: (resource) => api.connector.document.resources[resource]?.list?.paging.size?.max,
    keyReader: api.keyReader,
    upserts: api.connector.upserts,
    offers: api.connector.offers,
    restores: api.connector.restores,
    checkGone: (noun, id) => checkGone(api, noun, id),
    require: api.require,
    rowRules: (noun) => rowRules(api, noun),
    onRead: () => {},
    onStep: () => {},
    nowMs: host.now,
    sleep: async (ms) => {
      await (host.timing ?? SYSTEM_TIMING).sleep(ms, host.signal)
      host.signal.throwIfAborted()
    },
    note: host.note,
  }
}
