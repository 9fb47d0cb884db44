import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Command } from 'commander'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { ListenEvent } from '../../core/webhook-events.ts'
import type { ForwardRules } from '../../webhooks/forwarding/start-forwarder.ts'
import { examples } from '../command-tree.ts'
import { dryRunExit } from '../dry-run.ts'
import { collect } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { openAttempts } from './attempt-log.ts'
import { choosePrinter, createPrintQueue } from './choose-printer.ts'
import { type EditFlags, editEvent, isEdit } from './edited-event.ts'
import { addForwardFlags, type ForwardFlags, forwardUrls, parseForward, startTargets } from './forwarding-flags.ts'
import { parseSince } from './logged-events.ts'
import { createReplayFailures } from './replay-failures.ts'
import { eventsOnce, judgeWhere, type ReplaySelection, refuseUnclearSelection } from './replay-selection.ts'
import { createResigner } from './send-event.ts'
import { checkAuthorities, checkTargetFlags } from './target-flags.ts'
import { checkGlobs, parseGlobs } from './wanted.ts'

interface Options extends ForwardFlags, ReplaySelection, EditFlags {
  readonly to?: string
  readonly original?: true
  readonly secretFile?: string
}

export function addReplay(webhooks: CommandUnknownOpts, act: Act): void {
  const replay = (webhooks as unknown as Command)
    .command('replay [ids...]')
    .description('send kept events again with new signatures and the same ids; needs no server and no listener')
    .option('--since <time>', 'all events received since: 10m ago, or 2026-01-02T03:04:05Z', parseSince)
    .option('--failed', 'all events that the handler refused, or did not answer')
    .option('--events <globs>', 'only these of them, comma separated', parseGlobs)
    .option('--where <expr>', 'and of those only events for which this jq expression is true')
    .option('--to <url>', 'send them to this URL, or port; without it they are only printed')
    .option('--set <key=value>', 'change a member first: data.stage=Won, key:=json (repeatable); new id', collect)
    .option('--set-new <key=value>', 'the same for a member that the event does not have (repeatable)', collect)
    .option('--edit', 'change the event first, in VISUAL or EDITOR; one event, with a new id')
    .option('--original', 'with the original signature and time')
    .option('--secret-file <file>', 'sign with the secrets in this file; - for stdin')
  addForwardFlags(replay)
  replay
    .addHelpText(
      'after',
      examples(
        'crm webhooks replay evt_0abc --to http://localhost:3000/hook',
        "crm webhooks replay --since 10m --events 'deal.*' --to 3000 --show-response",
        'crm webhooks replay --failed --to 3000',
        'crm webhooks replay evt_0abc --set data.amount=5 --to 3000',
      ),
    )
    .action(act(replayEvents))
  addScopedFlags(replay, ['dryRun', 'exitCode'])
}

async function replayEvents(ctx: Context, ids: readonly string[], options: Options): Promise<ExitCode | undefined> {
  refuseUnclear(ids, options)
  await checkAuthorities(ctx, options)
  if (options.events) await checkGlobs(ctx, options.events, true)
  const { targets, isSent, isSigned } = targetsOf(ctx, options)
  const printer = choosePrinter(ctx, 'crm webhooks replay')
  const print = createPrintQueue(ctx.io.stdout)
  const failures = createReplayFailures({ argv: ctx.argv, words: ids, isEdited: isEdit(options) })
  const show = async (listenEvent: ListenEvent): Promise<void> => {
    if (listenEvent.type === 'forwarded' || listenEvent.type === 'executed') failures.count(listenEvent)
    await print(printer.line(listenEvent))
  }
  if (targets.length > 0 && ctx.flags.where !== undefined) await judgeWhere(ctx, options)
  const resigner = isSigned ? await createResigner(ctx, options) : undefined
  await using sending = isSent ? await openSending(ctx, options, { targets, sign: resigner?.sign, show }) : undefined
  let count = 0
  for await (const kept of eventsOnce(ctx, ids, options)) {
    if (ctx.signal.aborted) break
    count++
    const unsignable = await resigner?.prepare(kept)
    if (unsignable) {
      failures.skip(kept, unsignable)
      continue
    }
    const event = isEdit(options) ? await editEvent(ctx, kept, options) : kept
    await show(event)
    await sending?.send(event)
  }
  await sending?.settled()
  noteCount(ctx, count, isSent)
  ctx.signal.throwIfAborted()
  failures.refuse(count)
  return ctx.flags.isDryRun ? dryRunExit(ctx, count > 0) : undefined
}

function targetsOf({ flags }: Pick<Context, 'flags'>, { forward = [], to, exec, original }: Options) {
  const targets = to === undefined ? forward : [...forward, to]
  const isSent = (targets.length > 0 || exec !== undefined) && !flags.isDryRun
  return { targets, isSent, isSigned: targets.length > 0 && !original }
}

interface How extends Pick<ForwardRules, 'show'> {
  readonly targets: readonly string[]
  readonly sign: ForwardRules['sign'] | undefined
}

/** Sends events, and keeps the attempts; those of edited events, which the log does not have, are not kept. */
async function openSending(ctx: Context, options: Options, { targets, sign, show }: How) {
  const attempts = isEdit(options) ? undefined : await openAttempts(ctx)
  const flags = { ...options, forward: targets }
  const once = { timeoutMs: ctx.flags.timeoutMs, retries: 0, passesDuplicates: false }
  const forwarder = await startTargets(ctx, flags, { ...once, keep: attempts?.keep, show, ...(sign && { sign }) })
  if (!forwarder) throw new Error('a replay is sent without a target')
  ctx.keepExitCode?.()
  const stop = (): void => void forwarder.close()
  ctx.signal.addEventListener('abort', stop)
  return {
    send: forwarder.forwardLater.bind(forwarder),
    // An attempt that cannot be kept ends the replay.
    settled: () => Promise.race([forwarder.settled(), forwarder.failed]),
    [Symbol.asyncDispose]: async () => {
      ctx.signal.removeEventListener('abort', stop)
      await attempts?.[Symbol.asyncDispose]()
    },
  }
}

function noteCount({ flags, note }: Pick<Context, 'flags' | 'note'>, count: number, isSent: boolean): void {
  if (count === 0) note('No events.')
  else if (flags.isDryRun) note(`Dry run: nothing was sent; ${count === 1 ? '1 event' : `${count} events`} would be.`)
  else if (!isSent) note('Printed only; to send them: --to URL')
}

function refuseUnclear(ids: readonly string[], options: Options): void {
  refuseUnclearSelection(ids, options)
  if (options.edit && (ids.length !== 1 || ids[0] === '-')) {
    throw new CrmError('usage', '--edit changes one event', { hint: 'crm webhooks replay ID --edit --to 3000' })
  }
  if (options.original && isEdit(options)) {
    throw new CrmError('usage', '--original sends the received bytes, and --set and --edit change them', {
      hint: 'without --original, the event is signed again',
    })
  }
  const to = options.to === undefined ? [] : [parseForward(options.to, '--to').url]
  checkTargetFlags(options, [...forwardUrls(options.forward ?? []), ...to])
}
