import type { Context } from '../../context.ts'
import { shouldColor } from '../../output/color.ts'
import type { Terminal } from './terminal.ts'

type Options = Parameters<Awaited<ReturnType<Context['ui']['screens']>>['openBrowse']>[0]

export type Shown = Pick<Options, 'screen' | 'place' | 'openApi' | 'live' | 'senders' | 'sendsTo' | 'signal'>

/** The screens, until a person quits them or the signal comes. Notes are shown on them meanwhile. */
export async function showScreens(ctx: Context, { stdin, stdout }: Terminal, shown: Shown): Promise<void> {
  const { env, flags } = ctx
  const { openBrowse } = await ctx.ui.screens()
  const last = await openBrowse({
    ...shown,
    env,
    now: ctx.now,
    openJobs: ctx.jobs,
    hasColor: shouldColor({ flag: flags.color, env, isTTY: true }),
    profileFlag: flags.profile,
    stdin,
    stdout,
    pauseProcess: ctx.pauseProcess,
    onNotes: ctx.setNotes,
  }).finally(() => ctx.setNotes(undefined))
  for (const line of last) ctx.note(line)
}

/** What the screens say of where they are. */
export async function placeOf(ctx: Context): Promise<Options['place']> {
  const { baseUrl, profileName, isProtected } = await ctx.target()
  return { text: profileName ? `${profileName} ${baseUrl.origin}` : baseUrl.origin, isProtected }
}
