import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback, reachableHere } from '../../core/origin.ts'

/** What deliveries are verified with, and the subscription that it belongs to, where it is known. */
export interface ListenTrust {
  readonly trust: readonly string[] | 'unverified'
  readonly subscriptionId: string | undefined
}

interface Wish {
  /** A new one is asked for, although one may be kept. */
  readonly isNew: boolean
  /** The address is used this once. */
  readonly isPassing: boolean
}

/**
 * The subscription that is kept for this server and address; else, for a service on this machine, a new one. It is never
 * ended: the contract has no way to, which is why one is used for ever. CrmError `usage` where none may be made.
 */
export async function trustSubscription(ctx: Context, listeningUrl: string, wish: Wish): Promise<ListenTrust> {
  const { baseUrl, key } = await ctx.target()
  const place = { origin: baseUrl.origin, url: reachableHere(listeningUrl).href }
  const kept = wish.isNew ? undefined : await (await ctx.settings()).subscription(place)
  if (kept) {
    ctx.addSecret(kept.secret)
    ctx.note(`Using the subscription ${kept.id ?? 'kept'} of ${place.origin}; --subscribe makes a new one.`)
    return { trust: [kept.secret], subscriptionId: kept.id }
  }
  if (!isLoopback(baseUrl.hostname)) throw unreachable(place)
  // A key that is not kept here asks for nothing to be kept: a job in CI leaves no file behind.
  const isKept = key.source === 'file' && !wish.isPassing
  if (!isKept && !wish.isNew) throw unknownSecret(place, key.source)
  return await subscribe(ctx, place, isKept)
}

interface Place {
  readonly origin: string
  readonly url: string
}

async function subscribe(ctx: Context, place: Place, isKept: boolean): Promise<ListenTrust> {
  const { webhooks } = await ctx.api()
  // To all events, whatever is shown this time: the subscription is used again with other filters.
  const fields = { url: place.url, events: ['*'], description: 'crm listen' }
  const { id, secret } = await webhooks.create(fields, { idempotencyKey: undefined })
  if (typeof secret !== 'string' || secret === '') {
    throw new CrmError('bad_answer', `${place.origin} made a subscription and showed no secret for it`, {
      hint: 'find the secret there, and give it: crm listen --secret-file FILE',
    })
  }
  ctx.addSecret(secret)
  const settings = await ctx.settings()
  const subscription = { id: typeof id === 'string' ? id : undefined, secret }
  if (isKept) await settings.storeSubscription(place, subscription)
  const where = isKept ? `kept in ${settings.paths().webhooks}` : 'not kept: it ends with this command'
  ctx.note(`Subscribed ${place.url} to all events of ${place.origin}; its secret is ${where}.`)
  return { trust: [secret], subscriptionId: subscription.id }
}

function unreachable({ origin, url }: Place): CrmError {
  return new CrmError('usage', `${origin} cannot reach ${url}, and no secret is known here`, {
    hint: 'give the secret of a subscription to an address that it reaches: crm listen --secret-file FILE',
  })
}

function unknownSecret({ origin, url }: Place, keySource: string): CrmError {
  return new CrmError(
    'usage',
    `no secret is known for ${url} at ${origin}, and with a key from ${keySource} none is made and kept`,
    { hint: 'for this run alone: crm listen --subscribe; or give one: crm listen --secret-file FILE' },
  )
}
