import { isatty } from 'node:tty'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import { refuseProfile } from './name-flag.ts'
import { addServiceFlags, type ServiceFlags, sandboxTerms } from './service-flags.ts'

interface Options extends ServiceFlags {
  readonly keepLog?: string
}

export function addSandboxRun(sandbox: CommandUnknownOpts, act: Act): void {
  const run = sandbox
    .command('run <command> [args...]')
    .summary('run a command with a temporary service')
    .description(
      'run a command with a temporary service on a database in memory; crm exits with the exit code of the command',
    )
    .option('--keep-log <file>', 'log the requests to this file, and keep it if the command fails')
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
  })
}
