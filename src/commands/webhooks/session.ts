import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { reachableHere } from '../../core/http-rules.ts'
import { writeNoteLine } from '../../output/safe-text.ts'
import { openEventsFolder } from '../../settings/default-places.ts'
import type { RunningListener } from '../../settings/running-listeners.ts'
import type { ListeningOptions } from '../../webhooks/listening.ts'
import type { KeptAttempt } from '../../webhooks/log/attempt.ts'
import type { PublicTunnel } from '../../webhooks/tunnel.ts'
import type { WithFlags } from '../global-flags.ts'
import { redactedAttempt } from './attempt-log.ts'
import { commandWords } from './command-words.ts'
import { parseForward } from './forwarding-flags.ts'
import type { Ready } from './jsonl-printer.ts'
import { findTrust } from './listen-trust.ts'
import { type ListenTrust, removeForRun } from './own-subscription.ts'
import type { ReceiverFlags } from './receiver-flags.ts'

const SECOND = ['second', 'seconds', 1000] as const

const UNITS = [
  ['day', 'days', 86_400_000],
  ['hour', 'hours', 3_600_000],
  ['minute', 'minutes', 60_000],
  SECOND,
] as const

export interface ListenSession
  extends Pick<ListeningOptions, 'isWanted' | 'show' | 'openForwarder' | 'ack' | 'simulator'> {
  /** Called before it is ready with the events that earlier listeners acknowledged and did not forward. */
  onUntaken?(untaken: readonly KeptAttempt[]): void
  /** Called before the first event is accepted. */
  onReady(ready: Ready, trust: ListenTrust): Promise<void>
  /** Called when events can be accepted. */
  onOpen?(ready: Ready): Promise<void>
  /** Ends the session when resolved; undefined: only Ctrl-C does. */
  readonly until?: Promise<unknown> | undefined
  /** Called with the number of events that targets have not accepted. */
  onUndone?(count: number): void
}

const TUNNEL_MS = 30_000

/** Receives until it is stopped or `until` resolves. Throws if the port, the log or the tunnel is lost. */
export async function receiveEvents(ctx: Context, options: ReceiverFlags, session: ListenSession): Promise<void> {
  const { path: folder, isTemporary } = await openEventsFolder(ctx.env)
  if (isTemporary) ctx.note(`Events are kept in ${folder}; set CRM_STATE_HOME for a folder that lasts.`)
  const { startListening } = await import('../../webhooks/listening.ts')
  const listening = await startListening({
    ...options,
    ...session,
    openForwarder: async (keep, isAccepted) =>
      session.openForwarder?.(
        (result) => keep(redactedAttempt(ctx, result)),
        (target, id) => isAccepted(ctx.redact(target), id),
      ),
    folder,
    maxBodyBytes: options.maxBody,
    now: ctx.now,
    onDeleted: (deleted) => ctx.note(deletedNote(deleted)),
  })
  let tunnel: PublicTunnel | undefined
  let trust: ListenTrust | undefined
  let announced: { end(): Promise<void> } | undefined
  try {
    tunnel = await openTunnelFor(ctx, options.tunnel)
    const publicUrl = tunnel ? new URL(options.path, tunnel.url) : options.publicUrl
    trust = await findTrust(ctx, options, publicUrl ?? reachableHere(listening.url))
    const ready: Ready = {
      url: listening.url,
      publicUrl: publicUrl?.href,
      isVerifying: trust.secrets !== 'unverified',
      subscriptionId: trust.subscriptionId,
      folder,
    }
    // Nothing else looks in a temporary folder.
    if (!isTemporary) {
      const { announceListener } = await import('../../settings/running-listeners.ts')
      announced = await announceListener(ctx.env, describeListener(ctx, options, ready))
    }
    if (session.onUntaken) session.onUntaken(await listening.untaken())
    await session.onReady(ready, trust)
    await listening.open(trust)
    await session.onOpen?.(ready)
    const stopped = ctx.signal.aborted ? Promise.resolve() : once(ctx.signal, 'abort')
    await Promise.race([
      stopped,
      listening.failed,
      ...(tunnel ? [tunnel.failed] : []),
      ...(session.until ? [session.until] : []),
    ])
  } finally {
    await announced?.end()
    const undone = await listening.close()
    if (trust) await removeForRun(ctx, trust)
    await tunnel?.stop()
    if (undone > 0) session.onUndone?.(undone)
  }
}

/** For `crm webhooks secret` and `trigger`, which find its secret. */
function describeListener(
  { folder = '/' }: Pick<Context, 'folder'>,
  { secretFile, forward = [] }: ReceiverFlags & { readonly forward?: readonly string[] },
  { url, subscriptionId }: Ready,
): RunningListener {
  return {
    url,
    subscriptionId,
    secretFile: secretFile === undefined || secretFile === '-' ? undefined : resolve(folder, secretFile),
    forwards: forward.map((text) => parseForward(text).url.href),
  }
}

async function openTunnelFor(
  ctx: Pick<Context, 'env' | 'io' | 'signal'> & WithFlags<'isDebug'>,
  command: string | undefined,
): Promise<PublicTunnel | undefined> {
  if (command === undefined) return undefined
  const words = commandWords(command, '--tunnel')
  const { openPublicTunnel } = await import('../../webhooks/tunnel.ts')
  const say = (line: string): void => {
    if (ctx.flags.isDebug) writeNoteLine(ctx.io.stderr, `tunnel: ${line}`)
  }
  return await openPublicTunnel({ name: command, words, env: ctx.env, say, timeoutMs: TUNNEL_MS, signal: ctx.signal })
}

interface Deleted {
  readonly fileCount: number
  readonly sizeBytes: number
  /** The times since the last write to the oldest and to the youngest file. */
  readonly oldestMs: number
  readonly youngestMs: number
}

/** The note about files that `--keep` deleted from the event log, with their ages. */
function deletedNote({ fileCount, sizeBytes, oldestMs, youngestMs }: Deleted): string {
  const files = fileCount === 1 ? '1 file' : `${fileCount} files`
  const [oldest, youngest] = [ageText(oldestMs), ageText(youngestMs)]
  const ages = oldest === youngest ? oldest : `${youngest} to ${oldest}`
  return `Deleted ${files} of the event log (--keep): last written to ${ages} ago, ${(sizeBytes / 1e6).toFixed(1)} MB.`
}

function ageText(ageMs: number): string {
  const [name, plural, unitMs] = UNITS.find(([, , ms]) => ageMs >= ms) ?? SECOND
  const count = Math.max(0, Math.floor(ageMs / unitMs))
  return `${count} ${count === 1 ? name : plural}`
}
