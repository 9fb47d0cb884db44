import type { Api } from '../api/api.ts'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { findByIds } from '../core/find-by-ids.ts'
import { type CrmRecord, FIELDS, type ListedResource, RESOURCES } from '../core/resources/registry.ts'
import { findByGraphql, findOne, listAll, notThere } from './find.ts'
import { readIds } from './ids-input.ts'
import type { ListPage } from './keep-matching.ts'
import { printList, printOne } from './print.ts'

/** Asked for side by side, over at most as many connections as the client opens; the columns of a table are made of so many. */
const PAGE_IDS = 100

/** An error that names thousands hides what it says. */
const MOST_NAMED = 20

type Found = ReadonlyMap<string, CrmRecord>

interface FoundMany {
  /** In the order of the ids. */
  readonly pages: AsyncIterable<ListPage>
  /** Complete when the pages have been taken. */
  readonly missing: readonly string[]
}

/** Records by their ids: each in one request over GraphQL where the server has it, else all from one scan of the list. */
export function findMany(api: Api, resource: ListedResource, ids: readonly string[]): FoundMany {
  const missing: string[] = []
  async function* pages(): AsyncGenerator<ListPage> {
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
  function pageOf(asked: readonly string[], found: Found): ListPage {
    missing.push(...asked.filter((id) => !found.has(id)))
    const items = asked.map((id) => found.get(id)).filter((record) => record !== undefined)
    return { items, nextCursor: undefined }
  }
  return { pages: pages(), missing }
}

/** Undefined when GraphQL does not tell; the first goes alone, so that a server without it is asked once. */
async function askForEach(api: Api, resource: ListedResource, ids: readonly string[]): Promise<Found | undefined> {
  const [first = '', ...others] = ids
  const answers = [await findByGraphql(api, resource, first)]
  if (answers[0] !== 'unknown')
    answers.push(...(await Promise.all(others.map((id) => findByGraphql(api, resource, id)))))
  if (answers.includes('unknown')) return undefined
  return new Map(answers.flatMap((record, at) => (record && record !== 'unknown' ? [[ids[at] ?? '', record]] : [])))
}

/**
 * What `get` does: one id that was typed is an object. Several, and whatever stdin holds, are a list, because what a pipe
 * is given must not have another shape on the day when there is one.
 */
export async function getByIds(ctx: Context, resource: ListedResource, words: readonly string[]): Promise<undefined> {
  const ids = await readIds(ctx, words, `crm ${RESOURCES[resource].plural} list -o id`)
  const [only] = words.length === 1 && words[0] !== '-' ? ids : []
  if (only !== undefined) return printOne(ctx, await findOne(ctx, resource, only), resource)
  const { pages, missing } = findMany(await ctx.api(), resource, ids)
  await printList(ctx, {
    pages,
    columns: FIELDS[resource],
    plural: ids.length === 0 ? 'ids on stdin' : `${RESOURCES[resource].plural} with these ids`,
    resource: resource,
  })
  if (missing.length === 0) return
  if (missing.length === ids.length) throw notThere(resource, namesOf(missing))
  throw new CrmError(
    'partial',
    `${missing.length} of ${ids.length} ${RESOURCES[resource].plural} are not there: ${namesOf(missing)}`,
    {
      hint: `crm ${RESOURCES[resource].plural} list`,
    },
  )
}

/** Some of them, and how many more there are. */
export function namesOf(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED
  return `${ids.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
