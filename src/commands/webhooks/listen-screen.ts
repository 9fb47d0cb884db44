import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ListenEvent } from '../../core/webhook-events.ts'
import { browsedServer, showScreens, terminalOf } from '../browse/show-screens.ts'
import type { WithFlags } from '../global-flags.ts'
import { createEventSenders } from './event-senders.ts'
import { forwardUrls } from './forwarding-flags.ts'
import type { ListenDisplay } from './listen-display.ts'
import type { TrustOptions } from './listen-trust.ts'
import { type TargetFlags, targetFlagsFor } from './target-flags.ts'

type ScreenOptions = TrustOptions & TargetFlags & { readonly forward?: readonly string[] }

/** The Events screen. It opens when the receiver is ready; earlier errors are printed on the terminal. */
export function screenDisplay(ctx: Context, options: ScreenOptions): ListenDisplay {
  const terminal = terminalOf(ctx.io, 'crm listen --tui', 'crm listen -o jsonl')
  refuseContradictions(ctx, options)
  const closing = new AbortController()
  const closed = Promise.withResolvers<void>()
  // A rejection must not end the process before it is awaited.
  closed.promise.catch(() => {})
  let isOpen = false
  let take = (_: ListenEvent): void => {}
  return {
    ready: async ({ url, publicUrl }, { secrets }) => {
      isOpen = true
      const screens = showScreens(ctx, terminal, {
        screen: 'events',
        greeting: [],
        profiles: undefined,
        learnObjects: undefined,
        isMouseOn: false,
        ...(await serverOf(ctx, options)),
        live: {
          url: publicUrl ?? url,
          onEvents: (taker) => {
            take = taker
          },
        },
        senders: createEventSenders(ctx, {
          url,
          secrets,
          flagsFor: (to) =>
            forwardUrls(options.forward ?? []).some(({ href }) => href === to.href) ? targetFlagsFor(to, options) : {},
        }),
        sendsTo: options.forward?.[0],
        signal: AbortSignal.any([ctx.signal, closing.signal]),
      })
      screens.then(() => closed.resolve(), closed.reject)
    },
    show: async (listenEvent) => take(listenEvent),
    say: (line) => ctx.note(line),
    closed: closed.promise,
    end: async () => {
      closing.abort()
      if (isOpen) await closed.promise
    },
  }
}

/** With secrets from a file, events are received without a server; only functions that need one fail. */
async function serverOf(ctx: Context, { secretFile, insecureSkipVerify }: TrustOptions) {
  try {
    return { ...(await browsedServer(ctx)), openApi: () => ctx.api() }
  } catch (error) {
    if (!(error instanceof CrmError) || (secretFile === undefined && !insecureSkipVerify)) throw error
    return { place: { text: 'no server', isProtected: false }, server: undefined, openApi: () => Promise.reject(error) }
  }
}

function refuseContradictions({ flags }: WithFlags<'output'>, { secretFile }: TrustOptions): void {
  if (flags.output !== 'table') {
    throw new CrmError('usage', `--tui shows a screen, and -o ${flags.output} prints`, { hint: 'give one of them' })
  }
  if (secretFile === '-') {
    throw new CrmError('usage', '--tui reads keys from the terminal, and --secret-file - a secret', {
      hint: 'keep the secret in a file: --secret-file FILE',
    })
  }
}
