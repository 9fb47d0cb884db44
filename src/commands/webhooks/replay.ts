import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Command } from 'commander'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { exactDigits, isJsonObject, type JsonObject, parseJsonAsWritten, valueAt } from '../../core/json.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { ForwardResult, ListenEvent, LoggedEvent, ReceivedEvent } from '../../core/webhook-events.ts'
import type { ForwardRules } from '../../webhooks/forwarding/start-forwarder.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { dryRunExit } from '../dry-run.ts'
import { applySet, collect, textForNumber } from '../fields-input.ts'
import { readIds } from '../find-many.ts'
import { addScopedFlags } from '../flags.ts'
import { openAttempts } from './attempt-log.ts'
import { choosePrinter, createPrintQueue } from './choose-printer.ts'
import { findEvents } from './events.ts'
import { addForwardFlags, type ForwardFlags, forwardUrls, parseForward, startTargets } from './forwarding-flags.ts'
import { refuseUnknownMember } from './known-members.ts'
import { loggedEvents, matchingEvents, parseSince, type Since } from './logged-events.ts'
import { newEventId } from './made-event.ts'
import { createResigner } from './send-event.ts'
import { certificateHint, checkAuthorities, checkTargetFlags } from './target-flags.ts'
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

/** Flags that change an event before it is sent. */
interface EditFlags {
  readonly set?: readonly string[]
  readonly setNew?: readonly string[]
  readonly edit?: true
}

function isEdit({ set, setNew, edit }: EditFlags): boolean {
  return set !== undefined || setNew !== undefined || edit === true
}

/**
 * The event with other members, and with a new id, so that no receiver takes it for the one that it knows. CrmError
 * `usage` for a body that is no JSON object, and for an editor that changed nothing.
 */
async function editEvent(
  ctx: Pick<Context, 'env' | 'note' | 'now'>,
  event: ReceivedEvent,
  { set = [], setNew = [], edit }: EditFlags,
): Promise<ReceivedEvent> {
  const known = event.id ?? 'an event without an id'
  let body = bodyOf(event, known)
  const target = { event: event.name ?? '', object: body, recordPaths: ['data', 'previous'] }
  for (const text of set) refuseUnknownMember(target, text)
  for (const text of set) applySet(body, asInEvent(body, text))
  for (const text of setNew) applySet(body, text, undefined, '--set-new')
  if (edit) body = await inEditor(ctx, body, { isChanged: set.length + setNew.length > 0, known })
  refuseTypeless(bodyOf(event, known), body)
  const id = newEventId(ctx.now())
  // Stripe and others state the id in the body.
  if (body.id === event.id && event.id !== undefined) body.id = id
  const text = JSON.stringify(body)
  const name = event.scheme !== 'github' && typeof body.type === 'string' ? body.type : event.name
  ctx.note(`${known} with changes is ${id}.`)
  return {
    ...event,
    id,
    isDuplicate: false,
    name,
    body: { type: 'json', text, value: body },
    delivery: { ...event.delivery, bytes: Buffer.from(text) },
  }
}

function bodyOf({ body }: ReceivedEvent, known: string): JsonObject {
  const value = body.type === 'json' ? parseJsonAsWritten(body.text) : undefined
  if (isJsonObject(value)) return value
  throw new CrmError('usage', `${known} cannot be changed: its body is not a JSON object`, {
    hint: 'without --set and --edit it is sent unchanged',
  })
}

/** `data.amount=5` is a number where the event has one, as the text of an event shows which it is. */
function asInEvent(body: JsonObject, text: string): string {
  const [, key = '', raw = ''] = /^([^=:]+)=(.*)$/s.exec(text) ?? []
  const before = valueAt(body, key.split('.'))
  const isNumber = typeof before === 'number' || exactDigits(before) !== undefined
  if (key === '' || !(isNumber || typeof before === 'boolean')) return text
  if (typeof before === 'boolean') return /^(?:true|false)$/.test(raw) ? `${key}:=${raw}` : text
  if (/^-?\d+(?:\.\d+)?$/.test(raw)) return `${key}:=${raw}`
  throw textForNumber(key, raw)
}

/** Receivers choose what to do by it. CrmError `usage` for an event that had one and has none now. */
function refuseTypeless(before: JsonObject, { type }: JsonObject): void {
  if (typeof before.type !== 'string' || (typeof type === 'string' && type.trim() !== '')) return
  throw new CrmError('usage', `the changed event has no type: it is ${JSON.stringify(type)}; nothing was sent`, {
    hint: `omit --set type, or name an event type: --set type=${before.type}`,
  })
}

interface Opened {
  /** By `--set`. */
  readonly isChanged: boolean
  readonly known: string
}

async function inEditor(
  { env }: Pick<Context, 'env'>,
  body: JsonObject,
  { isChanged, known }: Opened,
): Promise<JsonObject> {
  const { openInEditor } = await import('../../output/open-in-editor.ts')
  const opened = `${JSON.stringify(body, undefined, 2)}\n`
  const { text, path, forget } = await openInEditor({ text: opened, name: 'event.json' }, env)
  if (text === opened && !isChanged) {
    await forget()
    throw new CrmError('usage', `${known} was not changed in the editor; nothing was sent`, {
      hint: 'save it with a change, or send it as it was received, without --edit',
    })
  }
  const edited = parsed(text, path)
  await forget()
  return edited
}

function parsed(text: string, path: string): JsonObject {
  try {
    const value = parseJsonAsWritten(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw notEvent(`is not JSON: ${error.message}`, path)
  }
  throw notEvent('is not a JSON object', path)
}

function notEvent(what: string, path: string): CrmError {
  return new CrmError('invalid_input', `the edited event ${what}; nothing was sent`, {
    hint: `the text stays in ${shellWord(path)}`,
  })
}

/** The number of ids in a message. */
const NAMED_IDS = 3

/** The number of ids in a command to type. */
const TYPED_IDS = 50

interface ReplayCommand {
  readonly argv: readonly string[]
  /** The typed ids, or `-`; empty for a selection by flags. */
  readonly words: readonly string[]
  /** Edited events have new ids, and are not in the log. */
  readonly isEdited: boolean
}

/** Counts events that targets did not accept, and events that were not sent. */
function createReplayFailures(command: ReplayCommand) {
  const counts = { events: 0, unanswered: 0, attempts: 0, skipped: 0 }
  const skippedIds: string[] = []
  const refused = new Map<string, ForwardResult>()
  let unsignable: CrmError | undefined

  function notAccepted(first: ForwardResult, count: number): string {
    const ids = [...refused.keys()]
    const what =
      ids.length === 1
        ? `${ids[0]} was not accepted`
        : `${ids.length} of ${count} were not accepted (${someOf(ids, ids.length)})`
    return `${what}: ${first.target}: ${first.failure}`
  }

  function unsent(count: number, { message }: CrmError): string {
    const { skipped } = counts
    if (skipped === 1) return count === 1 ? message : `${message}; the others were sent`
    return `${skipped} of ${count} were not sent (${someOf(skippedIds, skipped)}): ${message}`
  }

  function leftOut(count: number, why: CrmError): CrmError {
    const [first] = refused.values()
    const what = [unsent(count, why), ...(first ? [notAccepted(first, count)] : [])].join('; ')
    return new CrmError(counts.skipped === count ? 'usage' : 'partial', what, { hint: why.details.hint })
  }

  return {
    count(result: ForwardResult): void {
      counts.attempts++
      if (result.failure === undefined) return
      if (result.status === undefined) counts.unanswered++
      const id = result.id ?? 'an event without an id'
      if (!refused.has(id)) refused.set(id, result)
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
      const [first] = refused.values()
      if (!first) return
      const { attempts, unanswered } = counts
      throw new CrmError(unanswered === attempts ? 'unreachable' : 'partial', notAccepted(first, count), {
        hint: certificateHint(first) ?? `when the app is fixed: ${againText(command, [...refused.keys()])}`,
      })
    },
  }
}

function someOf(ids: readonly string[], count: number): string {
  return `${ids.slice(0, NAMED_IDS).join(', ')}${count > NAMED_IDS ? ', …' : ''}`
}

/** The command that sends those again which were refused, and no others. */
function againText({ argv, words, isEdited }: ReplayCommand, refused: readonly string[]): string {
  if (isEdited) return commandLine(argv)
  if (words.length === 0) return commandLine(argv.includes('--failed') ? argv : [...argv, '--failed'])
  if (refused.length > TYPED_IDS) return 'crm webhooks events list --failed shows which'
  const flags = argv.filter((word) => !words.includes(word))
  const at = flags.indexOf('replay') + 1
  return commandLine([...flags.slice(0, at), ...refused, ...flags.slice(at)])
}

/** Which events a replay sends, if no ids are given. */
interface ReplaySelection {
  readonly since?: Since
  readonly failed?: true
  readonly events?: readonly string[]
}

/** CrmError `usage` for no selection, which would be the whole log, and for two. */
function refuseUnclearSelection(ids: readonly string[], { since, failed }: ReplaySelection): void {
  const isSelected = since !== undefined || failed === true
  if ((ids.length === 0) === isSelected) return
  throw new CrmError('usage', 'expected ids, or --since or --failed, and not both', {
    hint: 'crm webhooks replay --since 10m --to 3000',
  })
}

/** Runs before the first event is sent, because `--where` with a misspelt member may select all of them. */
async function judgeWhere(ctx: Context, selection: ReplaySelection): Promise<void> {
  const pages = selectedEvents(ctx, selection)
  while (!(await pages.next()).done);
}

/** Each event once, even if it was received several times; with ids in their order, else oldest first. */
async function* eventsOnce(
  ctx: Context,
  words: readonly string[],
  selection: ReplaySelection,
): AsyncGenerator<LoggedEvent> {
  if (words.length > 0) {
    yield* await findEvents(ctx, await readIds(ctx, words, 'crm webhooks events list -o id'))
    return
  }
  const seen = new Set<string>()
  for await (const events of selectedEvents(ctx, selection)) {
    for (const event of events) {
      if (event.id !== undefined && seen.has(event.id)) continue
      if (event.id !== undefined) seen.add(event.id)
      yield event
    }
  }
}

function selectedEvents(ctx: Context, { since, failed, events: globs = [] }: ReplaySelection) {
  return matchingEvents(ctx, loggedEvents(ctx, { order: 'oldest first', globs, since, isFailed: failed }))
}
