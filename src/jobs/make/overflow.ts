import type { OverflowCounter } from './digest-counter.ts'
import { openScratch } from './scratch.ts'

/** Counts on disk what memory has no room for: ten times slower, and of any number. */
export function openOverflow(folder: string): OverflowCounter {
  const { database, close } = openScratch(folder, 'digests')
  database.exec('CREATE TABLE digests (digest TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID')
  const count = database.prepare(
    'INSERT INTO digests VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count - 1 AS before',
  )
  return { next: (digest) => Number(count.get(digest)?.before), close }
}
