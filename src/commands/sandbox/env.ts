import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { shellWord } from '../../core/shell-words.ts'
import { writeText } from '../../core/streams.ts'
import { examples } from '../command-tree.ts'
import { printOne } from '../print.ts'
import { addNameFlag, type NameFlag, refuseProfile, sandboxName } from './name-flag.ts'

export function addSandboxEnv(sandbox: CommandUnknownOpts, act: Act): void {
  const env = sandbox
    .command('env')
    .summary('print the environment of a started sandbox')
    .description(
      'print the variables of a sandbox of crm sandbox start, its key among them, as exports for a shell; with -o as a record',
    )
    .addHelpText('after', examples('eval "$(crm sandbox env)"', 'crm sandbox env -o json'))
    .action(act(printEnv))
  addNameFlag(env)
}

async function printEnv(ctx: Context, options: NameFlag): Promise<undefined> {
  refuseProfile(ctx)
  const { findSandbox } = await import('../../sandbox/stop-sandbox.ts')
  const { env } = await findSandbox(ctx.env, await sandboxName(ctx, options))
  if (ctx.flags.output !== 'table') return printOne(ctx, env)
  const exports = Object.entries(env).map(([key, value]) => `export ${key}=${shellWord(value)}\n`)
  // A profile in the environment would select another server.
  await writeText(ctx.io.stdout, `${exports.join('')}unset CRM_PROFILE\n`)
}
