import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../core/errors.ts'
import { isLoopback } from '../core/http-rules.ts'
import { envWithoutSecrets } from '../core/streams.ts'
import { type CommandEnd, type CommandOptions, startCommand } from './command.ts'

export interface TunnelOptions extends Pick<CommandOptions, 'words' | 'env' | 'say'> {
  /** As typed. */
  readonly name: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface PublicTunnel {
  /** The public address. */
  readonly url: URL
  /** Rejects with a CrmError `machine` when the command ends. Never resolves. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

/** Starts a tunnel command and waits for the address that it prints. CrmError `machine` when it ends first or prints none in time. */
export async function openPublicTunnel({ name, timeoutMs, signal, ...command }: TunnelOptions): Promise<PublicTunnel> {
  const printed = Promise.withResolvers<URL>()
  const running = startCommand({
    ...command,
    env: envWithoutSecrets(command.env),
    say: (line) => {
      const url = publicAddressIn(line)
      if (url) printed.resolve(url)
      else command.say(line)
    },
  })
  const failed = running.ended.then((ended) => {
    throw endedError(name, ended)
  })
  // Prevents an unhandled rejection; callers that await it still get the error.
  failed.catch(() => {})
  const giveUp = new AbortController()
  const timedOut = sleep(timeoutMs, undefined, { signal: AbortSignal.any([signal, giveUp.signal]) }).then(() => {
    throw new CrmError('machine', `${name} printed no public address within ${timeoutMs / 1000} s`, {
      hint: 'start it yourself and pass its address: --public-url URL',
    })
  })
  try {
    return { url: await Promise.race([printed.promise, failed, timedOut]), failed, stop: running.stop }
  } catch (error) {
    await running.stop()
    throw error
  } finally {
    timedOut.catch(() => {})
    giveUp.abort()
  }
}

/** A URL without a path: tunnels also print links to manuals and terms of use, which have one. */
function publicAddressIn(line: string): URL | undefined {
  for (const [text] of line.matchAll(/https?:\/\/[^\s"'|<>()]+/g)) {
    const url = URL.parse(text)
    if (url && url.pathname === '/' && !url.search && !isLoopback(url.hostname)) return url
  }
  return undefined
}

function endedError(name: string, { how }: CommandEnd): CrmError {
  return new CrmError('machine', `the tunnel command ended: ${name} (${how})`, {
    hint: 'start it yourself to see the cause, then pass its address: --public-url URL',
  })
}
