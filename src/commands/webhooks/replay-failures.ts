import { CrmError } from '../../core/errors.ts'
import type { ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'

/** The number of ids in a message. */
const NAMED_IDS = 3

/** Counts events that targets did not accept, and events that were not sent. */
export function createReplayFailures() {
  const counts = { hands: 0, failed: 0, unanswered: 0, skipped: 0 }
  const skippedIds: string[] = []
  let first: ForwardResult | undefined
  let unsignable: CrmError | undefined

  function untaken({ id, target, failure }: ForwardResult): string {
    const { hands, failed } = counts
    const what = failed === 1 ? `${id ?? 'an event'} was not taken` : `${failed} of ${hands} were not taken`
    return `${what}: ${target}: ${failure}`
  }

  function unsent(count: number, { message }: CrmError): string {
    const { skipped } = counts
    if (skipped === 1) return count === 1 ? message : `${message}; the others were sent`
    const ids = `${skippedIds.join(', ')}${skipped > skippedIds.length ? ', …' : ''}`
    return `${skipped} of ${count} were not sent (${ids}): ${message}`
  }

  function leftOut(count: number, why: CrmError): CrmError {
    const what = [unsent(count, why), ...(first ? [untaken(first)] : [])].join('; ')
    return new CrmError(counts.skipped === count ? 'usage' : 'partial', what, { hint: why.details.hint })
  }

  return {
    count(hand: ForwardResult): void {
      counts.hands++
      if (hand.failure === undefined) return
      counts.failed++
      if (hand.status === undefined) counts.unanswered++
      first ??= hand
    },
    skip({ id }: ReceivedEvent, why: CrmError): void {
      counts.skipped++
      if (skippedIds.length < NAMED_IDS) skippedIds.push(id ?? 'one without an id')
      unsignable ??= why
    },
    /**
     * Throws unless all of `count` were accepted: CrmError `usage` if nothing could be sent, `unreachable` if no target
     * answered, else `partial`.
     */
    refuse(count: number): void {
      if (unsignable) throw leftOut(count, unsignable)
      if (!first) return
      const { hands, unanswered } = counts
      throw new CrmError(unanswered === hands ? 'unreachable' : 'partial', untaken(first), {
        hint: 'when the app is fixed, run the same command again; --show-response shows its answers',
      })
    },
  }
}
