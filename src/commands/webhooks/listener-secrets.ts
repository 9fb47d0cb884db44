import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { RunningListener } from '../../settings/running-listeners.ts'
import { readSecretFile } from './listen-trust.ts'

type Known = { readonly listener: RunningListener; readonly secrets: readonly string[] }

/** The running listeners whose secrets can be read: those with a kept subscription, or with a secret file. */
export async function listenersWithSecrets(ctx: Context): Promise<readonly Known[]> {
  const { runningListeners } = await import('../../settings/running-listeners.ts')
  const known: Known[] = []
  for (const listener of await runningListeners(ctx.env)) {
    const secrets = await secretsOf(ctx, listener)
    if (secrets.length > 0) known.push({ listener, secrets })
  }
  return known
}

async function secretsOf(ctx: Context, { subscriptionId, secretFile }: RunningListener): Promise<readonly string[]> {
  if (secretFile !== undefined) return await readSecretFile(ctx, secretFile)
  if (subscriptionId === undefined) return []
  const kept = await (await ctx.settings()).findSubscription({ id: subscriptionId })
  if (!kept) return []
  ctx.addSecret(kept.secret)
  return [kept.secret]
}

/**
 * The secrets with which an app at this address verifies events: those of the listener that forwards to it, else of the
 * only one. Undefined without one; CrmError `usage` for several.
 */
export async function secretsForApp(ctx: Context, url: URL): Promise<readonly string[] | undefined> {
  const known = await listenersWithSecrets(ctx)
  const forwarding = known.filter(({ listener }) => listener.forwards.some((each) => new URL(each).host === url.host))
  const candidates = forwarding.length > 0 ? forwarding : known
  const [found, ...others] = candidates
  if (!found) return undefined
  const secrets = new Set(candidates.map((each) => each.secrets[0]))
  if (others.length > 0 && secrets.size > 1) throw severalListeners(candidates)
  ctx.note(`Signed with the secret of the listener at ${found.listener.url}.`)
  return found.secrets
}

function severalListeners(known: readonly Known[]): CrmError {
  const urls = known.map(({ listener }) => listener.url).join(', ')
  return new CrmError('usage', `${known.length} listeners with different secrets run: ${urls}`, {
    hint: 'name the secret: --secret-file FILE; crm webhooks secret ID prints that of a subscription',
  })
}
