import { CrmError } from '../../core/errors.ts'
import { Problem } from '../problem.ts'
import type { Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'

export const healthRoutes: readonly Route[] = [
  { method: 'GET', path: '/healthz', scope: undefined, parameters: [], handle: showHealth },
  { method: 'GET', path: '/readyz', scope: undefined, parameters: [], handle: showReadiness },
]

/** Liveness: whether the process answers. */
async function showHealth(): Promise<Reply> {
  return { status: 200, body: '{"status":"ok"}', headers: {} }
}

/** Readiness: whether the service can write now. */
async function showReadiness(store: Store): Promise<Reply> {
  try {
    await store.checkWritable()
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    const detail = 'the database cannot be written at the moment'
    throw new Problem(503, { code: 'not_ready', detail, headers: { 'retry-after': '5' } })
  }
  return { status: 200, body: '{"status":"ready"}', headers: {} }
}
