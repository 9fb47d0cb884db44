import { onTestFinished } from 'vitest'
import { type EventSender, type EventSenderOptions, startSender } from '../../../src/service/delivery/sender.ts'
import { serveForTest, type TestService } from '../serve-for-test.ts'

export interface DeliveringService extends TestService {
  readonly sender: EventSender
  /** Creates a subscription, to all events by default. */
  subscribe(url: string, events?: readonly string[]): Promise<{ readonly id: string; readonly secret: string }>
  /** The id of a new contact of that name. */
  make(name: string): Promise<string>
  /** The stored record of the subscription. */
  statusOf(webhookId: string): Promise<{ status: string; version: number; created_at: string; updated_at: string }>
}

/** The service with a sender; both close at the end of the test. */
export async function deliverForTest(options: Partial<EventSenderOptions> = {}): Promise<DeliveringService> {
  const service = await serveForTest(options.now ? { now: options.now } : {})
  const sender = startSenderForTest({ ...options, store: service.store })
  return {
    ...service,
    sender,
    subscribe: async (url, events = ['*']) =>
      (await service.send('POST', '/v1/webhooks', { url, events })).json as { id: string; secret: string },
    make: async (name) => (await service.send('POST', '/v1/contacts', { name })).json.id as string,
    statusOf: async (id) => {
      let text = ''
      await service.store.write({
        resource: 'webhook',
        id,
        idempotency: undefined,
        decide: ({ current }) => {
          text = current?.text ?? ''
          return { next: current, answer: NO_ANSWER }
        },
      })
      return JSON.parse(text)
    },
  }
}

const NO_ANSWER = { status: 200, body: '', location: undefined, etag: undefined }

export function startSenderForTest(
  options: Partial<EventSenderOptions> & Pick<EventSenderOptions, 'store'>,
): EventSender {
  const sender = startSender({
    retryDelaysMs: [0, 30, 60],
    allowsPrivateTargets: true,
    now: Date.now,
    version: '1.2.3',
    timeouts: { tryMs: 5000, closeMs: 100 },
    ...options,
  })
  onTestFinished(() => sender.close())
  return sender
}
