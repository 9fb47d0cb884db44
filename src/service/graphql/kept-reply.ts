import type { Store } from '../store/store.ts'
import { keyReused } from '../write.ts'
import type { Idempotency } from './writer.ts'

/**
 * The whole answer under a key, beside those of the writes: what a mutation selects may have changed since. After a crash
 * between the two the writes are replayed, and what else is selected is read again, because it was never sent.
 */
export async function findReply(store: Store, idempotency: Idempotency): Promise<string | undefined> {
  const reply = await store.replay(replyKey(idempotency))
  if (reply?.type === 'replayed') return reply.answer.body
  const write = reply ?? (await store.replay(idempotency))
  if (write?.type === 'key_reused') throw keyReused()
  return undefined
}

/** A write that keeps its answer and changes no record. */
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

/** Clients cannot send a line break in a key, so that none of theirs is ever this one. */
function replyKey({ key, fingerprint }: Idempotency): Idempotency {
  return { key: `${key}\nreply`, fingerprint }
}
