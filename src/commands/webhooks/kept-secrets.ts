import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/origin.ts'

/** Of the subscription that is kept for a listener at this address. CrmError `usage` when none is known. */
export async function keptSecrets(ctx: Context, url: URL): Promise<readonly string[]> {
  const kept = await findKeptSecrets(ctx, url)
  if (!kept) {
    throw new CrmError('usage', `no secret is known for ${url.href}`, {
      hint: 'give one, or the name of a file to make one in: --secret-file secret.txt',
    })
  }
  return kept
}

export async function findKeptSecrets(ctx: Context, url: URL): Promise<readonly string[] | undefined> {
  const kept = await findKept(ctx, url)
  if (!kept) return undefined
  ctx.addSecret(kept.secret)
  return [kept.secret]
}

/** What listens on this machine is kept under its address, and people call it localhost. */
async function findKept(ctx: Pick<Context, 'settings'>, url: URL) {
  const settings = await ctx.settings()
  const address = new URL(url)
  if (isLoopback(url.hostname)) address.hostname = '127.0.0.1'
  return (
    (await settings.findSubscription({ url: url.href })) ?? (await settings.findSubscription({ url: address.href }))
  )
}
