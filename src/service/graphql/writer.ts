import type { Answer, Store, Write } from '../store/store.ts'
import { type CheckedWrite, writeOnce } from '../write.ts'

export type Idempotency = NonNullable<Write['idempotency']>

/** What one request writes. */
export interface Writer {
  readonly store: Store
  write(what: CheckedWrite): Promise<Answer>
  /** Whether there were writes, and each of them had been done before. */
  isReplayed(): boolean
}

/**
 * Each write of a request has a key of its own, made from that of the request and the place among its writes: mutations run
 * one after the other, in the order of the document.
 */
export function openWriter(store: Store, idempotency: Idempotency | undefined): Writer {
  let count = 0
  let replayedCount = 0
  return {
    store,
    write: async (what) => {
      const key = idempotency && nthKey(idempotency, count)
      count += 1
      const { answer, isReplayed } = await writeOnce(store, { ...what, idempotency: key })
      if (isReplayed) replayedCount += 1
      return answer
    },
    isReplayed: () => count > 0 && replayedCount === count,
  }
}

/** Clients cannot send a line break in a key, so that none of theirs is ever one of these. */
function nthKey({ key, fingerprint }: Idempotency, place: number): Idempotency {
  return { key: place === 0 ? key : `${key}\n${place}`, fingerprint }
}
