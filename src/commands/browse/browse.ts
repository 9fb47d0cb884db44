import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { EXIT, type ExitCode, exitAfter } from '../../core/exit.ts'
import { resourceOf } from '../../core/resources/registry.ts'
import { examples } from '../command-tree.ts'
import { createEventSenders } from '../webhooks/event-senders.ts'
import { browsedServer, sayLines, showScreens, terminalOf } from './show-screens.ts'

const SCREENS = ['contacts', 'deals', 'pipelines', 'events', 'jobs'] as const

type Screen = (typeof SCREENS)[number]

interface Options {
  readonly plain?: true
}

export function addBrowse(program: CommandUnknownOpts, act: Act): void {
  program
    .command('browse')
    .summary('browse contacts, deals and pipelines on screens')
    .description('browse and change contacts, deals and pipelines on screens; ? shows the keys')
    .addArgument(new Argument('[screen]', 'the screen to begin with').choices(SCREENS))
    .option('--plain', 'plain lines for screen readers, without redrawing')
    .addHelpText('after', examples('crm browse', 'crm browse pipelines', 'crm browse contacts --plain'))
    .action(act(browse))
}

async function browse(ctx: Context, screen: Screen | undefined, options: Options): Promise<ExitCode | undefined> {
  const name = screen === 'deals' || screen === 'pipelines' ? 'deals' : 'contacts'
  const terminal = terminalOf(ctx.io, 'crm browse', INSTEAD[screen ?? 'contacts'])
  const isPlain = options.plain || ctx.env.INK_SCREEN_READER === 'true' || ctx.env.TERM === 'dumb'
  const first = screen ?? (isPlain ? 'contacts' : undefined)
  if (isOfServer(first)) await requireList(ctx, name)
  const senders = createEventSenders(ctx, undefined)
  if (isPlain) {
    if (isOfServer(first)) await ctx.api()
    await sayLines(ctx, terminal, { screen: first ?? 'contacts', senders })
    return ended(ctx)
  }
  await showScreens(ctx, terminal, {
    screen,
    ...(await browsedServer(ctx)),
    openApi: () => ctx.api(),
    live: undefined,
    senders,
    sendsTo: undefined,
    signal: ctx.signal,
  })
  return ended(ctx)
}

const INSTEAD: Readonly<Record<Screen, string>> = {
  contacts: 'crm contacts list',
  deals: 'crm deals list',
  pipelines: 'crm deals list --summary stage',
  events: 'crm webhooks events list',
  jobs: 'crm jobs list',
}

function isOfServer(screen: Screen | undefined): boolean {
  return screen !== undefined && screen !== 'events' && screen !== 'jobs'
}

/** CrmError `not_supported` for a list that a connector lacks. Without a connector the server has both. */
async function requireList(ctx: Pick<Context, 'api' | 'target'>, name: 'contacts' | 'deals'): Promise<void> {
  const { connector } = await ctx.target()
  if (connector) await (await ctx.api()).require(resourceOf(name), 'list')
}

function ended({ signal }: Pick<Context, 'signal'>): ExitCode {
  return signal.aborted ? exitAfter((signal.reason as Error | undefined)?.cause) : EXIT.ok
}
