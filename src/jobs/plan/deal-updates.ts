import type { Api } from '../../api/api.ts'
import { dealInput } from '../../api/graphql/deal-input.ts'
import type { DealUpdates } from '../../api/graphql/graphql-api.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'

/** No documented endpoint changes a deal. CrmError `not_supported` says so where GraphQL does not either. */
export async function dealUpdates({ graphql }: Pick<Api, 'graphql'>): Promise<DealUpdates> {
  try {
    return await graphql.dealUpdates()
  } catch (cause) {
    if (!(cause instanceof CrmError) || cause.code !== 'not_supported') throw cause
    const message = `deals can only be changed over GraphQL, and ${cause.message}`
    throw new CrmError('not_supported', message, { ...cause.details, cause })
  }
}

/** What a plan says of one record. */
interface Change {
  readonly do: string
  readonly id?: string
  readonly body?: JsonObject
}

/** CrmError `usage` for a member that the server cannot change: better now than in every row. */
export function refuseUnchangeable(updates: DealUpdates | undefined, { do: kind, id, body }: Change): void {
  if (updates && kind === 'update' && id !== undefined && body) dealInput(updates.members, id, body)
}
