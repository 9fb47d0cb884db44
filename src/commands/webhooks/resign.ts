import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ReceivedEvent } from '../../core/webhook-events.ts'
import { readSecretFile } from './listen-trust.ts'

interface Source {
  readonly secretFile?: string
  /** Already known. */
  readonly secrets?: readonly string[] | undefined
}

/** Signs events again with the secrets of their subscription, or with those of a file. */
export interface Resigner {
  /** Finds the secrets for an event; returns a CrmError `usage` if there are none. */
  prepare(event: ReceivedEvent): Promise<CrmError | undefined>
  sign(event: ReceivedEvent): ReceivedEvent['delivery']['headers']
}

export async function createResigner(ctx: Context, { secretFile, secrets }: Source): Promise<Resigner> {
  const { headersSignedAgain } = await ctx.webhooks.sign()
  const given = secretFile === undefined ? secrets : await readSecretFile(ctx, secretFile)
  const known = new Map<string | undefined, readonly string[] | undefined>()
  const secretsOf = ({ subscriptionId }: ReceivedEvent): readonly string[] => given ?? known.get(subscriptionId) ?? []
  return {
    prepare: async (event) => {
      const { subscriptionId: id, scheme } = event
      if (given || scheme === undefined) return undefined
      if (!known.has(id)) known.set(id, await findSecrets(ctx, id))
      // GitHub signs no time, so the original signature stays valid.
      return known.get(id) || scheme === 'github' ? undefined : unknownSecret(event)
    },
    sign: (event) => {
      const signing = secretsOf(event)
      const isUnsigned = event.scheme === undefined || signing.length === 0
      return isUnsigned ? event.delivery.headers : headersSignedAgain(event, signing, ctx.now())
    },
  }
}

async function findSecrets(
  ctx: Pick<Context, 'addSecret' | 'settings'>,
  id: string | undefined,
): Promise<readonly string[] | undefined> {
  const kept = id === undefined ? undefined : await (await ctx.settings()).findSubscription({ id })
  if (!kept) return undefined
  const found = [kept.secret, ...kept.olderSecrets]
  for (const secret of found) ctx.addSecret(secret)
  return found
}

function unknownSecret({ id, subscriptionId }: ReceivedEvent): CrmError {
  const where =
    subscriptionId === undefined ? 'its secret came from a file' : `no secret of ${subscriptionId} is kept here`
  return new CrmError('usage', `${id ?? 'an event'} cannot be signed again: ${where}`, {
    hint: 'give the secret: --secret-file FILE; or send the old signature: --original',
  })
}
