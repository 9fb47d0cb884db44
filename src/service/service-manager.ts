import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Env } from '../core/streams.ts'

/** systemd, or whatever else has made NOTIFY_SOCKET: sd_notify(3). */
export interface ServiceManager {
  ready(url: string): void
  reloading(): void
  stopping(): void
  /** Resolves when all of it is sent. */
  sent(): Promise<void>
}

/** The service manager waits for its answer by default; one that is stuck must not keep crm. */
const SEND_MS = 10_000

export interface ManagerSettings {
  /** With NOTIFY_SOCKET. */
  readonly env: Env
  readonly note: (line: string) => void
  readonly monotonicUs?: () => bigint
}

/**
 * Sends by the program systemd-notify, because Node has no datagram sockets of the family AF_UNIX. A message that cannot be
 * sent is a warning.
 */
export function openServiceManager({
  env: { NOTIFY_SOCKET, PATH },
  note,
  monotonicUs,
}: ManagerSettings): ServiceManager {
  let sent = Promise.resolve()
  const send = (...variables: string[]): void => {
    sent = sent.then(() => sendTo({ NOTIFY_SOCKET, PATH }, variables, note))
  }
  return {
    ready: (url) => send('READY=1', `STATUS=Serving at ${url}`),
    // Without the time, systemd does not know which READY=1 ends a reload (Type=notify-reload).
    reloading: () => send('RELOADING=1', ...(monotonicUs ? [`MONOTONIC_USEC=${monotonicUs()}`] : [])),
    stopping: () => send('STOPPING=1', 'STATUS=Stopping'),
    sent: () => sent,
  }
}

async function sendTo(
  env: NodeJS.ProcessEnv,
  variables: readonly string[],
  note: ManagerSettings['note'],
): Promise<void> {
  const child = spawn('systemd-notify', variables, { env, stdio: 'ignore', signal: AbortSignal.timeout(SEND_MS) })
  try {
    const [exit, signal] = await once(child, 'exit')
    if (exit !== 0) note(`Warning: systemd-notify ${variables[0]} ended with ${exit ?? signal}.`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'the program systemd-notify is not there' : `${code}`
    note(`Warning: NOTIFY_SOCKET is set, but ${reason}; ${variables[0]} is not sent.`)
  }
}
