import type { Context } from '../../context.ts'
import type { ListenEvent } from '../../core/webhook-events.ts'
import { writeNoteLine } from '../../output/note-line.ts'
import { choosePrinter, createPrintQueue } from './choose-printer.ts'
import type { Ready } from './event-printer.ts'
import type { ListenTrust } from './own-subscription.ts'
import type { Tally } from './tally.ts'
import { startStatusLine } from './tally.ts'

/** Where a person or a program sees what comes. */
export interface ListenDisplay {
  ready(ready: Ready, trust: ListenTrust): Promise<void>
  /** Resolves once it is with the reader: a slow one slows the sender down. */
  show(listenEvent: ListenEvent): Promise<void>
  /** What a command of `--exec` prints. */
  say(line: string): void
  /** Resolves when a person has closed it; undefined where that is not possible. */
  readonly closed: Promise<void> | undefined
  end(): Promise<void>
}

/** Lines on stdout, and on a terminal a last one that says that the command is alive. */
export function printedDisplay(ctx: Context, tally: Tally): ListenDisplay {
  const printer = choosePrinter(ctx, 'crm listen')
  const print = createPrintQueue(ctx.io.stdout)
  const status = ctx.flags.isQuiet
    ? undefined
    : startStatusLine({ ...ctx.io, text: () => `listening · ${tally.status(ctx.now())}`, news: tally.total })
  return {
    ready: async (ready) => {
      await print(printer.ready(ready))
      noteReady(ctx, ready)
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
