import type { ForwardResult } from '../../core/webhook-events.ts'
import { safeText } from '../../output/safe-text.ts'
import { targetWord } from '../text/command-words.ts'
import type { DoneCommands } from './done-commands.ts'
import { forwardResultText } from './event-row.ts'
import type { Notices } from './notices.ts'
import type { UnderWay } from './under-way.ts'

/** Send events; throw a CrmError for an event that cannot be signed, and for an invalid address. */
export interface EventSenders {
  /** Sends a kept event again, with a new signature and the same id. */
  replay(id: string, to: string): Promise<ForwardResult>
  /** Sends a synthetic event: `contact.created name=Ada`. */
  trigger(name: string, members: readonly string[], to: string): Promise<ForwardResult>
}

export interface Sending {
  /** Sends them one after the other, in this order. */
  replay(ids: readonly string[], to: string): Promise<void>
  trigger(name: string, members: readonly string[], to: string): Promise<void>
}

interface Parts {
  readonly senders: EventSenders
  readonly notices: Notices
  readonly commands: DoneCommands
  readonly underWay: UnderWay
}

export function createSending({ senders, notices, commands, underWay }: Parts): Sending {
  /** The answers of the target stay in the log; the last message counts them. */
  async function sendAll(sends: readonly (() => Promise<ForwardResult>)[]): Promise<void> {
    let taken = 0
    let last = ''
    try {
      for (const send of sends) {
        const result = await send()
        last = safeText(`${result.name ?? result.id ?? 'the event'} -> ${result.target} ${forwardResultText(result)}`)
        if (result.failure === undefined) taken++
        else notices.wait(`Not accepted: ${last}`)
      }
    } catch (error) {
      return notices.problem(error, 'Not sent: ')
    }
    if (taken === 0) return
    if (sends.length === 1) return notices.done(`Sent ${last}`)
    const say = taken === sends.length ? notices.done : notices.wait
    say(`Accepted: ${taken} of ${sends.length}, the last: ${last}`)
  }

  const track = (sends: readonly (() => Promise<ForwardResult>)[]) =>
    underWay.track(sends.length === 1 ? 'an event' : `${sends.length} events`, () => sendAll(sends))

  return {
    replay: (ids, to) => {
      commands.add(['webhooks', 'replay', ...ids, '--to', targetWord(to)])
      return track(ids.map((id) => () => senders.replay(id, to)))
    },
    trigger: (name, members, to) => {
      const set = members.flatMap((member) => ['--set', member])
      commands.add(['webhooks', 'trigger', name, ...set, '--to', targetWord(to)])
      return track([() => senders.trigger(name, members, to)])
    },
  }
}
