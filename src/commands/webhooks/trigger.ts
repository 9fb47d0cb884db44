import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Command, Option } from 'commander'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { hideInAddress } from '../../core/token-forms.ts'
import { eventKinds, type ForwardResult, SCHEME_NAMES, type SchemeName } from '../../core/webhook-events.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { printDryRun } from '../dry-run.ts'
import { applySet, collect, readFields } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'
import { parseForward } from './forwarding-flags.ts'
import { refuseUnknownMember } from './known-members.ts'
import { readSecretFile } from './listen-trust.ts'
import { secretsForApp } from './listener-secrets.ts'
import {
  FLAWS,
  type Flaw,
  flawed,
  isWholeEvent,
  type MadeEvent,
  makeEvent,
  recordInEvent,
  wholeEvent,
} from './made-event.ts'
import { findKeptSecrets, madeDelivery, sendEvent, unknownFor } from './send-event.ts'
import {
  addTargetFlags,
  certificateHint,
  checkAuthorities,
  checkTargetFlags,
  type TargetFlags,
} from './target-flags.ts'

interface Options extends TargetFlags {
  readonly to: string
  readonly set?: readonly string[]
  readonly setNew?: readonly string[]
  readonly data?: string
  readonly previous?: readonly string[]
  readonly secretFile?: string
  readonly scheme: SchemeName
  readonly flaw?: Flaw
}

export function addTrigger(webhooks: CommandUnknownOpts, act: Act): void {
  const trigger = (webhooks as unknown as Command)
    .command('trigger <event>')
    .summary('send a synthetic event, signed like a real one')
    .description('send a synthetic event, signed like a real one; needs no server, and changes no record')
    .option('--to <url>', 'where to send it: a URL, or a port', 'http://127.0.0.1:4242/')
    .option('--set <key=value>', 'a member of its record: key=text, key:=json (repeatable)', collect)
    .option('--set-new <key=value>', 'the same for a member that its record does not have (repeatable)', collect)
    .option('--data <file>', 'its record, or a whole event, from a JSON or YAML file, - for stdin')
    .option('--previous <key=value>', 'with an update: the value of a member before it (repeatable)', collect)
    .option('--secret-file <file>', 'sign with the secrets in this file; made if it does not exist')
    .addOption(new Option('--scheme <name>', 'how to sign').choices(SCHEME_NAMES).default('standard-webhooks' as const))
    .addOption(new Option('--flaw <what>', 'make it invalid: succeed if it is refused').choices(FLAWS))
  addTargetFlags(trigger)
  trigger
    .addHelpText(
      'after',
      examples(
        'crm webhooks trigger contact.created --set name=Ada --to http://localhost:3000/hook --secret-file secret.txt',
        'crm webhooks trigger deal.updated --set stage=Won --flaw altered',
      ),
    )
    .addHelpText('after', `\nEvents of crm serve: ${eventKinds().join(', ')}.`)
    .action(act(triggerEvent))
  addScopedFlags(trigger, ['fields', 'dryRun', 'exitCode'])
}

async function triggerEvent(ctx: Context, name: string, options: Options): Promise<ExitCode | undefined> {
  refuseTimeless(options)
  const { url } = parseForward(options.to, '--to')
  checkTargetFlags(options, [url])
  await checkAuthorities(ctx, options)
  noteUnknown(ctx, name, options.scheme)
  const { id, body } = await readEvent(ctx, name, options)
  if (ctx.flags.isDryRun) return printDryRun(ctx, { method: 'POST', path: hideInAddress(url.href), body })
  const secrets = await signingSecrets(ctx, options.secretFile, url)
  const { signedHeaders } = await import('../../webhooks/sign.ts')
  const bytes = Buffer.from(JSON.stringify(body))
  const sent = flawed({ id, timestamp: Math.floor(ctx.now() / 1000), body: bytes, secrets }, options.flaw)
  const signed = sent.secrets.length === 0 ? [] : signedHeaders(options.scheme, { ...sent, name }, sent.secrets)
  const headers = [['content-type', 'application/json'], ['user-agent', `crm/${ctx.version}`], ...signed] as const
  const made = madeDelivery(ctx, { url, id, name, headers, bytes: sent.sentBody })
  const result = await sendEvent(ctx, made, url, { flags: options })
  return await report(ctx, result, options.flaw)
}

async function readEvent(ctx: Context, name: string, options: Options): Promise<MadeEvent> {
  const { set = [], setNew = [], data, scheme } = options
  const before = previousMembers(name, options)
  const given = data === undefined ? {} : await readFields(ctx, { data })
  const made = isWholeEvent(given) ? wholeEvent(name, given, ctx.now()) : makeEvent(name, given, scheme, ctx.now())
  const { body } = made
  const object = scheme === 'github' ? body : recordInEvent(body)
  const recordPaths = scheme === 'standard-webhooks' || scheme === 'svix' ? [''] : []
  for (const text of set) refuseUnknownMember({ event: name, object, recordPaths }, text)
  for (const text of set) applySet(object, text)
  for (const text of setNew) applySet(object, text, undefined, '--set-new')
  for (const text of options.previous ?? []) refuseUnknownMember({ event: name, object, recordPaths }, text)
  if (!name.endsWith('.updated') || !isJsonObject(body.previous)) return made
  const changed = Object.fromEntries([...set, ...setNew].map((text) => [text.split(/[.=:]/, 1)[0] ?? '', null]))
  return { ...made, body: { ...body, previous: { ...changed, ...body.previous, ...before } } }
}

/** The members of `--previous`. CrmError `usage` for an event that has none. */
function previousMembers(name: string, { previous, scheme }: Options): JsonObject | undefined {
  if (previous === undefined) return undefined
  if (!name.endsWith('.updated') || scheme === 'stripe' || scheme === 'github') {
    throw new CrmError('usage', `--previous does not go with ${name} of ${scheme}`, {
      hint: 'only updates of Standard Webhooks and Svix have previous values: crm webhooks trigger deal.updated',
    })
  }
  const members: JsonObject = {}
  for (const text of previous) applySet(members, text, undefined, '--previous')
  return members
}

/** GitHub signs no time, so a handler may accept a stale event. */
function refuseTimeless({ scheme, flaw }: Options): void {
  if (scheme !== 'github' || (flaw !== 'stale' && flaw !== 'future')) return
  throw new CrmError('usage', `--flaw ${flaw} does not go with --scheme github, which signs no time`, {
    hint: 'use --flaw unsigned, wrong-secret or altered',
  })
}

function noteUnknown(ctx: Pick<Context, 'note'>, name: string, scheme: SchemeName): void {
  if (scheme !== 'standard-webhooks' || eventKinds().some((kind) => kind === name)) return
  const meant = nearest(name, eventKinds())
  ctx.note(`crm serve sends no ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`)
}

/** Those of the file, else of a listener at this address, else of one that forwards to it. CrmError `usage` if there are none. */
async function signingSecrets(ctx: Context, file: string | undefined, url: URL): Promise<readonly string[]> {
  if (file !== undefined) {
    const { makeSecretFile, refuseSecretAsName } = await import('../../webhooks/secrets.ts')
    refuseSecretAsName(file)
    if (file !== '-' && (await makeSecretFile(file))) {
      ctx.note(`Made a secret in ${file}; the receiver needs it, too: crm listen --secret-file ${file}`)
    }
    return await readSecretFile(ctx, file)
  }
  const found = (await findKeptSecrets(ctx, url)) ?? (await secretsForApp(ctx, url))
  if (!found) throw unknownFor(url)
  return found
}

async function report(ctx: Context, result: ForwardResult, flaw: Flaw | undefined): Promise<undefined> {
  const { id, name, target, status, tookMs, response } = result
  // A crash or a redirect is not a refusal of the signature.
  const isRefused = status !== undefined && status >= 400 && status < 500
  const isFine = flaw === undefined ? result.failure === undefined : isRefused
  if (isFine) {
    const shown = { id: id ?? null, event: name ?? null, target, status: status ?? null, took_ms: tookMs }
    return await printOne(ctx, { ...shown, response: response ?? null })
  }
  if (status === undefined) {
    throw new CrmError('unreachable', `${target}: ${result.failure}`, {
      hint: certificateHint(result) ?? 'start what listens there: crm listen, or your app',
    })
  }
  if (flaw !== undefined && result.failure === undefined) {
    throw new CrmError('rejected', `${target} accepted an event that was ${flaw} (${status})`, {
      status,
      hint: 'receivers must verify events: see docs/webhooks.md',
    })
  }
  const says = response?.trim() ? `: ${response.trim()}` : ''
  throw new CrmError(status >= 500 ? 'server_error' : 'rejected', `${target} ${result.failure}${says}`, {
    status,
    hint: hintFor(ctx, status),
  })
}

/** A hint by the status of the handler. */
function hintFor({ argv }: Pick<Context, 'argv'>, status: number): string {
  if (status < 400) return 'send it to the address of the redirect: --to URL'
  if (status === 400 || status === 401 || status === 403) {
    return 'it must know the secret that signed this: --secret-file FILE'
  }
  if (status === 404 || status === 405 || status === 410) return 'give the address that accepts events: --to URL'
  return `look for the cause in its log, then run again: ${commandLine(argv)}`
}
