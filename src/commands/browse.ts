import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { EXIT, type ExitCode } from '../core/exit.ts'
import { shouldColor } from '../output/color.ts'
import { examples } from './examples.ts'

const SCREENS = ['contacts', 'deals', 'pipelines', 'events', 'jobs'] as const

type Screen = (typeof SCREENS)[number]

export function addBrowse(program: CommandUnknownOpts, act: Act): void {
  program
    .command('browse')
    .summary('look at contacts, deals and pipelines on screens')
    .description('look at contacts, deals and pipelines on screens, and change them there; ? shows the keys')
    .addArgument(new Argument('[screen]', 'the screen to begin with').choices(SCREENS))
    .addHelpText('after', examples('crm browse', 'crm browse pipelines'))
    .action(act(browse))
}

async function browse(ctx: Context, screen: Screen | undefined): Promise<ExitCode | undefined> {
  const { io, env, flags } = ctx
  if (!isTerminal(io.stdin) || !isTerminal(io.stdout)) {
    throw new CrmError('usage', 'crm browse needs a terminal, and stdin or stdout is none', {
      hint: `crm ${screen === 'deals' ? 'deals' : 'contacts'} list`,
    })
  }
  const { baseUrl, profileName, isProtected } = await ctx.target()
  const { openBrowse } = await ctx.ui()
  const last = await openBrowse({
    screen: screen ?? 'contacts',
    place: { text: profileName ? `${profileName} ${baseUrl.origin}` : baseUrl.origin, isProtected },
    api: await ctx.api(),
    env,
    now: ctx.now,
    hasColor: shouldColor({ flag: flags.color, env, isTTY: true }),
    profileFlag: flags.profile,
    rebound: {},
    stdin: io.stdin,
    stdout: io.stdout,
    signal: ctx.signal,
    pauseProcess: ctx.pauseProcess,
    onNotes: ctx.setNotes,
  })
  for (const line of last) ctx.note(line)
  return ctx.signal.aborted ? EXIT.interrupted : undefined
}

function isTerminal<Stream extends object>(stream: Stream & { readonly isTTY?: boolean }): stream is Stream & never {
  return stream.isTTY === true
}
