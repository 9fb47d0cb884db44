import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import type { Act, Context } from '../../context.ts'
import type { Arrival } from '../../core/arrivals.ts'
import { CrmError } from '../../core/errors.ts'
import { EVENT_KINDS } from '../../core/event-kinds.ts'
import { type OutputStream, writeText } from '../../core/streams.ts'
import { createStyles, shouldColor } from '../../output/color.ts'
import { examples } from '../examples.ts'
import { parsePort } from '../serve/limits.ts'
import type { ArrivalPrinter } from './arrival-printer.ts'
import { createJsonlArrivals } from './jsonl-arrivals.ts'
import { findTrust, refuseContradictions, type TrustOptions } from './listen-trust.ts'
import { createTableArrivals } from './table-arrivals.ts'

interface Options extends TrustOptions {
  readonly host: string
  readonly path: string
  readonly events?: readonly string[]
}

/** Under `webhooks`, and at the root. */
export function addListen(parent: CommandUnknownOpts, act: Act): void {
  parent
    .command('listen')
    .summary('receive, verify and print events')
    .description('receive events on this machine, verify their signatures and print them; Ctrl-C stops it')
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .option('--port <n>', 'listen on this port; 0 takes a free one', parsePort, 4242)
    .option('--path <path>', 'the path that events are sent to', parsePath, '/')
    .option('--events <globs>', 'print only these, comma separated', parseGlobs)
    .option('--secret-file <file>', 'verify with the secrets in this file, one a line; - for stdin')
    .option('--subscribe', 'make a new subscription, although one may be kept')
    .option('--insecure-skip-verify', 'print what anybody sends, marked as unverified')
    .addHelpText(
      'after',
      examples(
        'crm listen',
        "crm listen --events 'deal.*' -o jsonl | jq .body.data",
        'crm listen --secret-file secret.txt',
      ),
    )
    .action(act(listenUntilStopped))
}

/** An event is acknowledged once its line is with the reader of stdout: a slow reader slows the sender down. */
async function listenUntilStopped(ctx: Context, options: Options): Promise<undefined> {
  refuseContradictions(options)
  const printer = choosePrinter(ctx)
  const print = createPrintQueue(ctx.io.stdout)
  const counts = { events: 0, duplicates: 0, rejected: 0, hidden: 0 }
  const { startReceiver } = await ctx.webhooks.receiver()
  const { matchesAnyGlob } = await ctx.webhooks.filter()
  const receiver = await startReceiver({
    ...options,
    now: ctx.now,
    keep: async (arrival) => {
      const isShown = arrival.type === 'rejected' || matchesAnyGlob(options.events ?? [], arrival.name)
      if (isShown) await print(printer.line(arrival))
      count(counts, arrival, isShown)
    },
  })
  try {
    const { trust, subscriptionId } = await findTrust(ctx, options, receiver.url)
    await noteUnknownGlobs(ctx, options.events ?? [])
    await print(printer.ready({ url: receiver.url, isVerifying: trust !== 'unverified', subscriptionId }))
    ctx.note(`crm listen is ready at ${receiver.url}; Ctrl-C stops it.`)
    receiver.open(trust)
    if (!ctx.signal.aborted) await Promise.race([once(ctx.signal, 'abort'), receiver.failed])
  } finally {
    await receiver.close()
  }
  ctx.note(countsText(counts))
}

function choosePrinter(ctx: Context): ArrivalPrinter {
  const { io, env, flags } = ctx
  if (flags.output === 'jsonl') return createJsonlArrivals()
  if (flags.output !== 'table') {
    throw new CrmError('usage', `crm listen prints table or jsonl, not ${flags.output}: a stream has no end`, {
      hint: 'crm listen -o jsonl',
    })
  }
  return createTableArrivals(
    io.stdout,
    createStyles(shouldColor({ flag: flags.color, env, isTTY: io.stdout.isTTY === true })),
  )
}

/** One waits for the reader at a time, the others for that one: each `drain` would else have a listener for every sender. */
function createPrintQueue(stdout: OutputStream): (text: string) => Promise<void> {
  let last = Promise.resolve()
  return (text) => {
    // A reader that is gone is told of in the same turn: nothing is acknowledged that went nowhere.
    last = last.then(() => writeText(stdout, text)).then(() => nextTurn())
    return last
  }
}

interface Counts {
  events: number
  duplicates: number
  rejected: number
  hidden: number
}

function count(counts: Counts, arrival: Arrival, isShown: boolean): void {
  if (arrival.type === 'rejected') counts.rejected++
  else counts.events++
  if (arrival.type === 'event' && arrival.isDuplicate) counts.duplicates++
  if (!isShown) counts.hidden++
}

function countsText({ events, duplicates, rejected, hidden }: Counts): string {
  const filtered = hidden === 0 ? '' : `, not shown because of --events: ${hidden}`
  return `crm listen has stopped. Events: ${events}, duplicates: ${duplicates}, rejected: ${rejected}${filtered}.`
}

/** Other senders have names of their own, so that an unknown one is no error; it is most likely misspelt all the same. */
async function noteUnknownGlobs(ctx: Context, globs: readonly string[]): Promise<void> {
  const { matchesAnyGlob } = await ctx.webhooks.filter()
  for (const glob of globs) {
    if (EVENT_KINDS.some((kind) => matchesAnyGlob([glob], kind))) continue
    ctx.note(`--events ${glob} matches no event of crm serve: ${EVENT_KINDS.join(', ')}.`)
  }
}

function parsePath(text: string): string {
  if (
    text.startsWith('/') &&
    URL.parse(text, 'http://localhost')?.href === `http://localhost${text}` &&
    !/[?#]/.test(text)
  ) {
    return text
  }
  throw new InvalidArgumentError('Expected a path such as /hook, without a query.')
}

function parseGlobs(text: string): readonly string[] {
  const globs = text.split(',').map((glob) => glob.trim())
  if (globs.every((glob) => /^[\w.*-]+$/.test(glob))) return globs
  throw new InvalidArgumentError("Expected names or globs such as 'deal.*,contact.created'.")
}
