import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { hideInAddress } from '../../core/token-forms.ts'
import type { ForwardResult } from '../../core/webhook-events.ts'
import { readFields } from '../fields-input.ts'
import { openAttempts } from './attempt-log.ts'
import { findEvent } from './events.ts'
import { parseForward } from './forwarding-flags.ts'
import { makeEvent } from './made-event.ts'
import { createResigner, findKeptSecrets, madeDelivery, sendEvent } from './send-event.ts'
import type { TargetFlags } from './target-flags.ts'

/** The receiver of this process, with its secrets. */
export interface OwnReceiver {
  readonly url: string
  readonly secrets: readonly string[] | 'unverified'
  /** The flags with which it forwards to this URL. */
  flagsFor(url: URL): TargetFlags
}

/** For the screens: sends kept events again, and synthetic events. */
export function createEventSenders(ctx: Context, own: OwnReceiver | undefined) {
  const ownSecrets = own === undefined || own.secrets === 'unverified' ? undefined : own.secrets

  const flagsFor = (url: URL) => ({ flags: own?.flagsFor(url) ?? {} })

  async function secretsFor(url: URL): Promise<readonly string[]> {
    if (own !== undefined && new URL(own.url).href === url.href) return ownSecrets ?? []
    const secrets = (await findKeptSecrets(ctx, url)) ?? ownSecrets
    if (secrets) return secrets
    throw new CrmError('usage', `no secret is known for ${hideInAddress(url.href)}`, {
      hint: 'in a shell: crm webhooks trigger --secret-file FILE',
    })
  }

  return {
    replay: async (id: string, to: string): Promise<ForwardResult> => {
      const { url } = parseForward(to, 'the address')
      const event = await findEvent(ctx, id)
      const resigner = await createResigner(ctx, { secrets: ownSecrets })
      const unknown = await resigner.prepare(event)
      if (unknown) {
        // A notice is one line of the screen.
        const hint = 'crm webhooks replay --secret-file FILE'
        throw new CrmError(unknown.code, unknown.message, { hint, cause: unknown })
      }
      await using attempts = await openAttempts(ctx)
      return await sendEvent(ctx, event, url, { sign: resigner.sign, keep: attempts.keep, ...flagsFor(url) })
    },
    trigger: async (name: string, members: readonly string[], to: string): Promise<ForwardResult> => {
      const { url } = parseForward(to, 'to=')
      const fields = members.length === 0 ? {} : await readFields(ctx, { set: members })
      const { id, body } = makeEvent(name, fields, 'standard-webhooks', ctx.now())
      const { signedHeaders } = await import('../../webhooks/sign.ts')
      const bytes = Buffer.from(JSON.stringify(body))
      const secrets = await secretsFor(url)
      const sent = { id, name, timestamp: Math.floor(ctx.now() / 1000), body: bytes }
      const signed = secrets.length === 0 ? [] : signedHeaders('standard-webhooks', sent, secrets)
      const headers = [['content-type', 'application/json'], ['user-agent', `crm/${ctx.version}`], ...signed] as const
      return sendEvent(ctx, madeDelivery(ctx, { url, id, name, headers, bytes }), url, flagsFor(url))
    },
  }
}
