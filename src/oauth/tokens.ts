import { join } from 'node:path'
import type { AccessTokens } from '../api/access-tokens.ts'
import { CrmError } from '../core/errors.ts'
import { withLock } from '../files/lock.ts'
import { keepInFile, keepInKeyring, keptKey } from '../settings/keep-key.ts'
import { type OAuthLogin, oauthLoginIn, oauthLoginText, secretsOf } from '../settings/oauth-login.ts'
import type { Settings } from '../settings/settings.ts'
import { withNewToken } from './grants.ts'
import type { Fetch } from './through-connections.ts'

/** Those of a sign-in, which is what is known now. */
export interface SignInTokens extends AccessTokens {
  login(): OAuthLogin
}

export interface TokenParts {
  readonly login: OAuthLogin
  readonly profileName: string
  /** The origin of the CRM. */
  readonly origin: string
  /** Nothing of them was read yet. */
  readonly openSettings: () => Settings
  readonly fetch: Fetch
  readonly now: () => number
  readonly note: (line: string) => void
  readonly addSecret: (secret: string) => void
}

/** A token is renewed this long before its end, at most; of a short one, a tenth of its life. */
const EARLY_MS = 30_000

/** Other processes may wait for a renewal for this long. */
const LOCK_WAIT_MS = 60_000

/**
 * The tokens of a sign-in. Of all processes that use it one renews the token, and the others wait for what it keeps. A new refresh token
 * is on disk before its access token is used: the one before may be of no use any more.
 */
export function openTokens(parts: TokenParts): SignInTokens {
  const { profileName, origin, fetch, now, note, addSecret } = parts
  const secrets = new Set<string>()
  let held = parts.login
  let renewing: Promise<void> | undefined
  let end: string | undefined

  function learn(login: OAuthLogin): OAuthLogin {
    for (const secret of secretsOf(login)) {
      secrets.add(secret)
      addSecret(secret)
    }
    return login
  }

  const isEnding = ({ ends, life = 0 }: OAuthLogin) =>
    ends !== undefined && now() >= ends - Math.min(EARLY_MS, life / 10)

  async function renew(): Promise<void> {
    const settings = parts.openSettings()
    const work = async () => {
      const stored = await keptKey(settings, profileName, note)
      const kept = stored && oauthLoginIn(stored.key)
      if (!kept) throw new CrmError('unauthorized', `profile ${profileName} was logged out`, { hint: 'crm auth login' })
      const isNew = kept.access !== held.access
      held = learn(kept)
      if (isNew && !isEnding(kept)) return
      const next = learn(await withNewToken(kept, fetch, now))
      const text = { origin, key: oauthLoginText(next) }
      if (await settings.keyringEntry(profileName)) await keepInKeyring(settings, profileName, text)
      else await keepInFile(settings, profileName, text, note)
      held = next
    }
    await withLock(join(settings.paths().folder, `${profileName}.token.lock`), work, LOCK_WAIT_MS)
  }

  /** Whether there is another token now. */
  async function hasNew(refused: string): Promise<boolean> {
    if (end === undefined && held.access === refused) {
      renewing ??= renew().finally(() => {
        renewing = undefined
      })
      await renewing.catch((error: unknown) => {
        if (!(error instanceof CrmError) || error.code === 'unreachable' || error.code === 'interrupted') throw error
        if (end === undefined) note(`The sign-in of profile ${profileName} has ended: ${error.message}`)
        end = error.message
      })
    }
    return held.access !== refused
  }

  learn(held)
  return {
    secrets,
    login: () => held,
    current: async () => {
      if (isEnding(held)) await hasNew(held.access)
      return held.access
    },
    after: async (refused) => ((await hasNew(refused)) ? held.access : undefined),
  }
}
