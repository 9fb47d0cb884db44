import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { idText } from '../core/exact-json.ts'
import type { CrmRecord } from '../core/resources.ts'

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

export async function findOne(ctx: Context, noun: 'contact' | 'deal', id: string): Promise<CrmRecord> {
  const api = await ctx.api()
  const list = noun === 'contact' ? api.contacts.list : api.deals.list
  const found = (await findByIds(list({ limit: undefined, cursor: undefined, filters: {} }), [id])).get(id)
  if (found) return found
  throw new CrmError('not_found', `there is no ${noun} ${JSON.stringify(id)}`, { hint: `crm ${noun}s list` })
}
