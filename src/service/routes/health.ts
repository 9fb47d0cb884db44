import type { Reply, Route } from '../route.ts'

export const healthRoutes: readonly Route[] = [
  { method: 'GET', path: '/healthz', scope: undefined, parameters: [], handle: showHealth },
]

async function showHealth(): Promise<Reply> {
  return { status: 200, body: '{"status":"ok"}', headers: {} }
}
