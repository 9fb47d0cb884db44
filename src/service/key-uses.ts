import { CrmError } from '../core/errors.ts'
import type { KeyUse, Store } from './store/store.ts'

const HOUR_MS = 60 * 60 * 1000

/** The audit log that a killed process loses. A write for every request would double its cost. */
const FLUSH_MS = 60_000

export interface Use {
  readonly keyId: string
  readonly action: string
  readonly isRefused: boolean
  readonly atMs: number
  /** Undefined: the connection was closed before the request was read. */
  readonly address: string | undefined
}

type UseStore = Pick<Store, 'addKeyUses'>

export type KeyUses = ReturnType<typeof gatherKeyUses>

export interface GatherOptions {
  /** Called for a failure that a retry cannot correct. Its uses are dropped; the service continues. */
  readonly onFailure: (error: unknown) => void
  readonly flushMs?: number
}

/** Counts the uses of keys in memory, by hour and action, and writes them once a minute. */
export function gatherKeyUses(store: UseStore | Promise<UseStore>, { onFailure, flushMs = FLUSH_MS }: GatherOptions) {
  let gathered = new Map<string, KeyUse>()
  const flush = async (): Promise<void> => {
    const uses = gathered
    if (uses.size === 0) return
    gathered = new Map()
    try {
      await (await store).addKeyUses([...uses.values()])
    } catch (error) {
      if (!(error instanceof CrmError)) return onFailure(error)
      // The database is locked or full: keep these uses, with those gathered since, for the next flush.
      const since = gathered
      gathered = uses
      for (const use of since.values()) merge(gathered, use)
    }
  }
  const timer = setInterval(() => void flush(), flushMs)
  timer.unref()
  return {
    add: ({ keyId, action, isRefused, atMs, address }: Use): void =>
      merge(gathered, {
        keyId,
        action,
        hourMs: Math.floor(atMs / HOUR_MS) * HOUR_MS,
        count: 1,
        refusedCount: isRefused ? 1 : 0,
        lastAtMs: atMs,
        lastAddress: address ?? 'unknown',
      }),
    /** Writes the gathered uses and stops gathering. Resolves with the number of those that could not be written. */
    close: async (): Promise<number> => {
      clearInterval(timer)
      await flush()
      return [...gathered.values()].reduce((sum, { count }) => sum + count, 0)
    },
  }
}

function merge(uses: Map<string, KeyUse>, use: KeyUse): void {
  const place = `${use.hourMs} ${use.keyId} ${use.action}`
  const { count = 0, refusedCount = 0 } = uses.get(place) ?? {}
  uses.set(place, { ...use, count: count + use.count, refusedCount: refusedCount + use.refusedCount })
}
