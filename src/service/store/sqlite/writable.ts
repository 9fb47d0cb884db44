import { statfsSync } from 'node:fs'
import { CrmError } from '../../../core/errors.ts'
import type { Connection } from './connection.ts'
import { inQuickTransaction } from './transaction.ts'

/** What a commit of some large records takes; a probe of one page may still fit where they do not. */
const NEEDED_BYTES = 1024 * 1024

/** Whoever asks more often than this, which needs no key, makes no more writes. */
const BELIEVED_MS = 1000

/** A check that throws what stands in the way of a write: the disk, or another process that holds the lock. */
export function writableCheck(db: Connection): () => void {
  let believedUntilMs = 0
  return () => {
    if (performance.now() < believedUntilMs) return
    if (db.file !== ':memory:') checkSpace(db.file)
    inQuickTransaction(db, () => db.run('UPDATE sequence SET last_serial = last_serial'))
    believedUntilMs = performance.now() + BELIEVED_MS
  }
}

function checkSpace(file: string): void {
  const { bavail, bsize } = statfsSync(file)
  if (bavail * bsize >= NEEDED_BYTES) return
  throw new CrmError('machine', `database ${file} has less than 1 MiB of disk left`, { hint: 'free some space' })
}
