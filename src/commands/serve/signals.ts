import type { Context } from '../../context.ts'
import { durationText } from '../../core/duration.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/http-rules.ts'
import type { RunningServer } from '../../service/server.ts'
import type { ServiceManager } from '../../service/service-manager.ts'
import type { OpenLog } from './log.ts'
import { readTls } from './serve-flags.ts'

// What SIGTERM and SIGHUP do to a running service. A second SIGTERM ends it at once, as with every command.

/** After the last response, connections stay open for so long: a request that was sent before may arrive. */
export const CROSSING_MS = 200

/** A load balancer asks for `/readyz` every few seconds. */
const DRAIN_MS = 5000

export function isTerminated({ signal }: Pick<Context, 'signal'>): boolean {
  return signal.aborted && (signal.reason as Error).cause === 'SIGTERM'
}

/** Nothing routes around a service that only this machine reaches. */
export async function drain(
  ctx: Pick<Context, 'note'>,
  { drain: given, host }: { readonly drain?: number; readonly host: string },
  server: Pick<RunningServer, 'drain'>,
): Promise<void> {
  const timeMs = given ?? (isLoopback(host) ? 0 : DRAIN_MS)
  if (timeMs > 0) ctx.note(`Draining for ${durationText(timeMs)}: /readyz is 503.`)
  await server.drain(timeMs)
}

/** Until the service is ready, SIGHUP stops nothing either; returns whether it came. */
export function holdHangups(ctx: Pick<Context, 'reloadOnHangup'>): () => boolean {
  let came = false
  ctx.reloadOnHangup?.(() => {
    came = true
  })
  return () => came
}

interface Reloaded extends Pick<OpenLog, 'reopen'> {
  readonly server: Pick<RunningServer, 'url' | 'useTls'>
  readonly manager: ServiceManager | undefined
}

/** A file that cannot be used leaves what was there before. */
export async function reload(
  ctx: Pick<Context, 'note'>,
  files: Parameters<typeof readTls>[0],
  { server, reopen, manager }: Reloaded,
): Promise<void> {
  manager?.reloading()
  try {
    reopen()
    const tls = await readTls(files)
    if (tls) server.useTls(tls)
    ctx.note(`Reloaded: the log${tls ? ' and the certificate' : ''}.`)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    ctx.note(`Warning: SIGHUP: ${error.message}`)
  } finally {
    manager?.ready(server.url)
  }
}
