import { appendFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode, exitAfter } from '../../core/exit.ts'
import type { JsonObject } from '../../core/json.ts'
import { envWithoutSecrets } from '../../core/streams.ts'
import type { ProgramWords } from '../../files/programs.ts'
import { parsePositiveTime } from '../flags.ts'
import { commandWords } from '../webhooks/command-words.ts'

// Flags of imports that run unattended, such as a nightly job.

export interface UnattendedFlags {
  readonly lockWait?: number
  readonly log?: string
  readonly onFailure?: string
}

export function addUnattendedFlags(command: object): void {
  const options = [
    new Option(
      '--lock-wait <time>',
      'wait up to this long if another process is running the job (default: no wait)',
    ).argParser(parsePositiveTime),
    new Option('--log <file>', 'append one line of JSON for each event to this file, without record values'),
    new Option(
      '--on-failure <command>',
      'run this program if the import fails; it reads the result as JSON from stdin',
    ),
  ]
  for (const option of options) (command as Command).addOption(option)
}

/** `plan` and `account` carry the counts of a job; `wait` says that another process is running it. */
export type JobEvent = 'start' | 'wait' | 'plan' | 'account' | 'end'

/** Called with numbers and ids of jobs alone. */
export type Report = (event: JobEvent, members: JsonObject) => Promise<void>

/** Runs `work`, logs its events, and runs the program of `--on-failure` if it fails. */
export async function runUnattended(
  ctx: Context,
  { command, ...flags }: UnattendedFlags & { readonly command: string },
  work: (report: Report) => Promise<ExitCode>,
): Promise<ExitCode> {
  const words = flags.onFailure === undefined ? undefined : commandWords(flags.onFailure, '--on-failure')
  if (words) (await import('../../webhooks/command.ts')).refuseMissingProgram(words[0], ctx.env)
  let account: JsonObject = {}
  const report: Report = async (event, members) => {
    if (event === 'account') account = members
    if (flags.log === undefined) return
    const line = { time: new Date(ctx.now()).toISOString(), event, ...members }
    const path = resolve(ctx.folder ?? '.', flags.log)
    await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 }).catch(async (error: unknown) => {
      const { toMachineError } = await import('../../files/machine-error.ts')
      throw toMachineError(error, path)
    })
  }
  try {
    await report('start', { command })
    const exit = await whenFree(ctx, flags.lockWait ?? 0, report, () => work(report))
    await report('end', { exit })
    if (words && exit !== EXIT.ok && exit !== EXIT.differences) await tell(ctx, words, { command, exit, account })
    return exit
  } catch (error) {
    const ended = failureOf(ctx, error)
    await report('end', ended).catch((unlogged: CrmError) => {
      if (unlogged.message !== (error as Error).message) ctx.note(`Warning: ${unlogged.message}`)
    })
    if (words) await tell(ctx, words, { command, ...ended, account })
    throw error
  }
}

/** A bug has the exit code of one, and its own report. */
function failureOf({ signal }: Pick<Context, 'signal'>, error: unknown): JsonObject {
  const failure = error instanceof CrmError ? error : undefined
  const { code = 'bug', exit = EXIT.bug, details } = failure ?? {}
  const cause = (signal.reason as Error | undefined)?.cause
  return {
    exit: exit === EXIT.interrupted ? exitAfter(cause) : exit,
    code,
    ...(details?.job !== undefined && { job: details.job }),
  }
}

const POLL_MS = 1000

/** Tries again while another process is running the job. */
async function whenFree(
  ctx: Pick<Context, 'note' | 'signal'>,
  waitMs: number,
  report: Report,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const untilMs = performance.now() + waitMs
  for (let tries = 0; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CrmError) || !error.details.isBusy || performance.now() >= untilMs) throw error
      if (tries === 0) {
        ctx.note(`${error.message}; waiting for it (--lock-wait).`)
        await report('wait', { ...(error.details.job !== undefined && { job: error.details.job }) })
      }
      await sleep(POLL_MS, undefined, { signal: ctx.signal }).catch(() => {
        throw error
      })
    }
  }
}

/** A failure of the program is a warning: the command ends with that of the job. */
async function tell(ctx: Context, words: ProgramWords, account: JsonObject): Promise<void> {
  const { startCommand } = await import('../../webhooks/command.ts')
  const env = envWithoutSecrets(ctx.env)
  try {
    const { ended } = startCommand({ words, env, input: `${JSON.stringify(account)}\n`, say: ctx.note })
    const { exit, how } = await ended
    if (exit !== 0) ctx.note(`Warning: ${words[0]} of --on-failure ended with ${how}`)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    ctx.note(`Warning: --on-failure: ${error.message}`)
  }
}
