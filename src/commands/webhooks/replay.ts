import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Command } from 'commander'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ForwardResult, ListenEvent, ReceivedEvent } from '../../core/webhook-events.ts'
import { examples } from '../command-tree.ts'
import { readIds } from '../find-many.ts'
import { choosePrinter, createPrintQueue } from './choose-printer.ts'
import { findEvent } from './events.ts'
import { addForwardFlags, type ForwardFlags, parseForward, startTargets } from './forwarding-flags.ts'
import { loggedEvents, matchingEvents, parseSince, type Since } from './logged-events.ts'
import { createResigner } from './send-event.ts'
import { checkGlobs, parseGlobs } from './wanted.ts'

/** The number of ids in a message. */
const NAMED_IDS = 3

interface Options extends ForwardFlags {
  readonly since?: Since
  readonly events?: readonly string[]
  readonly to?: string
  readonly original?: true
  readonly secretFile?: string
}

export function addReplay(webhooks: CommandUnknownOpts, act: Act): void {
  const replay = (webhooks as unknown as Command)
    .command('replay [ids...]')
    .description('send kept events again with new signatures and the same ids; needs no server and no listener')
    .option('--since <time>', 'all events received since: 10m ago, or 2026-01-02T03:04:05Z', parseSince)
    .option('--events <globs>', 'only these of them, comma separated', parseGlobs)
    .option('--where <expr>', 'and of those only events for which this jq expression is true')
    .option('--to <url>', 'send them to this URL, or port; without it they are only printed')
    .option('--original', 'with the original signature and time')
    .option('--secret-file <file>', 'sign with the secrets in this file; - for stdin')
  addForwardFlags(replay)
  replay
    .addHelpText(
      'after',
      examples(
        'crm webhooks replay evt_0abc --to http://localhost:3000/hook',
        "crm webhooks replay --since 10m --events 'deal.*' --to 3000 --show-response",
      ),
    )
    .action(act(replayEvents))
}

async function replayEvents(ctx: Context, ids: readonly string[], options: Options): Promise<undefined> {
  refuseUnclear(ids, options)
  if (options.events) await checkGlobs(ctx, options.events, true)
  const forward = [...(options.forward ?? []), ...(options.to === undefined ? [] : [options.to])]
  const printer = choosePrinter(ctx, 'crm webhooks replay')
  const print = createPrintQueue(ctx.io.stdout)
  const failures = createReplayFailures()
  const show = async (listenEvent: ListenEvent): Promise<void> => {
    if (listenEvent.type === 'forwarded' || listenEvent.type === 'executed') failures.count(listenEvent)
    await print(printer.line(listenEvent))
  }
  if (forward.length > 0 && ctx.flags.where !== undefined) await judgeWhere(ctx, options)
  const resigner = await createResigner(ctx, options)
  const isSigned = forward.length > 0 && !options.original
  const forwarder = await startTargets(
    ctx,
    { ...options, forward },
    {
      timeoutMs: ctx.flags.timeoutMs,
      retries: 0,
      passesDuplicates: false,
      show,
      ...(isSigned && { sign: resigner.sign }),
    },
  )
  if (forwarder) ctx.keepExitCode?.()
  const stop = (): void => void forwarder?.close()
  ctx.signal.addEventListener('abort', stop)
  let count = 0
  for await (const event of eventsOnce(ctx, ids, options)) {
    if (ctx.signal.aborted) break
    count++
    const unsignable = isSigned ? await resigner.prepare(event) : undefined
    if (unsignable) {
      failures.skip(event, unsignable)
      continue
    }
    await show(event)
    await forwarder?.forwardLater(event)
  }
  await forwarder?.settled()
  noteCount(ctx, count, forwarder !== undefined)
  ctx.signal.throwIfAborted()
  failures.refuse(count)
}

/** Runs before the first event is sent, because `--where` with a misspelt member may select all of them. */
async function judgeWhere(ctx: Context, { since, events: globs = [] }: Options): Promise<void> {
  const pages = matchingEvents(ctx, loggedEvents(ctx, { order: 'oldest first', globs, since }))
  while (!(await pages.next()).done);
}

function noteCount(ctx: Pick<Context, 'note'>, count: number, isSent: boolean): void {
  if (!isSent && count > 0) ctx.note('Printed only; to send them: --to URL')
  if (count === 0) ctx.note('No events.')
}

function refuseUnclear(ids: readonly string[], { since, to }: Options): void {
  if ((ids.length === 0) === (since === undefined)) {
    throw new CrmError('usage', 'expected ids, or --since, and not both', {
      hint: 'crm webhooks replay --since 10m --to 3000',
    })
  }
  if (to !== undefined) parseForward(to, '--to')
}

/** Each event once, even if it was received several times. */
async function* eventsOnce(ctx: Context, ids: readonly string[], options: Options): AsyncGenerator<ReceivedEvent> {
  const seen = new Set<string>()
  for await (const events of chosenEvents(ctx, ids, options)) {
    for (const event of events) {
      if (event.id !== undefined && seen.has(event.id)) continue
      if (event.id !== undefined) seen.add(event.id)
      yield event
    }
  }
}

async function* chosenEvents(
  ctx: Context,
  words: readonly string[],
  { since, events: globs = [] }: Options,
): AsyncGenerator<readonly ReceivedEvent[]> {
  if (words.length === 0) {
    yield* matchingEvents(ctx, loggedEvents(ctx, { order: 'oldest first', globs, since }))
    return
  }
  for (const id of await readIds(ctx, words, 'crm webhooks events list -o id')) yield [await findEvent(ctx, id)]
}

/** Counts events that targets did not accept, and events that were not sent. */
function createReplayFailures() {
  const counts = { sent: 0, failed: 0, unanswered: 0, skipped: 0 }
  const skippedIds: string[] = []
  let first: ForwardResult | undefined
  let unsignable: CrmError | undefined

  function notAccepted({ id, target, failure }: ForwardResult): string {
    const { sent, failed } = counts
    const what = failed === 1 ? `${id ?? 'an event'} was not accepted` : `${failed} of ${sent} were not accepted`
    return `${what}: ${target}: ${failure}`
  }

  function unsent(count: number, { message }: CrmError): string {
    const { skipped } = counts
    if (skipped === 1) return count === 1 ? message : `${message}; the others were sent`
    const ids = `${skippedIds.join(', ')}${skipped > skippedIds.length ? ', …' : ''}`
    return `${skipped} of ${count} were not sent (${ids}): ${message}`
  }

  function leftOut(count: number, why: CrmError): CrmError {
    const what = [unsent(count, why), ...(first ? [notAccepted(first)] : [])].join('; ')
    return new CrmError(counts.skipped === count ? 'usage' : 'partial', what, { hint: why.details.hint })
  }

  return {
    count(result: ForwardResult): void {
      counts.sent++
      if (result.failure === undefined) return
      counts.failed++
      if (result.status === undefined) counts.unanswered++
      first ??= result
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
      const { sent, unanswered } = counts
      throw new CrmError(unanswered === sent ? 'unreachable' : 'partial', notAccepted(first), {
        hint: 'when the app is fixed, run the same command again; --show-response shows its answers',
      })
    },
  }
}
