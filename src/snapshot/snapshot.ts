import type { Api } from '../api/api.ts'
import type { SnapshotEntry } from './entry.ts'
import { readSnapshot } from './read-snapshot.ts'
import { liveEntries } from './take-snapshot.ts'

/** In place of a file: the current records of the CRM. */
export const LIVE = 'live'

export interface SnapshotSources {
  api(): Promise<Api>
  stdin(): AsyncIterable<Uint8Array | string>
}

/** What a word of `crm diff` stands for; a server is asked only for `live`, and stdin read for `-`. */
export async function* entriesOf(
  word: string,
  { api, stdin }: SnapshotSources,
): AsyncGenerator<readonly SnapshotEntry[]> {
  if (word === LIVE) yield* liveEntries(await api())
  else yield* readSnapshot(word, stdin)
}
