import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Command, InvalidArgumentError } from 'commander'
import type { Act, Context } from '../../context.ts'
import { parseDurationWithUnitMs } from '../../core/duration.ts'
import { CrmError } from '../../core/errors.ts'
import { reachableHere } from '../../core/http-rules.ts'
import type { ListenEvent } from '../../core/webhook-events.ts'
import type { KeptAttempt } from '../../webhooks/log/attempt.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { printValue } from '../print.ts'
import {
  type AckFlags,
  addAckFlags,
  forwardGlobs,
  openForwarder,
  refuseForwardContradictions,
} from './forwarding-flags.ts'
import { printedDisplay } from './listen-display.ts'
import { screenDisplay } from './listen-screen.ts'
import { findTrust, isSenderForeign, refuseContradictions } from './listen-trust.ts'
import { addReceiverFlags, type ReceiverFlags } from './receiver-flags.ts'
import { receiveEvents } from './session.ts'
import { createTally } from './tally.ts'
import { checkGlobs, createWanted, parseGlobs } from './wanted.ts'

interface Options extends ReceiverFlags, AckFlags {
  readonly events?: readonly string[]
  readonly simulate?: SimulationFlag
  readonly insecureSkipVerify?: true
  readonly tui?: true
  readonly printSecret?: true
}

/** Under `webhooks`, and at the root. */
export function addListen(parent: CommandUnknownOpts, act: Act): void {
  const listen = (parent as unknown as Command)
    .command('listen')
    .summary('receive, verify, keep and print events')
    .description('receive events on this machine, verify, keep and print them, forward them; Ctrl-C stops it')
    .option('--events <globs>', 'show and forward only these, comma separated', parseGlobs)
    .option('--where <expr>', 'and of those only events for which this jq expression is true')
  addReceiverFlags(listen)
  addAckFlags(listen)
  listen
    .option('--simulate <rules>', 'simulate a bad receiver: fail=20%, delay=2s, or both with a comma', parseSimulation)
    .option('--tui', 'show events on the Events screen of crm browse')
    .option('--print-secret', 'print the secret that it would verify with, and end')
    .addHelpText(
      'after',
      examples(
        'crm listen',
        "crm listen --events 'deal.*' -o jsonl | jq .body.data",
        'crm listen --forward 3000 --show-response',
        'crm listen --tui',
        'crm listen --secret-file secret.txt --exec "node handler.js"',
      ),
    )
    .action(act(listenUntilStopped))
}

/** An event is acknowledged after it is on disk and its line was written: a slow reader slows the sender down. */
async function listenUntilStopped(ctx: Context, options: Options): Promise<undefined> {
  refuseContradictions(options)
  refuseForwardContradictions(options)
  if (options.printSecret) return printListenSecret(ctx, options)
  const globs = options.events ?? []
  await checkGlobs(ctx, [...globs, ...forwardGlobs(options)], isSenderForeign(options))
  const tally = createTally()
  const display = options.tui ? screenDisplay(ctx, options) : printedDisplay(ctx, tally)
  const show = async (listenEvent: ListenEvent): Promise<void> => {
    await display.show(listenEvent)
    tally.count(listenEvent)
  }
  const wanted = await createWanted(ctx, globs)
  const slips = createSlipNotes(ctx, wanted.slip)
  try {
    await receiveEvents(ctx, options, {
      isWanted: async (event) => {
        const isWanted = await wanted.isWanted(event)
        slips.seen()
        if (!isWanted) tally.countHidden(event)
        return isWanted
      },
      show,
      openForwarder: (keep, isAccepted) => openForwarder(ctx, options, { keep, isAccepted, show, say: display.say }),
      onUntaken: (untaken) => offerUntaken(ctx, options, untaken),
      ack: options.ack,
      simulator: await openSimulator(ctx, options.simulate),
      onReady: display.ready,
      until: display.closed,
      onUndone: (count) => {
        ctx.note(
          `Not forwarded: ${count}; they are kept: crm webhooks events list --failed, then ${replayLine(options)}`,
        )
      },
    })
  } finally {
    await display.end()
  }
  ctx.note(`crm listen has stopped. ${tally.total()}`)
  slips.end()
}

/** Never forwards them unasked: the app may have been given them by hand since. */
function offerUntaken(ctx: Pick<Context, 'note'>, options: Options, untaken: readonly KeptAttempt[]): void {
  if (untaken.length === 0) return
  const count = new Set(untaken.map(({ id, receivedAtMs }) => id ?? receivedAtMs)).size
  const since = new Date(Math.min(...untaken.map(({ receivedAtMs }) => receivedAtMs))).toISOString()
  const what = count === 1 ? '1 event was' : `${count} events were`
  ctx.note(`${what} acknowledged before and never forwarded; to forward them: ${replayLine(options, untaken, since)}`)
}

/** To the targets of this listener, else to those that the events waited for. */
function replayLine(options: Options, untaken: readonly KeptAttempt[] = [], since?: string): string {
  const { forward, exec, secretFile, header, cacert, insecureSkipVerifyTarget: isAnyCertificate } = options
  const waited = new Set(
    untaken.map(({ type, target }) => `${type === 'executed' ? '--exec' : '--forward'}\n${target}`),
  )
  const own = [...(forward ?? []).map((url) => ['--forward', url]), ...(exec ?? []).map((line) => ['--exec', line])]
  const targets = own.length > 0 ? own : [...waited].map((each) => each.split('\n'))
  return commandLine([
    ...['webhooks', 'replay', '--failed'],
    ...(since === undefined ? [] : ['--since', since]),
    ...targets.flat(),
    ...(header ?? []).flatMap((text) => ['--header', text]),
    ...(cacert === undefined ? [] : ['--cacert', cacert]),
    ...(isAnyCertificate ? ['--insecure-skip-verify-target'] : []),
    ...(secretFile === undefined ? [] : ['--secret-file', secretFile]),
  ])
}

/** Subscribes like a listener, if there is no secret yet. */
async function printListenSecret(ctx: Context, options: Options): Promise<undefined> {
  const { host, port, path, publicUrl } = options
  if (port === 0 || options.tunnel !== undefined || options.insecureSkipVerify) {
    throw new CrmError('usage', '--print-secret needs an address that stays, and a secret', {
      hint: 'crm listen --print-secret, with --port, --public-url or --secret-file as for the listener',
    })
  }
  const address = new URL(path, `http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  const { secrets } = await findTrust(ctx, options, publicUrl ?? reachableHere(address.href))
  return printValue(ctx, secrets[0] ?? '')
}

/** After so many events without a member, its name is probably misspelt. */
const ENOUGH_EVENTS = 20

/** A later event may have the member, so a missing one is not an error: it is noted after some events, and at the end. */
function createSlipNotes(ctx: Pick<Context, 'note'>, slip: () => CrmError | undefined) {
  let count = 0
  const note = (): void => {
    const found = slip()
    if (found) ctx.note(`${found.message}: ${found.details.hint}`)
  }
  return {
    seen: () => {
      if (++count === ENOUGH_EVENTS) note()
    },
    end: () => {
      if (count > 0) note()
    },
  }
}

async function openSimulator(ctx: Pick<Context, 'now' | 'signal'>, rules: SimulationFlag | undefined) {
  if (!rules) return undefined
  const { createSimulator } = await import('../../webhooks/listening.ts')
  return createSimulator({ ...rules, now: ctx.now, random: Math.random, signal: ctx.signal })
}

interface SimulationFlag {
  readonly failRatio: number
  readonly delayMs: number
}

/** `fail=20%,delay=2s`, either alone or both. */
function parseSimulation(text: string): SimulationFlag {
  let rules: SimulationFlag = { failRatio: 0, delayMs: 0 }
  for (const part of text.split(',')) {
    const [, name, value = ''] = /^\s*(fail|delay)=(.+?)\s*$/.exec(part) ?? []
    const percent = /^(\d+(?:\.\d+)?)%$/.exec(value)?.[1]
    const delayMs = parseDurationWithUnitMs(value)
    if (name === 'fail' && percent !== undefined && Number(percent) <= 100) {
      rules = { ...rules, failRatio: Number(percent) / 100 }
    } else if (name === 'delay' && delayMs !== undefined) {
      rules = { ...rules, delayMs }
    } else {
      throw new InvalidArgumentError('Expected fail=20%, delay=2s, or both with a comma.')
    }
  }
  return rules
}
