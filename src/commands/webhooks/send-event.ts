import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/http-rules.ts'
import { hideInAddress } from '../../core/token-forms.ts'
import type { ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'
import type { KeepAttempt } from '../../webhooks/listening.ts'
import { startTargets } from './forwarding-flags.ts'
import { readSecretFile } from './listen-trust.ts'
import type { TargetFlags } from './target-flags.ts'

export interface MadeDelivery {
  readonly url: URL
  readonly id: string
  readonly name: string
  readonly headers: readonly (readonly [string, string])[]
  readonly bytes: Buffer
}

/** A synthetic event in the shape of a received one. */
export function madeDelivery(
  ctx: Pick<Context, 'now'>,
  { url, id, name, headers, bytes }: MadeDelivery,
): ReceivedEvent {
  return {
    type: 'event',
    id,
    name,
    recordId: undefined,
    receivedAtMs: ctx.now(),
    isVerified: true,
    isDuplicate: false,
    scheme: undefined,
    subscriptionId: undefined,
    body: { type: 'bytes', bytes },
    delivery: { url: url.href, headers, bytes },
  }
}

interface HowSent {
  /** Returns headers that replace the original ones. */
  readonly sign?: (event: ReceivedEvent) => ReceivedEvent['delivery']['headers']
  readonly keep?: KeepAttempt
  readonly flags?: TargetFlags
}

/** Sends an event once. */
export async function sendEvent(
  ctx: Context,
  event: ReceivedEvent,
  url: URL,
  { sign, keep, flags }: HowSent = {},
): Promise<ForwardResult> {
  const results: ForwardResult[] = []
  const forwarder = await startTargets(
    ctx,
    { ...flags, forward: [url.href], showResponse: true },
    {
      timeoutMs: ctx.flags.timeoutMs,
      retries: 0,
      passesDuplicates: true,
      keep,
      show: async (result) => void results.push(result),
      ...(sign && { sign }),
    },
  )
  const stop = (): void => void forwarder?.close()
  ctx.signal.addEventListener('abort', stop)
  await forwarder?.forwardNow(event)
  ctx.signal.removeEventListener('abort', stop)
  ctx.signal.throwIfAborted()
  const [result] = results
  if (!result) throw new Error('an event was sent without a result')
  return result
}

export function unknownFor(url: URL): CrmError {
  return new CrmError(
    'usage',
    `no secret is known for ${hideInAddress(url.href)}, and no listener runs whose secret is kept`,
    {
      hint: 'give one, or the name of a file to make one in: --secret-file secret.txt',
    },
  )
}

/** The secrets of the stored subscription for this address. */
export async function findKeptSecrets(ctx: Context, url: URL): Promise<readonly string[] | undefined> {
  const kept = await findKept(ctx, url)
  if (!kept) return undefined
  ctx.addSecret(kept.secret)
  return [kept.secret]
}

/** Listeners on this machine are stored with 127.0.0.1, so localhost is looked up as well. */
async function findKept(ctx: Pick<Context, 'settings'>, url: URL) {
  const settings = await ctx.settings()
  const address = new URL(url)
  if (isLoopback(url.hostname)) address.hostname = '127.0.0.1'
  return (
    (await settings.findSubscription({ url: url.href })) ?? (await settings.findSubscription({ url: address.href }))
  )
}

interface Source {
  readonly secretFile?: string
  /** Already known. */
  readonly secrets?: readonly string[] | undefined
}

/** Signs events again with the secrets of their subscription, or with those of a file. */
interface Resigner {
  /** Finds the secrets for an event; returns a CrmError `usage` if there are none. */
  prepare(event: ReceivedEvent): Promise<CrmError | undefined>
  sign(event: ReceivedEvent): ReceivedEvent['delivery']['headers']
}

export async function createResigner(ctx: Context, { secretFile, secrets }: Source): Promise<Resigner> {
  const { headersSignedAgain } = await import('../../webhooks/sign.ts')
  const given = secretFile === undefined ? secrets : await readSecretFile(ctx, secretFile)
  const known = new Map<string | undefined, readonly string[] | undefined>()
  const secretsOf = ({ subscriptionId }: ReceivedEvent): readonly string[] => given ?? known.get(subscriptionId) ?? []
  return {
    prepare: async (event) => {
      const { subscriptionId: id, scheme } = event
      if (given || scheme === undefined) return undefined
      if (!known.has(id)) known.set(id, await findSecrets(ctx, id))
      // GitHub signs no time, so the original signature stays valid.
      return known.get(id) || scheme === 'github' ? undefined : unknownSecret(event)
    },
    sign: (event) => {
      const signing = secretsOf(event)
      const isUnsigned = event.scheme === undefined || signing.length === 0
      return isUnsigned ? event.delivery.headers : headersSignedAgain(event, signing, ctx.now())
    },
  }
}

async function findSecrets(
  ctx: Pick<Context, 'addSecret' | 'settings'>,
  id: string | undefined,
): Promise<readonly string[] | undefined> {
  const kept = id === undefined ? undefined : await (await ctx.settings()).findSubscription({ id })
  if (!kept) return undefined
  const found = [kept.secret, ...kept.olderSecrets]
  for (const secret of found) ctx.addSecret(secret)
  return found
}

function unknownSecret({ id, subscriptionId }: ReceivedEvent): CrmError {
  const where =
    subscriptionId === undefined ? 'its secret came from a file' : `no secret of ${subscriptionId} is kept here`
  return new CrmError('usage', `${id ?? 'an event'} cannot be signed again: ${where}`, {
    hint: 'give the secret: --secret-file FILE; or send the old signature: --original',
  })
}
