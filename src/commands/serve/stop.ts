import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { EventSender } from '../../service/delivery/sender.ts'
import type { RunningServer } from '../../service/server.ts'
import type { Store } from '../../service/store/store.ts'
import { CROSSING_MS, isTerminated } from './signals.ts'

/** How long a service that stops waits for a database that does not answer, after `--drain`. */
const STOP_MS = 5000

/** What could not be stored any more. */
export interface Lost {
  /** Requests that the audit of keys lacks. */
  readonly uses: number
  /** Attempts of deliveries. */
  readonly results: number
}

interface Parts {
  readonly store: Store
  readonly server: Pick<RunningServer, 'close' | 'lostUses'>
  readonly sender: Pick<EventSender, 'close' | 'lostResults'>
}

export async function stop(ctx: Pick<Context, 'signal'>, { store, server, sender }: Parts): Promise<Lost> {
  // In parallel, so that a slow subscriber does not delay closing the server.
  await inTime(store, Promise.all([server.close(isTerminated(ctx) ? CROSSING_MS : 0), sender.close()]))
  return { uses: server.lostUses(), results: sender.lostResults() }
}

/** The database answers in time, or is given up. */
export async function inTime<T>(store: Pick<Store, 'giveUp'>, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => store.giveUp?.(), STOP_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

export function notStored(location: string, { uses, results }: Lost): CrmError {
  const lost = [
    ...(uses > 0 ? [`the audit of keys lacks ${uses} ${uses === 1 ? 'request' : 'requests'}`] : []),
    ...(results > 0 ? [`${results} ${results === 1 ? 'delivery is' : 'deliveries are'} sent again`] : []),
  ]
  return new CrmError('machine', `database ${location} did not answer at the end: ${lost.join(', and ')}`, {
    hint: 'acknowledged writes are stored; check the database before the next start',
  })
}
