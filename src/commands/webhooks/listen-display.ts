import type { Context } from '../../context.ts'
import type { ListenEvent } from '../../core/webhook-events.ts'
import { writeNoteLine } from '../../output/safe-text.ts'
import { choosePrinter, createPrintQueue } from './choose-printer.ts'
import type { Ready } from './jsonl-printer.ts'
import type { ListenTrust } from './own-subscription.ts'
import { startStatusLine, type Tally } from './tally.ts'

/** Shows received events to a person or a program. */
export interface ListenDisplay {
  ready(ready: Ready, trust: ListenTrust): Promise<void>
  /** Resolves after the reader has it: a slow reader slows the sender down. */
  show(listenEvent: ListenEvent): Promise<void>
  /** Shows output of a command of `--exec`. */
  say(line: string): void
  /** Resolves when a person has closed it; undefined if that is not possible. */
  readonly closed: Promise<void> | undefined
  end(): Promise<void>
}

/** Lines on stdout, and a status line on a terminal. */
export function printedDisplay(ctx: Context, tally: Tally): ListenDisplay {
  const printer = choosePrinter(ctx, 'crm listen')
  const print = createPrintQueue(ctx.io.stdout)
  const status = ctx.flags.isQuiet
    ? undefined
    : startStatusLine({ ...ctx.io, text: () => `listening · ${tally.status(ctx.now())}`, news: tally.total })
  return {
    ready: async (ready, { subscriptionId, isForRun }) => {
      await print(printer.ready(ready))
      noteReady(ctx, ready)
      // Of a subscription for this run alone, the secret is not stored.
      if (subscriptionId !== undefined && !isForRun) ctx.note(`Its secret: crm webhooks secret ${subscriptionId}`)
    },
    show: async (listenEvent) => {
      const line = printer.line(listenEvent)
      await print(status?.above(line) ?? line)
    },
    say: (line) => writeNoteLine(ctx.io.stderr, line),
    closed: undefined,
    end: async () => status?.end(),
  }
}

function noteReady(ctx: Pick<Context, 'note'>, { url, publicUrl, folder }: Ready): void {
  const reached = publicUrl === undefined ? '' : `, reached at ${publicUrl}`
  ctx.note(`crm listen is ready at ${url}${reached}; events are kept in ${folder}; Ctrl-C stops it.`)
}
