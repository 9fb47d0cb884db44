import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { readInput } from '../read-input.ts'
import { type ListenTrust, trustSubscription } from './own-subscription.ts'

export interface TrustOptions {
  readonly secretFile?: string
  readonly insecureSkipVerify?: true
  readonly subscribe?: true
  readonly port: number
}

/** Before a socket is opened: flags that contradict each other. */
export function refuseContradictions(options: TrustOptions): void {
  const given = [
    ...(options.secretFile === undefined ? [] : ['--secret-file']),
    ...(options.insecureSkipVerify ? ['--insecure-skip-verify'] : []),
    ...(options.subscribe ? ['--subscribe'] : []),
  ]
  if (given.length > 1) {
    throw new CrmError('usage', `${given.join(' and ')} contradict each other`, { hint: 'give one of them' })
  }
  if (options.port === 0 && given.length === 0) {
    throw new CrmError('usage', '--port 0 listens at a new address each time, and each would be a new subscription', {
      hint: 'add --subscribe if that is meant, or: crm listen --port 4242',
    })
  }
}

/**
 * The secret of `--secret-file`; else that of the subscription this machine keeps for the address; else, for a service on
 * this machine, that of a subscription made now. CrmError `usage` when there is none.
 */
export async function findTrust(ctx: Context, options: TrustOptions, listeningUrl: string): Promise<ListenTrust> {
  if (options.insecureSkipVerify) return { trust: 'unverified', subscriptionId: undefined }
  if (options.secretFile !== undefined) {
    const { parseSecrets } = await ctx.webhooks.secrets()
    const text = await readInput(ctx, options.secretFile, '--secret-file')
    const secrets = parseSecrets(text, `--secret-file ${options.secretFile}`)
    for (const secret of secrets) ctx.addSecret(secret)
    return { trust: secrets, subscriptionId: undefined }
  }
  return await trustSubscription(ctx, listeningUrl, {
    isNew: options.subscribe === true,
    isPassing: options.port === 0,
  })
}
