import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { forgetEverywhere, keptKey } from '../../settings/keep-key.ts'
import { oauthLoginIn } from '../../settings/oauth-login.ts'
import type { Settings } from '../../settings/settings.ts'
import { examples } from '../command-tree.ts'
import { requireProfileName } from '../selected-profile.ts'
import { revokeLogin } from './oauth-login.ts'

interface Options {
  readonly all?: true
  readonly removeProfile?: true
}

export function addAuthLogout(auth: CommandUnknownOpts, act: Act): void {
  auth
    .command('logout')
    .description('delete the stored key of a profile')
    .option('--all', 'the keys of all profiles')
    .option('--remove-profile', 'also delete the settings of the profile')
    .addHelpText('after', examples('crm auth logout -p local'))
    .action(act(logOut))
}

async function logOut(ctx: Context, options: Options): Promise<undefined> {
  const settings = await ctx.settings()
  if (options.all && ctx.flags.profile !== undefined) {
    throw new CrmError('usage', `--all and -p ${ctx.flags.profile} contradict each other`, { hint: 'give one of them' })
  }
  settings.requireOpen()
  const names = options.all ? [...(await settings.profiles()).keys()] : [await requireProfileName(ctx)]
  let failure: CrmError | undefined
  for (const name of names) {
    await settings.profile(name)
    const revoked = await revoke(ctx, settings, name).catch((error: unknown) => {
      if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
      failure = error
      return `${GONE}; ${error.message}`
    })
    const wasStored = await forget(settings, name)
    // Completion must not show names of people after a logout.
    await (await import('../../completion/known-file.ts')).forgetKnown(ctx.env, name)
    if (options.removeProfile) await settings.removeProfile(name)
    const what =
      revoked ?? (wasStored ? 'the key is deleted from this machine; the server still accepts it' : 'no key was stored')
    ctx.note(`Profile ${name}${options.removeProfile ? ' removed' : ''}: ${what}.`)
  }
  if (failure) throw new CrmError(failure.code, failure.message, { cause: failure, hint: STILL_VALID })
  return undefined
}

const GONE = 'the tokens are deleted from this machine'
const STILL_VALID =
  'the server accepts the tokens until they end, or until the app is removed from the account at the CRM'

/** Takes the tokens of a sign-in back. Undefined for a key; otherwise a clause that says what is left of them. CrmError if the server does not. */
async function revoke(ctx: Context, settings: Settings, name: string): Promise<string | undefined> {
  const kept = await keptKey(settings, name, () => {})
  const login = kept && oauthLoginIn(kept.key)
  if (!login) return undefined
  return (await revokeLogin(ctx, login, ctx.signal))
    ? `${GONE}, and the server has taken them back`
    : `${GONE}; the server, which names no way to take them back, accepts them until they end`
}

/** CrmError `machine` with a hint if the keyring entry cannot be deleted. */
async function forget(settings: Settings, name: string): Promise<boolean> {
  try {
    return await forgetEverywhere(settings, name)
  } catch (error) {
    if (!(error instanceof CrmError) || !(await settings.keyringEntry(name))) throw error
    throw new CrmError(error.code, `the key of profile ${name} is not forgotten: ${error.message}`, {
      cause: error,
      hint: `unlock the keyring, and try again: crm auth logout -p ${name}`,
    })
  }
}
