import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import type { FailurePage } from './failure-pages.ts'

const PAGE = 500

/** The rows and members that a plan leaves out, in its order, as records. */
export async function* leftOutPages({ leftOut }: JobPaths): AsyncGenerator<FailurePage> {
  if (!existsSync(leftOut)) return
  let items: CrmRecord[] = []
  for await (const line of createInterface({ input: createReadStream(leftOut) })) {
    items.push(parseExactJson(line) as CrmRecord)
    if (items.length < PAGE) continue
    yield { items, nextCursor: undefined }
    items = []
  }
  yield { items, nextCursor: undefined }
}

/** Why an undo does not revert a row, in the words of its error. */
const WORDS = { conflict: 'changed since', cannot: 'cannot be reverted', in_doubt: 'in doubt' } as const

/** `2 changed since, 1 in doubt`: the records or rows that an undo does not revert; undefined if there are none. */
export async function rowsLeft(paths: JobPaths): Promise<string | undefined> {
  const counts = { conflict: 0, cannot: 0, in_doubt: 0 }
  let last: unknown
  for await (const { items } of leftOutPages(paths)) {
    for (const { code, id = null, line = null } of items) {
      if (!isCounted(code)) continue
      // The members of one record are adjacent.
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
