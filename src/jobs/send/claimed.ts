import type { JobPaths } from '../journal/job-folder.ts'
import type { Journal } from '../journal/journal.ts'
import { readJournal } from '../journal/read-journal.ts'
import { RecentRecords } from './recent-records.ts'

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
export function recentRecordsIn(paths: JobPaths, journal: Journal): ReadonlySet<string> {
  journal.flush()
  const recentRecords = new RecentRecords()
  readJournal(paths.journal, (entry) => recentRecords.take(entry))
  return recentRecords.ids
}
