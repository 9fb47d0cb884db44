import { CrmError } from '../../core/errors.ts'
import { Problem } from '../problem.ts'
import type { Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'

export const healthRoutes: readonly Route[] = [
  { method: 'GET', path: '/healthz', scope: undefined, parameters: [], handle: showHealth },
  { method: 'GET', path: '/readyz', scope: undefined, parameters: [], handle: showReadiness },
]

/** Whether the process answers at all: one that does not is to be started again. */
async function showHealth(): Promise<Reply> {
  return { status: 200, body: '{"status":"ok"}', headers: {} }
}

/** Whether a write would be taken now: a service for which that is not so gets no requests until it is. */
async function showReadiness(store: Store): Promise<Reply> {
  try {
    await store.checkWritable()
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    const detail = 'the database takes no writes right now'
    throw new Problem(503, { code: 'not_ready', detail, headers: { 'retry-after': '5' } })
  }
  return { status: 200, body: '{"status":"ready"}', headers: {} }
}
