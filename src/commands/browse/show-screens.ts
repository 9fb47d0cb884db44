import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import { idText } from '../../core/json.ts'
import { type CrmRecord, type ListedResource, resourceOf } from '../../core/resources/registry.ts'
import type { Io } from '../../core/streams.ts'
import { shouldColor } from '../../output/terminal-text.ts'
import type { BrowseOptions, Next } from '../../ui/open-browse.ts'
import { findMany } from '../find-many.ts'

export type BrowsedServer = Pick<
  BrowseOptions,
  | 'screen'
  | 'place'
  | 'server'
  | 'openApi'
  | 'learnObjects'
  | 'live'
  | 'senders'
  | 'sendsTo'
  | 'signal'
  | 'greeting'
  | 'profiles'
  | 'isMouseOn'
>

/** Runs the screens until they are quit or the signal aborts. Notes are shown on them. */
export async function showScreens(
  ctx: Context,
  { stdin, stdout }: TerminalStreams,
  shown: BrowsedServer,
): Promise<Next | undefined> {
  const { env, flags } = ctx
  const { openBrowse } = await import('../../ui/open-browse.ts')
  return openBrowse({
    ...shown,
    env,
    now: ctx.now,
    openJobs: ctx.jobs,
    hasColor: shouldColor({ flag: flags.color, env, isTTY: true }),
    profileFlag: flags.profile,
    stdin,
    stdout,
    pauseProcess: ctx.pauseProcess,
    runCrm: async (words) => (await import('./run-crm.ts')).runCrm(ctx.program, words, { env, profile: flags.profile }),
    lendTerminal: ctx.lendTerminal,
    watchProcess: ctx.watchProcess,
    interrupt: ctx.interrupt ?? (() => {}),
    findRecords: (list, ids) => findRecords(ctx, resourceOf(list), ids),
    onNotes: ctx.setNotes,
    say: (line) => {
      ctx.setNotes(undefined)
      ctx.note(line)
    },
  }).finally(() => ctx.setNotes(undefined))
}

async function findRecords(
  ctx: Pick<Context, 'api'>,
  resource: ListedResource,
  ids: readonly string[],
): Promise<Found> {
  const found: Found = new Map()
  for await (const { items } of findMany(await ctx.api(), resource, ids).pages) {
    for (const item of items) found.set(idText(item.id) ?? '', item)
  }
  return found
}

type Found = Map<string, CrmRecord>

/** The name and address of the server for the screens, and the address that kept changes belong to. */
export async function browsedServer(
  ctx: Pick<Context, 'target' | 'env'>,
): Promise<Pick<BrowsedServer, 'place' | 'server'>> {
  const { baseUrl, profileName, isProtected } = await ctx.target()
  const address = baseUrlText(baseUrl)
  const text = profileName ? `${profileName} ${address}` : address
  // With these variables, -p is refused.
  const profile = ctx.env.CRM_API_KEY || ctx.env.CRM_BASE_URL ? undefined : profileName
  return { place: { text, isProtected, profile }, server: baseUrl.href }
}

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
}

/** The streams of the process if both are a terminal. CrmError `usage` with an alternative command if not. */
export function terminalOf({ stdin, stdout }: Io, command: string, instead: string): TerminalStreams {
  if (stdout.isTTY && stdin.isTTY) {
    return { stdin: stdin as unknown as NodeJS.ReadStream, stdout: stdout as unknown as NodeJS.WriteStream }
  }
  throw new CrmError('usage', `${command} needs a terminal, but ${stdout.isTTY ? 'stdin' : 'stdout'} is not one`, {
    hint: instead,
  })
}
