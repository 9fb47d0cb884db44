import { join } from 'node:path'
import type { ForwardResult, ReceivedEvent } from '../../../src/core/webhook-events.ts'
import { openEventLog } from '../../../src/webhooks/log/event-log.ts'
import { KEEP_ALL } from '../../../src/webhooks/log/segments.ts'
import { emptyHome } from '../../harness/home.ts'

/** An attempt at the app of port 3000, which failed unless it says otherwise. */
export function attemptAt(event: ReceivedEvent, more: Partial<ForwardResult> = {}): ForwardResult {
  return {
    type: 'forwarded',
    id: event.id,
    name: event.name,
    receivedAtMs: event.receivedAtMs,
    target: 'http://localhost:3000/',
    startedAtMs: event.receivedAtMs + 1,
    tookMs: 5,
    attempt: 1,
    status: 500,
    failure: 'answered 500',
    retryInMs: undefined,
    response: 'no',
    ...more,
  }
}

/** A home in whose log a listener kept these events, and these attempts. */
export async function homeWith(events: readonly ReceivedEvent[], attempts: readonly ForwardResult[] = []) {
  const home = emptyHome()
  const folder = join(home.HOME ?? '', '.local/state/crm/events')
  const log = await openEventLog({ folder, keep: KEEP_ALL, now: Date.now })
  await Promise.all(events.map((event) => log.append(event)))
  await Promise.all(attempts.map((attempt) => log.appendAttempt(attempt)))
  await log.close()
  return { home, folder }
}
