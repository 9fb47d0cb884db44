import type { JobPaths } from '../journal/job-folder.ts'
import { leftOutPages } from './left-out-pages.ts'

/** Why something of a job is not taken back by its undo, in the words of an error. */
const WORDS = { conflict: 'changed since', cannot: 'cannot be taken back', in_doubt: 'in doubt' } as const

/** `2 changed since, 1 in doubt`: what an undo was to take back and leaves, by record or row; undefined for nothing. */
export async function rowsLeft(paths: JobPaths): Promise<string | undefined> {
  const counts = { conflict: 0, cannot: 0, in_doubt: 0 }
  let last: unknown
  for await (const { items } of leftOutPages(paths)) {
    for (const { code, id = null, line = null } of items) {
      if (!isCounted(code)) continue
      // The members of one record follow each other.
      const row = `${code} ${line} ${id}`
      if (code === 'conflict' && row === last) continue
      last = row
      counts[code] += 1
    }
  }
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  return parts.length === 0
    ? undefined
    : parts.map(([code, count]) => `${count} ${WORDS[code as keyof typeof WORDS]}`).join(', ')
}

function isCounted(code: unknown): code is keyof typeof WORDS {
  return typeof code === 'string' && Object.hasOwn(WORDS, code)
}
