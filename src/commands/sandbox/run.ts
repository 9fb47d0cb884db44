import { isatty } from 'node:tty'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { EXIT } from '../../core/exit.ts'
import { safeText } from '../../output/safe-text.ts'
import type { OpenSandbox } from '../../sandbox/open-sandbox.ts'
import { examples } from '../command-tree.ts'
import { verdictsText, verdictText } from '../fixtures/verify.ts'
import { refuseProfile } from './name-flag.ts'
import { addServiceFlags, type ServiceFlags, sandboxTerms } from './service-flags.ts'

interface Options extends ServiceFlags {
  readonly keepLog?: string
  readonly verify?: true
}

export function addSandboxRun(sandbox: CommandUnknownOpts, act: Act): void {
  const run = sandbox
    .command('run <command> [args...]')
    .summary('run a command with a temporary service')
    .description(
      'run a command with a temporary service on a database in memory; crm exits with the exit code of the command',
    )
    .option('--keep-log <file>', 'log the requests to this file, and keep it if the command fails')
    .option('--verify', 'after a command that succeeds, check what the fixtures expect; exit 10 if it does not hold')
    .passThroughOptions()
    .addHelpText(
      'after',
      examples(
        'crm sandbox run -- npm test',
        'crm sandbox run --seed demo.yaml -- npm test',
        'crm sandbox run --fail 500=2%,reset-after=1% --latency 50ms -- npm test',
      ),
    )
    .action(act(runCommand))
  addServiceFlags(run)
}

async function runCommand(ctx: Context, command: string, args: readonly string[], options: Options): Promise<number> {
  refuseProfile(ctx)
  const terms = await sandboxTerms(ctx, options)
  const { runInSandbox } = await import('../../sandbox/run-in-sandbox.ts')
  return runInSandbox({
    terms,
    command,
    args,
    env: ctx.env,
    signal: ctx.signal,
    isOnTerminal: [0, 1, 2].some((fd) => isatty(fd)),
    keepLog: options.keepLog,
    verify: options.verify && ((sandbox) => verifySandbox(ctx, sandbox)),
  })
}

/** On stderr: stdout is that of the command. Requests of a sandbox may be made to fail, and are repeated. */
async function verifySandbox(ctx: Context, { baseUrl, apiKey, seeded }: OpenSandbox): Promise<number> {
  const [{ verdictsOn }, { reachableHere }] = await Promise.all([
    import('../../fixtures/expectations.ts'),
    import('../../core/http-rules.ts'),
  ])
  const server = { baseUrl: reachableHere(baseUrl), key: apiKey, tokens: undefined, loginHint: '' }
  const connector = { name: 'crm', variables: {} }
  const api = await ctx.api({ ...server, connector, pageSize: undefined, profileName: undefined })
  const verdicts = await verdictsOn(api, seeded?.expectations ?? [], seeded?.ids ?? new Map())
  for (const verdict of verdicts.filter(({ holds }) => !holds))
    ctx.io.stderr.write(`${safeText(verdictText(verdict))}\n`)
  ctx.note(verdictsText(verdicts))
  return verdicts.every(({ holds }) => holds) ? EXIT.ok : EXIT.differences
}
