import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { hideInAddress } from '../../core/token-forms.ts'
import { writeNoteLine } from '../../output/safe-text.ts'
import type { Forwarder } from '../../webhooks/forwarding/forwarder.ts'
import type { ForwardRules } from '../../webhooks/forwarding/start-forwarder.ts'
import { collect } from '../fields-input.ts'
import { parseCount } from '../flags.ts'
import { commandWords } from './command-words.ts'
import { listenEventText } from './jsonl-printer.ts'
import { addTargetFlags, checkTargetFlags, readTargetFlags, type TargetFlags } from './target-flags.ts'

/** Flags of commands that forward events. */
export interface ForwardFlags extends TargetFlags {
  readonly forward?: readonly string[]
  readonly exec?: readonly string[]
  readonly showResponse?: true
  readonly forwardDuplicates?: true
}

/** Flags of commands that also answer a sender. */
export interface AckFlags extends ForwardFlags {
  readonly ack: 'forward' | 'now'
  readonly retry?: number
  readonly insecureSkipVerify?: true
}

export function addForwardFlags(command: Command): void {
  command
    .option(
      '--forward <[type=]url>',
      'forward events to this URL or port; only those that match type (repeatable)',
      collect,
    )
    .option('--exec <command>', 'run this with the event as JSON on stdin; no shell (repeatable)', collect)
    .option('--show-response', 'show the beginning of the answer of the URL')
  addTargetFlags(command)
}

export function addAckFlags(command: Command): void {
  addForwardFlags(command)
  command
    .addOption(
      new Option('--ack <when>', "answer the sender after the target, with the target's status, or at once")
        .choices(['forward', 'now'] as const)
        .default('forward' as const),
    )
    .option('--retry <n>', 'with --ack now: tries after a failed one (default: 3)', parseCount)
    .option('--forward-duplicates', 'forward events again that a target has already accepted')
}

const DEFAULT_RETRIES = 3
/** One second less than the timeout of crm serve, so that it receives an answer. */
const SENDER_WAITS_MS = 14_000

/** CrmError `usage` for flags that contradict each other. */
export function refuseForwardContradictions(options: AckFlags): void {
  checkTargetFlags(options, forwardUrls(options.forward ?? []))
  const hasTarget = options.forward !== undefined || options.exec !== undefined
  if (options.insecureSkipVerify && options.exec) {
    throw new CrmError('usage', '--insecure-skip-verify would let anyone run --exec', {
      hint: 'give --secret-file FILE',
    })
  }
  if (!hasTarget && options.ack === 'now') {
    throw new CrmError('usage', '--ack now requires --forward or --exec', {
      hint: 'add --forward URL or --exec COMMAND',
    })
  }
  if (options.retry !== undefined && options.ack !== 'now') {
    throw new CrmError('usage', '--retry requires --ack now; otherwise the sender retries', {
      hint: 'add --ack now',
    })
  }
}

/** Undefined when there is no target. */
export async function openForwarder(
  ctx: Context,
  options: AckFlags,
  { say, ...how }: Pick<HowOften, 'keep' | 'isAccepted' | 'show' | 'say'>,
) {
  if (options.forward === undefined && options.exec === undefined) return undefined
  const isLater = options.ack === 'now'
  return await startTargets(ctx, options, {
    timeoutMs: isLater ? ctx.flags.timeoutMs : Math.min(ctx.flags.timeoutMs, SENDER_WAITS_MS),
    retries: isLater ? (options.retry ?? DEFAULT_RETRIES) : 0,
    passesDuplicates: options.forwardDuplicates === true,
    keepsQueued: isLater,
    ...how,
    ...(say && { say }),
  })
}

type HowOften = Pick<
  ForwardRules,
  'timeoutMs' | 'retries' | 'passesDuplicates' | 'isAccepted' | 'keepsQueued' | 'keep' | 'show' | 'sign'
> & {
  /** Receives the output of commands; default: stderr. */
  readonly say?: (line: string) => void
}

export async function startTargets(ctx: Context, options: ForwardFlags, how: HowOften): Promise<Forwarder | undefined> {
  const forwards = (options.forward ?? []).map((text) => parseForward(text))
  const commands = (options.exec ?? []).map((text) => ({ name: text, words: commandWords(text, '--exec') }))
  await refuseMissingPrograms(ctx, commands)
  const connection = await readTargetFlags(
    ctx,
    options,
    forwards.map(({ url }) => url),
  )
  const { startForwarder } = await import('../../webhooks/forwarding/start-forwarder.ts')
  return startForwarder({
    say: (line) => writeNoteLine(ctx.io.stderr, line),
    ...how,
    forwards,
    connection,
    commands,
    showsResponse: options.showResponse === true,
    env: ctx.env,
    now: ctx.now,
    input: (event) => `${listenEventText(event)}\n`,
  })
}

export function forwardUrls(texts: readonly string[]): readonly URL[] {
  return texts.map((text) => parseForward(text).url)
}

/** The globs of `--forward`, in addition to those of `--events`. */
export function forwardGlobs({ forward = [] }: ForwardFlags): readonly string[] {
  return forward.flatMap((text) => parseForward(text).globs)
}

async function refuseMissingPrograms(
  ctx: Pick<Context, 'env'>,
  commands: readonly { readonly words: readonly [string, ...string[]] }[],
): Promise<void> {
  if (commands.length === 0) return
  const { refuseMissingProgram } = await import('../../webhooks/command.ts')
  for (const { words } of commands) refuseMissingProgram(words[0], ctx.env)
}

/** `3000`, `localhost:3000/hook`, a URL; with the names of events before it: `deal.*=URL`. */
export function parseForward(
  text: string,
  flag = '--forward',
): { readonly globs: readonly string[]; readonly url: URL } {
  const [, globs, target = ''] = /^(?:([\w.*,-]+)=)?(.+)$/s.exec(text) ?? []
  const address = /^\d{1,5}$/.test(target) ? `localhost:${target}` : target
  // A bare word is not a host: it is probably a mistyped port or flag.
  const isWord = /^[\w-]+(?=[/?#]|$)/.test(address) && !/^localhost\b/i.test(address)
  const url = URL.parse(address.includes('://') ? address : `http://${address}`)
  if (url && (url.username || url.password))
    throw credentialsIn(flag, text, "for the app: --header 'Authorization: @FILE'")
  if (!url || isWord || !/^https?:$/.test(url.protocol) || url.hash) {
    throw new CrmError('usage', `${flag} ${JSON.stringify(hideInAddress(text))} is not an address`, {
      hint: "expected 3000, http://localhost:3000/hook, or 'deal.*=http://localhost:3000/deals'",
    })
  }
  return { globs: globs === undefined ? [] : globs.split(','), url }
}

/** CrmError `usage` for an address with a user or a password, which it does not repeat. */
export function credentialsIn(flag: string, text: string, hint: string): CrmError {
  const message = `${flag} ${JSON.stringify(hideInAddress(text))} has credentials, which do not belong in an address`
  return new CrmError('usage', message, { hint })
}
