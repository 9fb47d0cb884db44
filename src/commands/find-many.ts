import type { Api } from '../api/api.ts'
import type { Page } from '../api/operations.ts'
import { CrmError } from '../core/errors.ts'
import { findByIds } from '../core/record-ids.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { type InputContext, readInput } from '../settings/read-input.ts'
import { type Findable, findByRequest, listAll } from './find.ts'

/** Records requested in parallel, over at most as many connections as the client opens; also those that determine the columns of a table. */
const PAGE_IDS = 100

/** The maximum number of ids in an error. */
const MAX_NAMED = 20

type Found = ReadonlyMap<string, CrmRecord>

interface FoundMany {
  /** In the order of the ids. */
  readonly pages: AsyncIterable<Page>
  /** Complete after the pages were read. */
  readonly missing: readonly string[]
}

/** Records by their ids: one request for each if the server has it, else one scan of the list. */
export function findMany(api: Api, resource: Findable, ids: readonly string[]): FoundMany {
  const missing: string[] = []
  async function* pages(): AsyncGenerator<Page> {
    for (let at = 0; at < ids.length; at += PAGE_IDS) {
      const asked = ids.slice(at, at + PAGE_IDS)
      const found = await askForEach(api, resource, asked)
      if (!found) {
        yield pageOf(ids.slice(at), await findByIds(listAll(api, resource), ids.slice(at)))
        return
      }
      yield pageOf(asked, found)
    }
  }
  function pageOf(asked: readonly string[], found: Found): Page {
    missing.push(...asked.filter((id) => !found.has(id)))
    const items = asked.map((id) => found.get(id)).filter((record) => record !== undefined)
    return { items, nextCursor: undefined }
  }
  return { pages: pages(), missing }
}

/** Undefined if the server has no request for one record. The first id is requested alone, so that such a server is asked once. */
async function askForEach(api: Api, resource: Findable, ids: readonly string[]): Promise<Found | undefined> {
  const [first = '', ...others] = ids
  const answers = [await findByRequest(api, resource, first)]
  if (answers[0] !== 'unknown')
    answers.push(...(await Promise.all(others.map((id) => findByRequest(api, resource, id)))))
  if (answers.includes('unknown')) return undefined
  return new Map(answers.flatMap((record, at) => (record && record !== 'unknown' ? [[ids[at] ?? '', record]] : [])))
}

/** The first ids, and the number of others. */
export function namesOf(ids: readonly string[]): string {
  const more = ids.length - MAX_NAMED
  return `${ids.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/**
 * Ids from arguments; `-` reads them from stdin, one a line. Duplicates are removed. `listCommand` prints such ids.
 */
export async function readIds(
  ctx: InputContext,
  words: readonly string[],
  listCommand: string,
): Promise<readonly string[]> {
  const ids = new Set<string>()
  for (const word of words) {
    // An empty variable in a script must not mean no record.
    if (word.trim() === '') throw new CrmError('usage', 'an id is empty', { hint: listCommand })
    const lines = word === '-' ? (await readInput(ctx, '-', 'ids from')).split('\n') : [word]
    for (const line of lines) if (line.trim()) ids.add(line.trim())
  }
  return [...ids]
}
