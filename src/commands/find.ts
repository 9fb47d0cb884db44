import type { Api } from '../api/api.ts'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { findByIds } from '../core/record-ids.ts'
import { type CrmRecord, isListed, type ListedResource, RESOURCES } from '../core/resources/registry.ts'

/** The resources whose records are found by their ids. */
export type Findable = ListedResource | 'webhook'

/** By one request if the server has it, else by a scan of the list. */
export async function findOne(ctx: Pick<Context, 'api' | 'seen'>, resource: Findable, id: string): Promise<CrmRecord> {
  const api = await ctx.api()
  const found = await findByRequest(api, resource, id)
  const record = found === 'unknown' ? (await findByIds(listAll(api, resource), [id])).get(id) : found
  if (record) {
    if (isListed(resource)) ctx.seen(resource, [record])
    return record
  }
  throw notThere(resource, JSON.stringify(id))
}

export function notThere(resource: Findable, what: string): CrmError {
  return new CrmError('not_found', `there is no ${resource} ${what}`, {
    hint: `crm ${RESOURCES[resource].plural} list`,
  })
}

export function listAll(api: Api, resource: Findable): AsyncIterable<{ readonly items: readonly CrmRecord[] }> {
  return api[RESOURCES[resource].plural].list()
}

/** Failures that a scan would have, too. Not an outage: unlike a probe, a scan waits for its end. */
const FINAL: readonly string[] = ['interrupted', 'rate_limited', 'unauthorized', 'usage', 'no_key']

/** `unknown` if the server has no request for one record; undefined if there is no such record. */
export async function findByRequest(
  api: Api,
  resource: Findable,
  id: string,
): Promise<CrmRecord | undefined | 'unknown'> {
  try {
    return await api[RESOURCES[resource].plural].get(id)
  } catch (error) {
    // Without a request for one record, it can be found in the list.
    const isOffered = api.connector.offers(resource, 'get')
    if (isOffered || !(error instanceof CrmError) || FINAL.includes(error.code)) throw error
    return 'unknown'
  }
}
