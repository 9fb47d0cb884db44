import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/http-rules.ts'
import type { KeptSubscription } from '../../settings/subscriptions.ts'
import { commandLine } from '../command-line.ts'

/** The secrets for verification, and their subscription if known. */
export interface ListenTrust {
  readonly secrets: readonly string[] | 'unverified'
  readonly subscriptionId: string | undefined
  /** The subscription was made for this run, and its secret is lost with it. */
  readonly isForRun?: boolean
}

interface SubscriptionRules {
  /** Make a new subscription, even if one is stored. */
  readonly isNew: boolean
  /** The address is temporary. */
  readonly isPassing: boolean
  /** The address is reachable from any server. */
  readonly isPublic: boolean
}

/**
 * The stored subscription for this server and address; else, for a service on this machine, a new one. Subscriptions are
 * reused, so that events sent without a listener arrive with the next try. CrmError `usage` if none may be made.
 */
export async function trustSubscription(ctx: Context, address: URL, rules: SubscriptionRules): Promise<ListenTrust> {
  const { baseUrl, key } = await ctx.target()
  const place = { origin: baseUrl.origin, url: address.href }
  const kept = await (await ctx.settings()).subscription(place)
  const keptSecrets = secretsOf(ctx, kept)
  if (kept && !rules.isNew) {
    const ended = await whyEnded(ctx, kept.id, place)
    if (ended === undefined) return { secrets: keptSecrets, subscriptionId: kept.id }
    // A new one is made only if one would have been made without it.
    if (!isLoopback(baseUrl.hostname) || rules.isPublic || key.source !== 'file') throw endedError(ctx, ended)
    ctx.note(`No longer used: ${ended}.`)
  }
  if (!isLoopback(baseUrl.hostname) && !rules.isPublic) throw unreachable(place)
  if (rules.isPublic && !rules.isNew) throw unknownPublic(ctx, place)
  // Without a stored key, nothing is stored: jobs in CI leave no files.
  const isKept = key.source === 'file' && !rules.isPassing
  if (!isKept && !rules.isNew) throw unknownSecret(ctx, place, key.source)
  const made = await subscribe(ctx, place, isKept)
  return { ...made, secrets: [...made.secrets, ...keptSecrets], isForRun: !isKept }
}

const REMOVAL_MS = 5000

/** Deletes a subscription that was made for this run, also after Ctrl-C. What stays is noted. */
export async function removeForRun(
  ctx: Pick<Context, 'api' | 'note'>,
  { isForRun, subscriptionId: id }: ListenTrust,
): Promise<void> {
  if (!isForRun || id === undefined) return
  try {
    const { webhooks } = await ctx.api(undefined, AbortSignal.timeout(REMOVAL_MS))
    await webhooks.delete(id, { ifMatch: undefined })
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    if (error.code === 'not_found') return
    ctx.note(`The subscription ${id} stays on the server: ${error.message}`)
    return
  }
  ctx.note(`Deleted the subscription ${id}, which was made for this run.`)
}

/** Includes the secrets of earlier subscriptions, which may still send events. */
function secretsOf(ctx: Pick<Context, 'addSecret'>, kept: KeptSubscription | undefined): readonly string[] {
  const secrets = kept ? [kept.secret, ...kept.olderSecrets] : []
  for (const secret of secrets) ctx.addSecret(secret)
  return secrets
}

/** Why the stored subscription cannot be used; undefined if it can, which is noted with its state. */
async function whyEnded(ctx: Context, id: string | undefined, { origin, url }: Place): Promise<string | undefined> {
  const state = id === undefined ? 'unknown' : await readSubscriptionState(ctx, id)
  if (state === 'gone' || state === 'disabled') return `the subscription ${id} of ${origin} to ${url} is ${state} there`
  const explanations = {
    enabled: 'failed deliveries arrive with the next try of the sender',
    unreachable: 'the server cannot be reached now; events arrive when it is back',
    unknown: `it is unknown whether it still exists; --subscribe makes a new one`,
  }
  ctx.note(`Using the subscription ${id ?? 'kept'} of ${origin}; ${explanations[state]}.`)
  return undefined
}

function endedError(ctx: Pick<Context, 'argv'>, what: string): CrmError {
  return new CrmError('usage', what, { hint: `make a new one: ${commandLine([...ctx.argv, '--subscribe'])}` })
}

interface Place {
  readonly origin: string
  readonly url: string
}

async function subscribe(
  ctx: Pick<Context, 'addSecret' | 'api' | 'note' | 'settings'>,
  place: Place,
  isKept: boolean,
): Promise<{ readonly secrets: readonly string[]; readonly subscriptionId: string | undefined }> {
  const { webhooks } = await ctx.api()
  // To all events: the subscription is used again with other filters.
  const fields = { url: place.url, events: ['*'], description: 'crm listen' }
  const { id, secret } = await webhooks.create(fields, { idempotencyKey: undefined })
  if (typeof secret !== 'string' || secret === '') {
    throw new CrmError('bad_answer', `${place.origin} made a subscription without showing its secret`, {
      hint: 'find the secret there, and give it: crm listen --secret-file FILE',
    })
  }
  ctx.addSecret(secret)
  const settings = await ctx.settings()
  const subscription = { id: typeof id === 'string' ? id : undefined, secret }
  if (isKept) await settings.storeSubscription(place, subscription)
  const where = isKept
    ? `kept in ${settings.paths().webhooks}`
    : 'not stored: it is lost when this command ends, which then deletes the subscription if the server can'
  ctx.note(`Subscribed ${place.url} to all events of ${place.origin}; its secret is ${where}.`)
  return { secrets: [secret], subscriptionId: subscription.id }
}

function unreachable({ origin, url }: Place): CrmError {
  return new CrmError('usage', `${origin} cannot reach ${url}, and no secret is known here`, {
    hint: 'give the address that it reaches: --subscribe --public-url URL; or the secret of a subscription: --secret-file FILE',
  })
}

function unknownPublic(ctx: Pick<Context, 'argv'>, { origin, url }: Place): CrmError {
  return new CrmError('usage', `no subscription of ${origin} to ${url} is known here`, {
    hint: `make one: ${commandLine([...ctx.argv, '--subscribe'])}`,
  })
}

function unknownSecret(ctx: Pick<Context, 'argv'>, { origin, url }: Place, keySource: string): CrmError {
  return new CrmError(
    'usage',
    `no secret is known for ${url} at ${origin}, and with a key from ${keySource} crm makes and stores none`,
    { hint: `for this run alone: ${commandLine([...ctx.argv, '--subscribe'])}; or give one: --secret-file FILE` },
  )
}

/** `unknown` where the server shows no single subscription. */
type SubscriptionState = 'enabled' | 'disabled' | 'gone' | 'unreachable' | 'unknown'

/** The state of a stored subscription. */
async function readSubscriptionState(ctx: Pick<Context, 'api'>, id: string): Promise<SubscriptionState> {
  const { webhooks } = await ctx.api()
  try {
    const webhook = await webhooks.get(id)
    if (!webhook) return 'gone'
    return webhook.status === 'disabled' ? 'disabled' : 'enabled'
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    return error.code === 'unreachable' || error.code === 'timeout' ? 'unreachable' : 'unknown'
  }
}
