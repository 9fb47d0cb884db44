import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../core/errors.ts'
import { isLoopback } from '../core/origin.ts'
import { withoutKey } from '../core/without-key.ts'
import { type CommandOptions, type Ended, startCommand } from './command.ts'

export interface TunnelOptions extends Pick<CommandOptions, 'words' | 'env' | 'say'> {
  /** As typed. */
  readonly name: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface Tunnel {
  /** Where the world reaches it. */
  readonly url: URL
  /** Rejects with a CrmError `machine` when the command ends. Never resolves. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

/** Runs a command that makes a tunnel, until it prints the address. CrmError `machine` when it ends before, or prints none in time. */
export async function openTunnel({ name, timeoutMs, signal, ...command }: TunnelOptions): Promise<Tunnel> {
  const printed = Promise.withResolvers<URL>()
  const running = startCommand({
    ...command,
    env: withoutKey(command.env),
    say: (line) => {
      const url = publicAddressIn(line)
      if (url) printed.resolve(url)
      else command.say(line)
    },
  })
  const failed = running.ended.then((ended) => {
    throw endedError(name, ended)
  })
  // The caller that awaits it gets the error; without one the process must not end because of it.
  failed.catch(() => {})
  const giveUp = new AbortController()
  const late = sleep(timeoutMs, undefined, { signal: AbortSignal.any([signal, giveUp.signal]) }).then(() => {
    throw new CrmError('machine', `${name} printed no public address within ${timeoutMs / 1000} s`, {
      hint: 'start it yourself, and give its address: --public-url URL',
    })
  })
  try {
    return { url: await Promise.race([printed.promise, failed, late]), failed, stop: running.stop }
  } catch (error) {
    await running.stop()
    throw error
  } finally {
    late.catch(() => {})
    giveUp.abort()
  }
}

/** An address with nothing behind its host: those of manuals and of terms of use, which tunnels like to print, have a path. */
export function publicAddressIn(line: string): URL | undefined {
  for (const [text] of line.matchAll(/https?:\/\/[^\s"'|<>()]+/g)) {
    const url = URL.parse(text)
    if (url && url.pathname === '/' && !url.search && !isLoopback(url.hostname)) return url
  }
  return undefined
}

function endedError(name: string, { how }: Ended): CrmError {
  return new CrmError('machine', `the tunnel has ended: ${name} (${how})`, {
    hint: 'start it yourself to see why, and give its address: --public-url URL',
  })
}
