import type { Context } from '../../context.ts'
import type { ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'
import { startTargets } from './forwarding-flags.ts'

export interface MadeDelivery {
  readonly url: URL
  readonly id: string
  readonly name: string
  readonly headers: readonly (readonly [string, string])[]
  readonly bytes: Buffer
}

/** An event that is made up, in the shape of those that came. */
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

/** One try, and how it went. `sign` gives the headers to send in place of those that came. */
export async function sendEvent(
  ctx: Context,
  event: ReceivedEvent,
  url: URL,
  sign?: (event: ReceivedEvent) => ReceivedEvent['delivery']['headers'],
): Promise<ForwardResult> {
  const hands: ForwardResult[] = []
  const forwarder = await startTargets(
    ctx,
    { forward: [url.href], showResponse: true },
    {
      timeoutMs: ctx.flags.timeoutMs,
      retries: 0,
      passesDuplicates: true,
      show: async (hand) => void hands.push(hand),
      ...(sign && { sign }),
    },
  )
  const stop = (): void => void forwarder?.close()
  ctx.signal.addEventListener('abort', stop)
  await forwarder?.forwardNow(event)
  ctx.signal.removeEventListener('abort', stop)
  ctx.signal.throwIfAborted()
  const [hand] = hands
  if (!hand) throw new Error('an event was sent, and nothing was told of it')
  return hand
}
