import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseExactJson } from '../../core/exact-json.ts'
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
