import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { TAB_SCREENS } from '../../core/browse-screens.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode, exitAfter } from '../../core/exit.ts'
import {
  LISTED_RESOURCES,
  type ListedResource,
  type PluralOf,
  RESOURCES,
  resourceOf,
} from '../../core/resources/registry.ts'
import type { Next } from '../../ui/open-browse.ts'
import { examples } from '../command-tree.ts'
import { createEventSenders } from '../webhooks/event-senders.ts'
import { type BrowsedServer, browsedServer, showScreens, type TerminalStreams, terminalOf } from './show-screens.ts'

type Screen = (typeof TAB_SCREENS)[number] | PluralOf<ListedResource>

interface Options {
  readonly plain?: true
  readonly mouse?: true
}

export function addBrowse(program: CommandUnknownOpts, act: Act): void {
  program
    .command('browse')
    .summary('browse contacts, deals and pipelines on screens')
    .description('browse and change contacts, deals and pipelines on screens; ? shows the keys')
    .argument(
      '[screen]',
      'the screen to begin with: home, events, jobs, webhooks, pipelines, or an object of the server',
    )
    .addOption(new Option('--plain', 'answered with the command that prints lines').hideHelp())
    .option('--mouse', 'click, double click and wheel; M turns them on and off')
    .addHelpText('after', examples('crm browse', 'crm browse home', 'crm browse pipelines', 'crm browse companies'))
    .action(act(browse))
}

/** CrmError `usage` for a word that is no screen. */
function screenNamed(word: string): Screen {
  const screen =
    TAB_SCREENS.find((each) => each === word) ??
    LISTED_RESOURCES.map((each) => RESOURCES[each].plural).find((each) => each === word)
  if (screen) return screen
  throw new CrmError(
    'usage',
    `there is no screen ${JSON.stringify(word)}, expected ${TAB_SCREENS.join(', ')}, or an object`,
    {
      hint: 'crm objects lists the objects of the server',
    },
  )
}

async function browse(ctx: Context, word: string | undefined, options: Options): Promise<ExitCode | undefined> {
  const screen = word === undefined ? undefined : screenNamed(word)
  const instead = insteadOf(screen ?? 'contacts')
  const why = whyNoScreens(ctx, options)
  if (why !== undefined)
    throw new CrmError('usage', `crm browse draws screens and prints no lines: ${why}`, { hint: instead })
  const terminal = terminalOf(ctx.io, 'crm browse', instead)
  if (isOfServer(screen)) await requireList(ctx, screen === 'pipelines' ? 'deals' : screen)
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
    ...withObjects(ctx),
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

/** The client of the command at first, and one that knows the objects of the server once they were read. */
function withObjects(ctx: Context): Pick<BrowsedServer, 'openApi' | 'learnObjects'> {
  let open = () => ctx.api()
  return {
    openApi: () => open(),
    learnObjects: async () => {
      const { learnServerObjects } = await import('../server-objects.ts')
      const api = await learnServerObjects(ctx)
      if (api) open = async () => api
      return api !== undefined
    },
  }
}

const INSTEAD: Readonly<Record<string, string>> = {
  home: 'crm deals list --summary stage',
  pipelines: 'crm deals list --summary stage',
  events: 'crm webhooks events list',
  jobs: 'crm jobs list',
}

function insteadOf(screen: Screen): string {
  return INSTEAD[screen] ?? `crm ${screen} list`
}

function whyNoScreens({ env }: Pick<Context, 'env'>, { plain }: Options): string | undefined {
  if (plain) return '--plain was given'
  if (env.INK_SCREEN_READER === 'true') return 'INK_SCREEN_READER is true'
  return env.TERM === 'dumb' ? 'TERM is dumb' : undefined
}

function isOfServer(screen: Screen | undefined): screen is 'pipelines' | PluralOf<ListedResource> {
  return screen === 'pipelines' || LISTED_RESOURCES.some((each) => RESOURCES[each].plural === screen)
}

/** CrmError `not_supported` for a list that the connector lacks. */
async function requireList(ctx: Pick<Context, 'api'>, name: PluralOf<ListedResource>): Promise<void> {
  ;(await ctx.api()).require(resourceOf(name), 'list')
}

function ended({ signal }: Pick<Context, 'signal'>): ExitCode {
  return signal.aborted ? exitAfter((signal.reason as Error | undefined)?.cause) : EXIT.ok
}
