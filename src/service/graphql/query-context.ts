import type { TargetRule } from '../delivery/target-rules.ts'
import type { Author } from '../store/history.ts'
import type { Store, StoreWrite, WriteAnswer } from '../store/store.ts'
import { type CheckedWrite, writeOnce } from '../write.ts'
import type { QueryReader } from './reader.ts'

export type Idempotency = NonNullable<StoreWrite['idempotency']>

/** The writes of one request. */
export interface QueryWriter {
  readonly store: Store
  write(change: CheckedWrite): Promise<WriteAnswer>
  /** Whether there were writes and all of them were replayed. */
  isReplayed(): boolean
}

/**
 * Each write of a request has its own idempotency key, derived from the request's key and the write's index: mutations run
 * sequentially, in the order of the document.
 */
export function openQueryWriter(store: Store, idempotency: Idempotency | undefined, by: Author): QueryWriter {
  let count = 0
  let replayedCount = 0
  return {
    store,
    write: async (change) => {
      const key = idempotency && nthKey(idempotency, count)
      count += 1
      const { answer, isReplayed } = await writeOnce(store, { ...change, idempotency: key, by })
      if (isReplayed) replayedCount += 1
      return answer
    },
    isReplayed: () => count > 0 && replayedCount === count,
  }
}

/** Keys of clients contain no line break, so they never equal one of these. */
function nthKey({ key, fingerprint }: Idempotency, place: number): Idempotency {
  return { key: place === 0 ? key : `${key}\n${place}`, fingerprint }
}

/** The context shared by the fields of one request. A type alias, as graphql-http's context has an index signature. */
export type QueryContext = {
  readonly reader: QueryReader
  readonly writer: QueryWriter
  /** The addresses to which events may be delivered. */
  readonly isTarget: TargetRule
  /** Set by a field that returns text to be inserted unchanged. */
  hasExactText: boolean
}

/** The schema has coerced the arguments, so resolvers rely on their types. */
// biome-ignore lint/suspicious/noExplicitAny: the executor's types come from the schema text, which TypeScript cannot derive
export type Resolver = (source: any, args: any, context: QueryContext) => unknown
