import { readIdempotency } from './idempotency.ts'
import { Problem } from './problem.ts'
import type { Call, Reply } from './route.ts'
import type { Answer, Store, Write } from './store/store.ts'

/** Does a write once, however often the call is sent with one idempotency key, and answers each time alike. */
export async function write(store: Store, call: Call, what: Omit<Write, 'idempotency'>): Promise<Reply> {
  const idempotency = call.method === 'DELETE' ? undefined : readIdempotency(call)
  const result = await store.write({ ...what, idempotency })
  if (result.type === 'done') return replyOf(result.answer, {})
  if (result.type === 'replayed') return replyOf(result.answer, { 'idempotent-replayed': 'true' })
  if (result.type === 'key_reused') {
    throw new Problem(422, {
      code: 'idempotency_key_reused',
      detail: 'this Idempotency-Key was used before for another request; make a new one',
    })
  }
  throw new Problem(409, {
    code: 'idempotency_in_progress',
    detail: 'a request with this Idempotency-Key is still running',
    headers: { 'retry-after': '1' },
  })
}

function replyOf(answer: Answer, headers: Record<string, string>): Reply {
  if (answer.location !== undefined) headers.location = answer.location
  if (answer.etag !== undefined) headers.etag = answer.etag
  return { status: answer.status, body: answer.body, headers }
}
