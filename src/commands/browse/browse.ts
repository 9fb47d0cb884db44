import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { EXIT, type ExitCode, exitAfter } from '../../core/exit.ts'
import { resourceOf } from '../../core/resources/registry.ts'
import type { Next } from '../../ui/open-browse.ts'
import { examples } from '../command-tree.ts'
import { createEventSenders } from '../webhooks/event-senders.ts'
import {
  type BrowsedServer,
  browsedServer,
  sayLines,
  showScreens,
  type TerminalStreams,
  terminalOf,
} from './show-screens.ts'

const SCREENS = ['home', 'contacts', 'deals', 'pipelines', 'events', 'jobs', 'webhooks'] as const

type Screen = (typeof SCREENS)[number]

interface Options {
  readonly plain?: true
  readonly mouse?: true
}

export function addBrowse(program: CommandUnknownOpts, act: Act): void {
  program
    .command('browse')
    .summary('browse contacts, deals and pipelines on screens')
    .description('browse and change contacts, deals and pipelines on screens; ? shows the keys')
    .addArgument(new Argument('[screen]', 'the screen to begin with').choices(SCREENS))
    .option('--plain', 'plain lines for screen readers, without redrawing')
    .option('--mouse', 'click, double click and wheel; M turns them on and off')
    .addHelpText(
      'after',
      examples('crm browse', 'crm browse home', 'crm browse pipelines', 'crm browse contacts --plain'),
    )
    .action(act(browse))
}

async function browse(ctx: Context, screen: Screen | undefined, options: Options): Promise<ExitCode | undefined> {
  const name = screen === 'deals' || screen === 'pipelines' ? 'deals' : 'contacts'
  const terminal = terminalOf(ctx.io, 'crm browse', INSTEAD[screen ?? 'contacts'])
  const isLineMode = options.plain || ctx.env.INK_SCREEN_READER === 'true' || ctx.env.TERM === 'dumb'
  const first = screen ?? (isLineMode ? 'contacts' : undefined)
  if (isOfServer(first)) await requireList(ctx, name)
  if (isLineMode) {
    const senders = createEventSenders(ctx, undefined)
    if (isOfServer(first)) await ctx.api()
    await sayLines(ctx, terminal, { screen: first ?? 'contacts', senders })
    return ended(ctx)
  }
  await showProfiles(ctx, terminal, { screen, isMouseOn: options.mouse === true })
  return ended(ctx)
}

type First = Pick<BrowsedServer, 'screen' | 'isMouseOn'>

/** The screens of one profile after the other, as long as another is chosen. */
async function showProfiles(ctx: Context, terminal: TerminalStreams, first: First): Promise<void> {
  let next = await showProfile(ctx, terminal, { ...first, greeting: [] })
  while (next) {
    const { profile, lines, ...shown } = next
    const other = ctx.withProfile(profile)
    try {
      next = await showProfile(other, terminal, { ...shown, greeting: lines })
    } finally {
      await other.close()
    }
  }
}

async function showProfile(
  ctx: Context,
  terminal: TerminalStreams,
  shown: First & Pick<BrowsedServer, 'greeting'>,
): Promise<Next | undefined> {
  return showScreens(ctx, terminal, {
    ...shown,
    ...(await browsedServer(ctx)),
    openApi: () => ctx.api(),
    live: undefined,
    senders: createEventSenders(ctx, undefined),
    sendsTo: undefined,
    signal: ctx.signal,
    profiles: {
      names: async () => [...(await (await ctx.settings()).profiles()).keys()],
      check: async (name) => {
        const other = ctx.withProfile(name)
        await other.target().finally(() => other.close())
      },
    },
  })
}

const INSTEAD: Readonly<Record<Screen, string>> = {
  home: 'crm deals list --summary stage',
  contacts: 'crm contacts list',
  deals: 'crm deals list',
  pipelines: 'crm deals list --summary stage',
  events: 'crm webhooks events list',
  jobs: 'crm jobs list',
  webhooks: 'crm webhooks list',
}

function isOfServer(screen: Screen | undefined): boolean {
  return screen !== undefined && screen !== 'home' && screen !== 'events' && screen !== 'jobs' && screen !== 'webhooks'
}

/** CrmError `not_supported` for a list that the connector lacks. */
async function requireList(ctx: Pick<Context, 'api'>, name: 'contacts' | 'deals'): Promise<void> {
  ;(await ctx.api()).require(resourceOf(name), 'list')
}

function ended({ signal }: Pick<Context, 'signal'>): ExitCode {
  return signal.aborted ? exitAfter((signal.reason as Error | undefined)?.cause) : EXIT.ok
}
