import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { Option } from 'commander'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { writeText } from '../../core/streams.ts'
import { examples } from '../command-tree.ts'
import { addNameFlag, type NameFlag, refuseProfile, sandboxName } from './name-flag.ts'

const FORMS = ['shell', 'dotenv', 'github', 'json'] as const

export function addSandboxEnv(sandbox: CommandUnknownOpts, act: Act): void {
  const env = sandbox
    .command('env')
    .summary('print the environment of a started sandbox')
    .description(
      'print the variables of a sandbox of crm sandbox start, its key among them, as exports for a shell; with -o dotenv or json in that form; with -o github they are added to the steps that follow, and the key is masked in the log',
    )
    .addOption(new Option('-o, --output <format>', 'form of the variables').choices(FORMS).default('shell'))
    .addHelpText(
      'after',
      examples('eval "$(crm sandbox env)"', 'crm sandbox env -o github', 'crm sandbox env -o dotenv > .env'),
    )
    .action(act(printEnv))
  addNameFlag(env)
}

async function printEnv(
  ctx: Context,
  options: NameFlag & { readonly output: (typeof FORMS)[number] },
): Promise<undefined> {
  refuseProfile(ctx)
  const form = options.output === 'shell' && ctx.flags.output === 'json' ? 'json' : options.output
  const { findSandbox } = await import('../../sandbox/stop-sandbox.ts')
  const [{ withoutProxy }, { parseEnvOut, writeEnv }] = await Promise.all([
    import('../../sandbox/open-sandbox.ts'),
    import('../../fixtures/write-env.ts'),
  ])
  if (form === 'github' && !ctx.env.GITHUB_ENV)
    throw new CrmError('usage', '-o github needs GITHUB_ENV, which is not set', {
      hint: 'on GitHub it is; elsewhere: crm sandbox env -o dotenv > .env',
    })
  const out = form === 'shell' ? undefined : parseEnvOut(form, ctx.env)
  const found = await findSandbox(ctx.env, await sandboxName(ctx, options))
  const env: Record<string, string> = { ...found.env, ...withoutProxy(ctx.env) }
  if (out) {
    if (form === 'github') await writeText(ctx.io.stdout, `::add-mask::${env.CRM_API_KEY}\n`)
    return void (await writeText(ctx.io.stdout, (await writeEnv(out, env)) ?? ''))
  }
  const exports = Object.entries(env).map(([key, value]) => `export ${key}=${shellWord(value)}\n`)
  // A profile in the environment would select another server.
  await writeText(ctx.io.stdout, `${exports.join('')}unset CRM_PROFILE\n`)
}
