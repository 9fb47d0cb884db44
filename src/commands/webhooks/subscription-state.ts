import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'

/** `unknown` where the server cannot be asked: REST has no way to, and not every server has GraphQL. */
export type SubscriptionState = 'enabled' | 'disabled' | 'gone' | 'unreachable' | 'unknown'

const QUERY = 'query ($id: ID!) { webhook(id: $id) { id status } }'

/** Whether a subscription that is kept here is still there. A server that does not answer now is asked nothing more. */
export async function askSubscription(ctx: Pick<Context, 'api'>, id: string): Promise<SubscriptionState> {
  const { graphql } = await ctx.api()
  const request = { query: QUERY, variables: { id }, operationName: undefined, idempotencyKey: undefined }
  try {
    const { json, errors } = await graphql.send({ ...request, isRead: true, isProbe: true })
    if (errors.length > 0 || !isJsonObject(json.data)) return 'unknown'
    const { webhook } = json.data
    if (webhook === null) return 'gone'
    return isJsonObject(webhook) && webhook.status === 'disabled' ? 'disabled' : 'enabled'
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    return error.code === 'unreachable' || error.code === 'timeout' ? 'unreachable' : 'unknown'
  }
}
