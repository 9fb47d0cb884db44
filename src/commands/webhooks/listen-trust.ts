import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { readInput } from '../../settings/read-input.ts'
import { type ListenTrust, trustSubscription } from './own-subscription.ts'

export interface TrustOptions {
  readonly secretFile?: string
  readonly insecureSkipVerify?: true
  readonly subscribe?: true
  readonly publicUrl?: URL
  readonly tunnel?: string
  readonly port: number
}

/** CrmError `usage` for contradictory flags, before a socket is opened. */
export function refuseContradictions(options: TrustOptions): void {
  const given = [
    ...(options.secretFile === undefined ? [] : ['--secret-file']),
    ...(options.insecureSkipVerify ? ['--insecure-skip-verify'] : []),
    ...(options.subscribe ? ['--subscribe'] : []),
  ]
  if (given.length > 1) {
    throw new CrmError('usage', `${given.join(' and ')} contradict each other`, { hint: 'give one of them' })
  }
  if (options.tunnel !== undefined && options.publicUrl) {
    throw new CrmError('usage', '--tunnel and --public-url both name the public address', { hint: 'give one of them' })
  }
  if (options.port === 0 && given.length === 0 && !options.publicUrl) {
    throw new CrmError('usage', '--port 0 listens at a new address each time, and each would be a new subscription', {
      hint: 'add --subscribe to make them, or: crm listen --port 4242',
    })
  }
  if (options.tunnel !== undefined && given.length === 0) {
    throw new CrmError('usage', 'a tunnel may have a new address each time, and each would be a new subscription', {
      hint: 'add --subscribe to make them; for an address that stays: --public-url URL; or --secret-file FILE',
    })
  }
}

/** Whether events may come from a server other than crm serve, with any name. */
export function isSenderForeign({ secretFile, insecureSkipVerify }: TrustOptions): boolean {
  return secretFile !== undefined || insecureSkipVerify === true
}

/**
 * The secret of `--secret-file`; else that of the stored subscription for the address; else that of a new one, for a
 * service on this machine or with `--subscribe`. CrmError `usage` if there is none.
 */
export async function findTrust(ctx: Context, options: TrustOptions, address: URL): Promise<ListenTrust> {
  if (options.insecureSkipVerify) return { secrets: 'unverified', subscriptionId: undefined }
  if (options.secretFile !== undefined) {
    return { secrets: await readSecretFile(ctx, options.secretFile), subscriptionId: undefined }
  }
  return await trustSubscription(ctx, address, {
    isNew: options.subscribe === true,
    isPassing: options.port === 0 && !options.publicUrl,
    isPublic: options.publicUrl !== undefined || options.tunnel !== undefined,
  })
}

export async function readSecretFile(ctx: Context, file: string): Promise<readonly string[]> {
  const { parseSecrets, refuseSecretAsName } = await import('../../webhooks/secrets.ts')
  refuseSecretAsName(file)
  const secrets = parseSecrets(await readInput(ctx, file, '--secret-file'), `--secret-file ${file}`)
  for (const secret of secrets) ctx.addSecret(secret)
  return secrets
}
