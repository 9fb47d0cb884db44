import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { describeKeySources } from '../../settings/key-sources.ts'
import { examples } from '../examples.ts'
import { addScopedFlags } from '../flags.ts'
import { readKeyFlag } from '../key-input.ts'
import { printOne } from '../print.ts'

export function addAuthStatus(auth: CommandUnknownOpts, act: Act): void {
  const status = auth
    .command('status')
    .description('which key is in use, from where, and whether the server takes it')
    .addHelpText('after', examples('crm auth status', 'crm auth status -p prod -o json'))
    .action(act(showStatus))
  addScopedFlags(status, ['fields'])
}

async function showStatus(ctx: Context): Promise<ExitCode | undefined> {
  const sources = await describeKeySources(await ctx.settings(), {
    env: ctx.env,
    profileFlag: ctx.flags.profile,
    keyFromFlag: await readKeyFlag(ctx),
  })
  const { baseUrl, profileName, isProtected } = await ctx.target()
  const refusal = await whyRefused(ctx)
  await printOne(ctx, {
    profile: profileName ?? null,
    base_url: baseUrl.href,
    protected: isProtected,
    source: sources.winner?.source ?? null,
    kept_in: sources.winner?.path ?? null,
    bound_to: sources.winner?.origin ?? null,
    last_four: sources.winner?.lastFour ?? null,
    shadows: sources.shadowed.map(({ source }) => source),
    accepted: refusal === undefined ? true : refusal.code === 'unauthorized' ? false : null,
  })
  if (refusal) throw refusal
  return EXIT.ok
}

/** Asks for one contact. Being forbidden to read is not being refused: the server knows the key. */
async function whyRefused(ctx: Context): Promise<CrmError | undefined> {
  try {
    const api = await ctx.api()
    for await (const _ of api.contacts.list({ limit: 1, cursor: undefined, filters: {} })) break
    return undefined
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return error.code === 'forbidden' ? undefined : error
  }
}
