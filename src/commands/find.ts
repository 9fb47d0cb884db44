import type { Api } from '../api/api.ts'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { findByIds } from '../core/record-ids.ts'
import { type CrmRecord, type ListedResource, RESOURCES } from '../core/resources/registry.ts'

/** By one GraphQL request if the server has it, else by a scan of the list. */
export async function findOne(
  ctx: Pick<Context, 'api' | 'seen'>,
  resource: ListedResource,
  id: string,
): Promise<CrmRecord> {
  const api = await ctx.api()
  const found = await findByGraphql(api, resource, id)
  const record = found === 'unknown' ? (await findByIds(listAll(api, resource), [id])).get(id) : found
  if (record) {
    ctx.seen(resource, [record])
    return record
  }
  throw notThere(resource, JSON.stringify(id))
}

export function notThere(resource: ListedResource, what: string): CrmError {
  return new CrmError('not_found', `there is no ${resource} ${what}`, {
    hint: `crm ${RESOURCES[resource].plural} list`,
  })
}

export function listAll(api: Api, resource: ListedResource): AsyncIterable<{ readonly items: readonly CrmRecord[] }> {
  return api[RESOURCES[resource].plural].list()
}

/** Failures that a scan would have, too. Not an outage: unlike a probe, a scan waits for its end. */
const FINAL: readonly string[] = ['interrupted', 'rate_limited', 'unauthorized', 'usage', 'no_key']

/** `unknown` if GraphQL is not available; undefined if there is no such record. */
export async function findByGraphql(
  api: Api,
  resource: ListedResource,
  id: string,
): Promise<CrmRecord | undefined | 'unknown'> {
  try {
    return await api.graphql.get(resource, id)
  } catch (error) {
    // Without GraphQL, the record can be found in the list.
    if (!(error instanceof CrmError) || FINAL.includes(error.code)) throw error
    return 'unknown'
  }
}
