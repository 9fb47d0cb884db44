import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isCredentialName, isHeaderName, isHeaderValue, isLoopback, isTransportHeader } from '../../core/http-rules.ts'
import { shellWord } from '../../core/shell-words.ts'
import { hasCredentialParameter, hideInAddress, hideTokens } from '../../core/token-forms.ts'
import type { ForwardResult } from '../../core/webhook-events.ts'
import { isReadableByOthers, readInput } from '../../settings/read-input.ts'
import type { TargetConnection } from '../../webhooks/forwarding/http-target.ts'
import { collect } from '../fields-input.ts'

/** Flags of commands that send events to the URL of an app. */
export interface TargetFlags {
  readonly header?: readonly string[]
  readonly cacert?: string
  readonly insecureSkipVerifyTarget?: true
}

export function addTargetFlags(command: Command): void {
  command
    .option(
      '-H, --header <header>',
      "add 'Name: value', 'Name: @FILE' for a secret, or the headers in @FILE, for the URL (repeatable)",
      collect,
    )
    .option('--cacert <file>', 'trust the certificates in this file instead of the usual ones, for the URL')
    .option('--insecure-skip-verify-target', 'accept any certificate of a URL on this machine')
}

export async function readTargetFlags(
  ctx: Pick<Context, 'addSecret' | 'flags' | 'io' | 'note'>,
  flags: TargetFlags,
  urls: readonly URL[],
): Promise<TargetConnection> {
  const { header = [], cacert, insecureSkipVerifyTarget } = flags
  checkTargetFlags(flags, urls)
  if (urls.some(hasCredentialParameter)) {
    ctx.note(
      "Warning: other users can read the credential in the address; for a header: --header 'Authorization: @FILE'",
    )
  }
  return {
    headers: (await Promise.all(header.map((text) => readHeaders(ctx, text)))).flat(),
    authorities: cacert === undefined ? undefined : await readAuthorities(ctx, cacert),
    isVerified: insecureSkipVerifyTarget !== true,
  }
}

/** CrmError `usage` for flags that would have no effect, or that would weaken a connection to another machine. */
export function checkTargetFlags(
  { header, cacert, insecureSkipVerifyTarget }: TargetFlags,
  urls: readonly URL[],
): void {
  const far = insecureSkipVerifyTarget && urls.find(({ hostname }) => !isLoopback(hostname))
  if (far) {
    const message = `--insecure-skip-verify-target is for targets on this machine, and ${far.host} is not on it`
    throw new CrmError('usage', message, { hint: 'trust its certificate instead: --cacert FILE' })
  }
  if (cacert !== undefined && insecureSkipVerifyTarget) {
    throw new CrmError('usage', '--cacert verifies the target, and --insecure-skip-verify-target does not', {
      hint: 'leave out one of them',
    })
  }
  const forTls = cacert === undefined ? insecureSkipVerifyTarget && '--insecure-skip-verify-target' : '--cacert'
  if (forTls && !urls.some(({ protocol }) => protocol === 'https:')) {
    throw new CrmError('usage', `${forTls} has no effect: no target has https`, {
      hint: 'write the address in full: https://localhost:3000',
    })
  }
  if (header && urls.length === 0) {
    throw new CrmError('usage', '--header has no effect: no event is sent to a URL', {
      hint: 'name one: 3000, or a URL',
    })
  }
  for (const text of header ?? []) if (!/^@|^[^:]*:[ \t]*@./s.test(text)) parseHeader(text, { isFromFile: false })
}

/** Those of the flags that concern this URL. */
export function targetFlagsFor({ protocol }: URL, { header, cacert, insecureSkipVerifyTarget }: TargetFlags) {
  const headers = header ? { header } : {}
  if (protocol === 'http:') return headers
  return {
    ...headers,
    ...(cacert !== undefined && { cacert }),
    ...(insecureSkipVerifyTarget && { insecureSkipVerifyTarget }),
  }
}

type Header = readonly [name: string, value: string]

/** `Name: value`; `Name: @FILE` and `@FILE`, with one a line, may also hold credentials: other users can read a command line. */
async function readHeaders(
  ctx: Pick<Context, 'addSecret' | 'flags' | 'io' | 'note'>,
  text: string,
): Promise<readonly Header[]> {
  const [, named, file = text.startsWith('@') ? text.slice(1) : undefined] = /^([^:]*):[ \t]*@(.+)$/s.exec(text) ?? []
  if (file === undefined) return [parseHeader(text, { isFromFile: false })]
  const lines = (await readHeaderFile(ctx, file)).split(/\r?\n/).filter((line) => line.trim() !== '')
  if (named !== undefined && lines.length !== 1) {
    throw new CrmError('invalid_input', `--header '${named}: @FILE' takes one line, and ${file} has ${lines.length}`, {
      hint: 'for several headers, one a line with its name: --header @FILE',
    })
  }
  const headers = lines.map((line) =>
    parseHeader(named === undefined ? line : `${named}: ${line}`, { isFromFile: true }),
  )
  for (const [name, value] of headers) if (isSecret(name, value)) ctx.addSecret(value)
  return headers
}

async function readHeaderFile(ctx: Pick<Context, 'flags' | 'io' | 'note'>, file: string): Promise<string> {
  const text = await readInput(ctx, file, '--header')
  if (file !== '-' && (await isReadableByOthers(file))) {
    ctx.note(
      `Warning: other users of this machine can read ${file}; if it holds a secret: chmod 600 ${shellWord(file)}`,
    )
  }
  return text
}

function isSecret(name: string, value: string): boolean {
  return isCredentialName(name) || hideTokens(value) !== value
}

/** Of Standard Webhooks, Svix, Stripe and GitHub: crm sets them, or the handler would verify something else. */
const SIGNATURE = /^(?:(?:webhook|svix)-|x-hub-signature|stripe-signature$)/i

function parseHeader(text: string, { isFromFile }: { readonly isFromFile: boolean }): Header {
  const [, name = '', value = ''] = /^([^:]*):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? []
  if (!isHeaderName(name) || !isHeaderValue(value)) {
    const shown = isFromFile ? 'a line of the file of --header' : `--header ${JSON.stringify(hideTokens(text))}`
    throw new CrmError('usage', `${shown} is not a header`, { hint: "expected --header 'Name: value'" })
  }
  if (isTransportHeader(name) || SIGNATURE.test(name)) {
    const hint = SIGNATURE.test(name)
      ? 'events are signed with --secret-file FILE, else with the secret of their subscription'
      : 'leave it out: crm sets it itself'
    throw new CrmError('usage', `--header cannot set ${name}`, { hint })
  }
  if (!isFromFile && isSecret(name, value)) {
    throw new CrmError('usage', `--header has a secret in ${name}, which other users of this machine can read`, {
      hint: `write it to a file that only you can read, and name that: --header '${name}: @FILE'`,
    })
  }
  return [name, value]
}

/** What to type when the certificate of a target is not trusted; undefined for another failure. */
export function certificateHint({
  failure = '',
  target,
}: Pick<ForwardResult, 'failure' | 'target'>): string | undefined {
  if (!failure.includes('certificate')) return undefined
  const url = URL.parse(target)
  const onThisMachine = url && isLoopback(url.hostname) ? '; on this machine also: --insecure-skip-verify-target' : ''
  if (failure.includes('has expired')) return `renew the certificate of the target${onThisMachine}`
  const [, name = ''] = /certificate is for ([\w.:-]+)(?: and \d+ more)?, not for/.exec(failure) ?? []
  if (!failure.includes('certificate is for')) {
    return `trust the certificate, or the authority that signed it: --cacert FILE${onThisMachine}`
  }
  const named = url && isHostName(name) ? `: ${hideInAddress(Object.assign(url, { hostname: name }).href)}` : ''
  return `send it to the name in the certificate${named}${onThisMachine}`
}

function isHostName(text: string): boolean {
  return URL.parse(`https://${text}`)?.hostname === text
}

/** CrmError `invalid_input` before anything else is read or made; stdin can be read only once. */
export async function checkAuthorities(ctx: Pick<Context, 'flags' | 'io'>, { cacert }: TargetFlags): Promise<void> {
  if (cacert !== undefined && cacert !== '-') await readAuthorities(ctx, cacert)
}

async function readAuthorities(ctx: Pick<Context, 'flags' | 'io'>, path: string): Promise<string> {
  const text = await readInput(ctx, path, '--cacert')
  const { X509Certificate } = await import('node:crypto')
  try {
    // A connection ignores what it cannot read, and would then trust no certificate.
    new X509Certificate(text)
    return text
  } catch (cause) {
    const message = `--cacert ${JSON.stringify(path)} holds no readable certificate`
    throw new CrmError('invalid_input', message, { hint: 'expected certificates in PEM form', cause })
  }
}
