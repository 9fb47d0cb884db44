import type { Store } from '../store/store.ts'
import { keyReused } from '../write.ts'
import type { Idempotency } from './writer.ts'

/**
 * The whole response is stored under the key, besides the answers of its writes, as the selected fields may change. After a
 * crash between the two, the writes are replayed and the selected fields are read again.
 */
export async function findReply(store: Store, idempotency: Idempotency): Promise<string | undefined> {
  const reply = await store.replay(replyKey(idempotency))
  if (reply?.type === 'replayed') return reply.answer.body
  const write = reply ?? (await store.replay(idempotency))
  if (write?.type === 'key_reused') throw keyReused()
  return undefined
}

/** Stores the response with a write that changes no record. */
export async function keepReply(store: Store, idempotency: Idempotency, body: string): Promise<void> {
  const answer = { status: 200, body, location: undefined, etag: undefined }
  await store.write({
    kind: 'contact',
    id: '',
    parent: undefined,
    idempotency: replyKey(idempotency),
    decide: () => ({ next: undefined, deal: undefined, event: undefined, answer }),
  })
}

/** Keys of clients contain no line break, so they never equal this one. */
function replyKey({ key, fingerprint }: Idempotency): Idempotency {
  return { key: `${key}\nreply`, fingerprint }
}
