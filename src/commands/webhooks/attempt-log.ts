import type { Context } from '../../context.ts'
import type { ForwardResult } from '../../core/webhook-events.ts'
import { openEventsFolder } from '../../settings/default-places.ts'
import type { KeepAttempt } from '../../webhooks/listening.ts'

/** Writes attempts to the event log; closes it when disposed. */
export interface AttemptLog extends AsyncDisposable {
  readonly keep: KeepAttempt
}

/** For a replay, whose attempts decide about the outcome of events. CrmError `machine` if the log cannot be written. */
export async function openAttempts(ctx: Pick<Context, 'env' | 'now' | 'redact'>): Promise<AttemptLog> {
  const { openEventLog } = await import('../../webhooks/log/event-log.ts')
  const { KEEP_ALL } = await import('../../webhooks/log/segments.ts')
  const { path } = await openEventsFolder(ctx.env)
  const log = await openEventLog({ folder: path, keep: KEEP_ALL, now: ctx.now })
  return {
    keep: (result) => log.appendAttempt(redactedAttempt(ctx, result)),
    [Symbol.asyncDispose]: () => log.close(),
  }
}

/** An app may print the secret, and a command the key: the log holds neither. */
export function redactedAttempt({ redact }: Pick<Context, 'redact'>, result: ForwardResult): ForwardResult {
  const { target, failure, response } = result
  return {
    ...result,
    target: redact(target),
    failure: failure === undefined ? undefined : redact(failure),
    response: response === undefined ? undefined : redact(response),
  }
}
