import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import type { Io } from '../../core/streams.ts'
import { shouldColor } from '../../output/color.ts'
import { examples } from '../examples.ts'

const SCREENS = ['contacts', 'deals', 'pipelines', 'events', 'jobs'] as const

type Screen = (typeof SCREENS)[number]

interface Options {
  readonly plain?: true
}

export function addBrowse(program: CommandUnknownOpts, act: Act): void {
  program
    .command('browse')
    .summary('look at contacts, deals and pipelines on screens')
    .description('look at contacts, deals and pipelines on screens, and change them there; ? shows the keys')
    .addArgument(new Argument('[screen]', 'the screen to begin with').choices(SCREENS))
    .option('--plain', 'lines alone, for screen readers: nothing is drawn over')
    .addHelpText('after', examples('crm browse', 'crm browse pipelines', 'crm browse contacts --plain'))
    .action(act(browse))
}

async function browse(ctx: Context, screen: Screen | undefined, options: Options): Promise<ExitCode | undefined> {
  const { stdin, stdout } = terminalOf(ctx.io, screen)
  if (options.plain || ctx.env.INK_SCREEN_READER === 'true') {
    const { openPlain } = await ctx.ui.plain()
    const name = screen === 'deals' || screen === 'pipelines' ? 'deals' : 'contacts'
    await openPlain({ name, api: await ctx.api(), stdin, stdout, signal: ctx.signal })
    return ended(ctx)
  }
  const { env, flags } = ctx
  const { baseUrl, profileName, isProtected } = await ctx.target()
  const { openBrowse } = await ctx.ui.screens()
  const last = await openBrowse({
    screen,
    place: { text: profileName ? `${profileName} ${baseUrl.origin}` : baseUrl.origin, isProtected },
    api: await ctx.api(),
    env,
    now: ctx.now,
    openJobs: ctx.jobs,
    hasColor: shouldColor({ flag: flags.color, env, isTTY: true }),
    profileFlag: flags.profile,
    stdin,
    stdout,
    signal: ctx.signal,
    pauseProcess: ctx.pauseProcess,
    onNotes: ctx.setNotes,
  })
  for (const line of last) ctx.note(line)
  return ended(ctx)
}

function ended({ signal }: Context): ExitCode {
  return signal.aborted ? EXIT.interrupted : EXIT.ok
}

interface Terminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
}

/** Where both are a terminal they are streams of the process, whole. */
function terminalOf({ stdin, stdout }: Io, screen: Screen | undefined): Terminal {
  if (stdout.isTTY && stdin.isTTY) {
    return { stdin: stdin as unknown as NodeJS.ReadStream, stdout: stdout as unknown as NodeJS.WriteStream }
  }
  throw new CrmError('usage', `crm browse needs a terminal, and ${stdout.isTTY ? 'stdin' : 'stdout'} is none`, {
    hint: `crm ${screen === 'deals' || screen === 'pipelines' ? 'deals' : 'contacts'} list`,
  })
}
