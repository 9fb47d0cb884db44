import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { idText } from '../core/exact-json.ts'
import { type CrmRecord, RESOURCES } from '../core/resources/registry.ts'

/**
 * Records by id, from a scan of the list: the contract has no way to ask for one. Stops as soon as all are found;
 * an id that no page holds is not in the answer.
 */
export async function findByIds(
  pages: AsyncIterable<{ readonly items: readonly CrmRecord[] }>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CrmRecord>> {
  const wanted = new Set(ids)
  const found = new Map<string, CrmRecord>()
  for await (const { items } of pages) {
    for (const item of items) {
      const id = idText(item.id)
      if (id !== undefined && wanted.has(id)) found.set(id, item)
    }
    if (found.size === wanted.size) break
  }
  return found
}

export type Noun = 'contact' | 'deal'

/** By GraphQL where the server has it, which is one request; else from a scan of the list. */
export async function findOne(ctx: Context, noun: Noun, id: string): Promise<CrmRecord> {
  const api = await ctx.api()
  const found = await findByGraphql(api, noun, id)
  const record = found === 'unknown' ? (await findByIds(listAll(api, noun), [id])).get(id) : found
  if (record) {
    ctx.seen(noun, [record])
    return record
  }
  throw notThere(noun, JSON.stringify(id))
}

export function notThere(noun: Noun, what: string): CrmError {
  return new CrmError('not_found', `there is no ${noun} ${what}`, { hint: `crm ${RESOURCES[noun].plural} list` })
}

export type Api = Awaited<ReturnType<Context['api']>>

export function listAll(api: Api, noun: Noun): AsyncIterable<{ readonly items: readonly CrmRecord[] }> {
  return api[RESOURCES[noun].plural].list()
}

/** Failures that a scan would meet too. An outage is none: the scan waits for its end, which a probe does not. */
const FINAL: readonly string[] = ['interrupted', 'rate_limited', 'unauthorized', 'usage', 'no_key']

/** `unknown` where GraphQL does not tell; undefined when there is no such record. */
export async function findByGraphql(api: Api, noun: Noun, id: string): Promise<CrmRecord | undefined | 'unknown'> {
  try {
    return await api.graphql.get(noun, id)
  } catch (error) {
    // Whatever is wrong with its GraphQL, a server that has the documented endpoints can be read.
    if (!(error instanceof CrmError) || FINAL.includes(error.code)) throw error
    return 'unknown'
  }
}
