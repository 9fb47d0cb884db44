import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Command, Option } from 'commander'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { isLoopback } from '../../core/http-rules.ts'
import { isJsonObject } from '../../core/json.ts'
import type { ListenEvent, Received, ReceivedEvent, RejectedRequest } from '../../core/webhook-events.ts'
import type { Check } from '../../output/check-report.ts'
import { writeNoteLine } from '../../output/safe-text.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags, parseCount, parsePositiveTime } from '../flags.ts'
import { onePage, printList, printOne } from '../print.ts'
import { addReportFlag, type ReportFlags, withReport } from '../report-flag.ts'
import { commandWords } from './command-words.ts'
import { eventRecord } from './event-record.ts'
import { shortForeignText } from './event-summary.ts'
import { isSenderForeign, refuseContradictions } from './listen-trust.ts'
import { addReceiverFlags, type ReceiverFlags } from './receiver-flags.ts'
import { receiveEvents } from './session.ts'
import { checkGlobs, createWanted, parseGlobs } from './wanted.ts'

/** Of Standard Webhooks and Svix. Others state no time of their own, or one in whole seconds. */
const SENT_AT = ['webhook-timestamp', 'svix-timestamp']

/** Signatures have times in whole seconds, and take some time to arrive. */
const SAME_CLOCK_MS = 3000

interface Options extends ReceiverFlags, ReportFlags {
  readonly count: number
  readonly timeout: number
  readonly run?: string
}

const COLUMNS = ['received_at', 'event', 'record_id', 'id', 'verified'] as const

export function addWait(webhooks: CommandUnknownOpts, act: Act): void {
  const wait = (webhooks as unknown as Command)
    .command('wait <events>')
    .summary('wait for events, and print them')
    .description('wait for events and print them; exit 12 if they are not received in time')
    .option('--where <expr>', 'only events for which this jq expression is true')
    .option('--count <n>', 'number of events to wait for', parseCount, 1)
    .addOption(
      new Option('--timeout <time>', 'maximum time to wait').argParser(parsePositiveTime).default(60_000, '60s'),
    )
    .option('--run <command>', 'run this when events can be received; no shell, its output goes to stderr')
  addReceiverFlags(wait)
  addReportFlag(wait)
  wait
    .addHelpText(
      'after',
      examples(
        "crm webhooks wait contact.created --run 'crm contacts create --set name=Ada'",
        `crm webhooks wait 'deal.*' --where '.body.data.stage == "Won"' --timeout 5m -o json`,
      ),
    )
    .action(act(waitForEvents))
  addScopedFlags(wait, ['fields'])
}

/** An assertion for tests: prints the events, or the reasons why they were not received. */
async function waitForEvents(ctx: Context, text: string, options: Options): Promise<ExitCode | undefined> {
  const work = (add: (check: Check) => void) => receiveWanted(ctx, text, options, add)
  return await withReport(ctx, { name: `crm webhooks wait ${text}`, flags: options, work })
}

async function receiveWanted(
  ctx: Context,
  text: string,
  options: Options,
  add: (check: Check) => void,
): Promise<undefined> {
  refuseContradictions(options)
  ctx.keepExitCode?.()
  const globs = parseGlobs(text)
  await checkGlobs(ctx, globs, isSenderForeign(options))
  const wanted = await createWanted(ctx, globs)
  const found: ReceivedEvent[] = []
  const misses = createNearMisses(globs)
  let startedAtMs = Number.POSITIVE_INFINITY
  const done = Promise.withResolvers<void>()
  const take = (event: ReceivedEvent): void => {
    // A repeated delivery is the same event.
    if (found.some(({ id }) => id !== undefined && id === event.id)) return
    if (isEarlier(event, startedAtMs)) misses.addEarlier(event)
    else found.push(event)
    if (found.length === options.count) done.resolve()
  }
  // Both are awaited below, unless an error ends the session before.
  done.promise.catch(() => {})
  const run = await prepareRun(ctx, options.run, (ended) => done.reject(ended))
  const isEarlier = await createIsEarlier(ctx, options)
  // Started last, because a timer that is not cleared keeps the process alive.
  const late = setTimeout(() => done.reject(new TooLate()), options.timeout)
  const until = done.promise.then(() => run.ended)
  until.catch(() => {})
  try {
    await receiveEvents(ctx, options, {
      isWanted: async (event) => (await wanted.isWanted(event)) || misses.add(event),
      show: async (listenEvent) => {
        if (isReceived(listenEvent)) listenEvent.type === 'event' ? take(listenEvent) : misses.add(listenEvent)
      },
      onReady: async ({ url }) => {
        ctx.note(`Waiting at ${url} for ${options.count} of ${globs.join(', ')}.`)
      },
      onOpen: async ({ url }) => {
        startedAtMs = ctx.now()
        await run.start(url)
      },
      until,
    })
  } catch (error) {
    if (!(error instanceof TooLate)) throw error
    for (const event of found) ctx.note(`Received: ${eventText(event)}`)
    for (const line of misses.lines()) ctx.note(line)
    const slip = wanted.slip()
    if (slip) ctx.note(`${slip.message}: ${slip.details.hint}`)
    const missed = notInTime(options, globs, found.length, misses.summary(found.length))
    add({ name: globs.join(', '), failure: [missed.message, ...misses.lines()].join('\n') })
    throw missed
  } finally {
    clearTimeout(late)
    await run.stop()
  }
  ctx.signal.throwIfAborted()
  const records = found.slice(0, options.count).map(eventRecord)
  for (const event of found.slice(0, options.count)) add({ name: eventText(event) })
  if (options.count === 1 && records[0]) await printOne(ctx, records[0])
  else await printList(ctx, { pages: onePage(records), columns: COLUMNS, plural: 'events' })
  const slip = wanted.slip()
  if (slip) throw slip
  return undefined
}

/** Whether an event occurred before that time: its delivery may have failed before crm listened. */
async function createIsEarlier(ctx: Pick<Context, 'target'>, { run, secretFile, insecureSkipVerify }: Options) {
  if (run === undefined) return () => false
  const isServerKnown = secretFile === undefined && !insecureSkipVerify
  const isSameMachine = isServerKnown && isLoopback((await ctx.target()).baseUrl.hostname)
  return (event: ReceivedEvent, timeMs: number): boolean => {
    const madeAt = eventTimeMs(event, isSameMachine)
    return madeAt !== undefined && madeAt < timeMs
  }
}

class TooLate extends Error {}

function isReceived(listenEvent: ListenEvent): listenEvent is Received {
  return listenEvent.type === 'event' || listenEvent.type === 'rejected'
}

function notInTime({ count, timeout }: Options, globs: readonly string[], found: number, summary: string): CrmError {
  const what = `${globs.join(', ')} not received within ${timeout / 1000} s (${found} of ${count})`
  return new CrmError('not_in_time', `${what}; ${summary}`, {
    hint: 'received events are kept: crm webhooks events list --since 10m; to wait longer: --timeout 5m',
  })
}

/**
 * When an event occurred, by the clock of this machine; undefined if its sender does not state it. Of another machine's
 * clock, only the age of the event when it was signed is used; rounding to seconds makes it younger, never older.
 */
export function eventTimeMs(
  { body, delivery, receivedAtMs }: ReceivedEvent,
  isSameMachine: boolean,
): number | undefined {
  const stated = body.type === 'json' && isJsonObject(body.value) ? body.value.timestamp : undefined
  const statedMs = typeof stated === 'string' ? Date.parse(stated) : Number.NaN
  const sentAt = delivery.headers.find(([name]) => SENT_AT.includes(name.toLowerCase()))?.[1]
  const sentAtMs = Number(sentAt ?? Number.NaN) * 1000
  if (Number.isNaN(statedMs) || Number.isNaN(sentAtMs)) return undefined
  // A port of this machine may be forwarded to another one.
  if (isSameMachine && Math.abs(receivedAtMs - sentAtMs) < SAME_CLOCK_MS) return statedMs
  return receivedAtMs - Math.max(0, sentAtMs - statedMs)
}

/** Collects events that do not match while waiting, to explain a timeout. */
export interface NearMisses {
  /** Always false. */
  add(received: Received): false
  /** A matching event from before the command of `--run`. */
  addEarlier(event: ReceivedEvent): void
  /** The last ones, each with the reason. */
  lines(): readonly string[]
  /** `found`: the number of matching events. */
  summary(found: number): string
}

const SHOWN = 5

function createNearMisses(globs: readonly string[]): NearMisses {
  const last: string[] = []
  const counts = { events: 0, rejected: 0 }
  const push = (line: string): void => {
    last.push(line)
    if (last.length > SHOWN) last.shift()
  }
  return {
    add(received) {
      counts[received.type === 'event' ? 'events' : 'rejected']++
      push(received.type === 'event' ? `Received instead: ${whyNot(received, globs)}` : rejectedText(received))
      return false
    },
    addEarlier(event) {
      counts.events++
      push(`Received instead: ${eventText(event)}; it occurred before --run`)
    },
    lines: () => last,
    summary(found) {
      const { events, rejected } = counts
      if (events + rejected === 0) return found === 0 ? 'nothing was received' : 'nothing else was received'
      return `other events received: ${events}, rejected requests: ${rejected}`
    },
  }
}

/** The text of an event for a note. */
function eventText({ name = 'an event without a name', recordId, id }: ReceivedEvent): string {
  const what = [name, recordId, id && `(${id})`].filter((part) => part !== undefined)
  return what.map(shortForeignText).join(' ')
}

/** If a glob is the exact name of the event, --where is the reason. */
function whyNot(event: ReceivedEvent, globs: readonly string[]): string {
  const isNamed = event.name !== undefined && globs.includes(event.name)
  return `${eventText(event)}${isNamed ? '; it does not match --where' : ''}`
}

function rejectedText({ reason, detail }: RejectedRequest): string {
  return `Rejected: ${reason}, ${detail}`
}

/** The command of `--run`, or none. */
export interface RunCommand {
  /** Call when events can be received; the command finds the address in CRM_LISTEN_URL. */
  start(url: string): Promise<void>
  /** Resolves when the command has succeeded; rejects with a CrmError `partial` if it failed after all events. */
  readonly ended: Promise<void>
  /** Kills the command if it still runs. */
  stop(): Promise<void>
}

/**
 * `onFailure` is called if the command fails, because the events will then not occur. CrmError `usage` if there is no such
 * program, before anything is subscribed.
 */
async function prepareRun(
  ctx: Pick<Context, 'env' | 'io'>,
  text: string | undefined,
  onFailure: (error: CrmError) => void,
): Promise<RunCommand> {
  const words = text === undefined ? undefined : commandWords(text, '--run')
  if (words) (await import('../../webhooks/command.ts')).refuseMissingProgram(words[0], ctx.env)
  const ended = Promise.withResolvers<void>()
  // Not awaited if the events are not received.
  ended.promise.catch(() => {})
  let stop = async (): Promise<void> => {}
  if (!words) ended.resolve()
  return {
    start: async (url) => {
      if (!words) return
      const { startCommand } = await import('../../webhooks/command.ts')
      const say = (line: string): void => writeNoteLine(ctx.io.stderr, line)
      const running = startCommand({ words, env: { ...ctx.env, CRM_LISTEN_URL: url }, say })
      stop = running.stop
      running.ended.then(({ exit, how }) => {
        if (exit === 0) return ended.resolve()
        const details = { hint: `run it alone to see why: ${text}` }
        ended.reject(new CrmError('partial', `the events were received, but ${text} failed (${how})`, details))
        onFailure(new CrmError('not_in_time', `${text} failed (${how}) before the events were received`, details))
      }, onFailure)
    },
    ended: ended.promise,
    stop: () => stop(),
  }
}
