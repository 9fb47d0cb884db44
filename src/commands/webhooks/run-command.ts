import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWords } from '../../core/shell-words.ts'
import { writeNoteLine } from '../../output/safe-text.ts'

/** The command of `--run`, or none. */
export interface Run {
  /** Call when events can be received; the command finds the address in CRM_LISTEN_URL. */
  start(url: string): Promise<void>
  /** Resolves when the command has succeeded; rejects with a CrmError `partial` if it failed after all events. */
  readonly ended: Promise<void>
  /** Kills the command if it still runs. */
  stop(): Promise<void>
}

/**
 * `onFailure` is called if the command fails, because the events will then not occur. CrmError `usage` if there is no such
 * program, before anything is subscribed.
 */
export async function prepareRun(
  ctx: Pick<Context, 'env' | 'io' | 'webhooks'>,
  text: string | undefined,
  onFailure: (error: CrmError) => void,
): Promise<Run> {
  const words = text === undefined ? undefined : shellWords(text, '--run')
  if (words) await (await ctx.webhooks.command()).refuseMissingProgram(words[0], ctx.env)
  const ended = Promise.withResolvers<void>()
  // Not awaited if the events are not received.
  ended.promise.catch(() => {})
  let stop = async (): Promise<void> => {}
  if (!words) ended.resolve()
  return {
    start: async (url) => {
      if (!words) return
      const { startCommand } = await ctx.webhooks.command()
      const say = (line: string): void => writeNoteLine(ctx.io.stderr, line)
      const running = startCommand({ words, env: { ...ctx.env, CRM_LISTEN_URL: url }, say })
      stop = running.stop
      running.ended.then(({ exit, how }) => {
        if (exit === 0) return ended.resolve()
        const details = { hint: `run it alone to see why: ${text}` }
        ended.reject(new CrmError('partial', `the events were received, but ${text} failed (${how})`, details))
        onFailure(new CrmError('not_in_time', `${text} failed (${how}) before the events were received`, details))
      }, onFailure)
    },
    ended: ended.promise,
    stop: () => stop(),
  }
}
