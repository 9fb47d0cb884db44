import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import type { WithFlags } from './global-flags.ts'

type Choosing = Pick<Context, 'env' | 'settings'> & WithFlags<'profile'>

/** The profile for commands about profiles: `-p`, else CRM_PROFILE, else the active one. */
async function selectedProfileName(ctx: Choosing): Promise<string | undefined> {
  return ctx.flags.profile ?? (ctx.env.CRM_PROFILE || (await (await ctx.settings()).active()))
}

export async function requireProfileName(ctx: Choosing): Promise<string> {
  const name = await selectedProfileName(ctx)
  if (name !== undefined) return name
  const settings = await ctx.settings()
  settings.requireOpen()
  const names = [...(await settings.profiles()).keys()]
  throw new CrmError('usage', `no profile is active${names.length > 0 ? ` (there are: ${names.join(', ')})` : ''}`, {
    hint: names.length > 0 ? 'crm auth switch NAME, or give -p NAME' : 'crm auth login --base-url URL, or crm serve',
  })
}
