import type { JobPaths } from '../folder/job-folder.ts'
import type { Journal } from '../journal/journal.ts'
import { readJournal } from '../journal/read-journal.ts'
import { Witnesses } from './witness.ts'

/** Of these ids those that are the result of an operation that is done. */
export function claimedIn(paths: JobPaths, journal: Journal, ids: ReadonlySet<string>): ReadonlySet<string> {
  journal.flush()
  const claimed = new Set<string>()
  readJournal(paths.journal, (entry) => {
    if (entry.t !== 'done') return
    for (const [, , id] of entry.r) if (id !== null && ids.has(id)) claimed.add(id)
  })
  return claimed
}

/** Some of the last records that the job made or changed. */
export function witnessesIn(paths: JobPaths, journal: Journal): ReadonlySet<string> {
  journal.flush()
  const witnesses = new Witnesses()
  readJournal(paths.journal, (entry) => witnesses.take(entry))
  return witnesses.ids
}
