import { CrmError } from '../../core/errors.ts'
import { NoReply } from '../transport/exchange.ts'

/** The result, or NoReply when it does not come in time; CrmError `interrupted` when the signal aborts first. */
export async function within<Result>(
  work: Promise<Result>,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new NoReply('timeout', false, undefined)), limitMs)
  const stop = () => reject(new CrmError('interrupted', 'interrupted', { cause: signal.reason, hint: 'crm doctor' }))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
