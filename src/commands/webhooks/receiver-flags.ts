import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDurationWithUnitMs } from '../../core/duration.ts'
import { parsePort } from '../serve/serve-flags.ts'
import { credentialsIn } from './forwarding-flags.ts'
import type { TrustOptions } from './listen-trust.ts'

const UNIT_BYTES: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

/** Flags of commands that receive events. */
export interface ReceiverFlags extends TrustOptions {
  readonly host: string
  readonly path: string
  readonly keep: KeepRule
  /** In bytes. */
  readonly maxBody?: number
}

/** Takes an untyped command, because the type of so many options is too large for the compiler. */
export function addReceiverFlags(command: Command): void {
  command
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .option('--port <n>', 'listen on this port; 0 takes a free one', parsePort, 4242)
    .option('--path <path>', 'the path that events are sent to', parsePath, '/')
    .option('--secret-file <file>', 'verify with the secrets in this file, one a line; - for stdin')
    .option('--subscribe', 'make a new subscription, even if one is stored')
    .option('--public-url <url>', 'the address at which the server reaches this listener', parsePublicUrl)
    .option('--tunnel <command>', 'a command that prints such an address, run while listening')
    .option('--max-body <size>', 'accept bodies up to this size: 5MB, at most 32MB (default: 1 MiB)', parseMaxBody)
    .option('--insecure-skip-verify', 'accept events of any sender, marked as unverified')
    .addOption(
      new Option('--keep <what>', 'of the event log: a time (30d), a size (500MB), or all')
        .argParser(parseKeep)
        .default(parseKeep('all'), 'all'),
    )
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

/** The log is read in whole lines. */
const LARGEST_BODY = 32e6

function parseMaxBody(text: string): number {
  const sizeBytes = sizeIn(text)
  if (sizeBytes >= 1 && sizeBytes <= LARGEST_BODY) return sizeBytes
  throw new InvalidArgumentError('Expected a size such as 500KB or 5MB, at most 32MB.')
}

/** 0 for text that is no size. */
function sizeIn(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(KB|MB|GB|TB)$/i.exec(text.trim()) ?? []
  return Math.floor(Number(amount) * (UNIT_BYTES[unit.toUpperCase()] ?? 0))
}

function parsePublicUrl(text: string): URL {
  const url = URL.parse(text)
  const isAddress = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (isAddress && !url.hash) return url
  // Also where it is no address otherwise: the message for that repeats it.
  if (!isAddress && text.includes('@')) {
    throw credentialsIn('--public-url', text, 'give it without them: the signature verifies the sender')
  }
  throw new InvalidArgumentError('Expected an address such as https://hooks.example.com/crm.')
}

/** The limits of the event log; undefined for no limit. */
interface KeepRule {
  readonly maxAgeMs: number | undefined
  readonly maxBytes: number | undefined
}

/** `all`, a time, a size, or both with a comma: `30d,1GB`. */
function parseKeep(text: string): KeepRule {
  let rule: KeepRule = { maxAgeMs: undefined, maxBytes: undefined }
  if (text === 'all') return rule
  for (const part of text.split(',')) {
    const maxBytes = sizeIn(part)
    const maxAgeMs = maxBytes > 0 ? undefined : parseDurationWithUnitMs(part)
    if (!maxBytes && !maxAgeMs)
      throw new InvalidArgumentError('Expected a time such as 30d, a size such as 500MB, or all.')
    rule = maxBytes > 0 ? { ...rule, maxBytes } : { ...rule, maxAgeMs }
  }
  return rule
}
