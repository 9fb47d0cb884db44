import type { HandOver } from '../../core/arrivals.ts'
import { safeText } from '../../output/safe-text.ts'
import { handOverText } from './event-row.ts'
import type { Notices } from './notices.ts'
import type { UnderWay } from './under-way.ts'

/** How events are sent from here; they throw a CrmError for one that cannot be signed, or an address that is none. */
export interface EventSenders {
  /** A kept event once more, signed anew under the id it has. */
  replay(id: string, to: string): Promise<HandOver>
  /** One that is made up: `contact.created name=Ada`. */
  trigger(name: string, members: readonly string[], to: string): Promise<HandOver>
}

export interface Sending {
  /** One after the other, in this order. */
  replay(ids: readonly string[], to: string): Promise<void>
  trigger(name: string, members: readonly string[], to: string): Promise<void>
}

export function createSending(senders: EventSenders, notices: Notices, underWay: UnderWay): Sending {
  /** What a target says stays in the log; the last word counts the others. */
  async function sendAll(hands: readonly (() => Promise<HandOver>)[]): Promise<void> {
    let taken = 0
    let last = ''
    try {
      for (const send of hands) {
        const hand = await send()
        last = safeText(`${hand.name ?? hand.id ?? 'the event'} -> ${hand.target} ${handOverText(hand)}`)
        if (hand.failure === undefined) taken++
        else notices.wait(`Not taken: ${last}`)
      }
    } catch (error) {
      return notices.problem(error, 'Not sent: ')
    }
    if (taken === 0) return
    if (hands.length === 1) return notices.done(`Sent ${last}`)
    const say = taken === hands.length ? notices.done : notices.wait
    say(`Taken: ${taken} of ${hands.length}, the last: ${last}`)
  }

  const track = (hands: readonly (() => Promise<HandOver>)[]) =>
    underWay.track(hands.length === 1 ? 'an event' : `${hands.length} events`, () => sendAll(hands))

  return {
    replay: (ids, to) => track(ids.map((id) => () => senders.replay(id, to))),
    trigger: (name, members, to) => track([() => senders.trigger(name, members, to)]),
  }
}
