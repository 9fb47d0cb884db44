import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { temporaryFolder } from '../../core/temporary-folder.ts'
import type { MigrationParts } from '../../migration/open-migration.ts'

interface Ends {
  readonly from: Context
  readonly to: Context
  readonly parts: Omit<MigrationParts, 'stageNames' | 'onRead'>
}

/**
 * Runs `work` with both servers, each with the key of its own profile. CrmError `usage` for a flag or variable that would name one of
 * them twice.
 */
export async function withEnds<Result>(
  ctx: Context,
  names: { readonly from: string; readonly to: string },
  work: (ends: Pick<Ends, 'to' | 'parts'>) => Promise<Result>,
): Promise<Result> {
  refuseOtherChoices(ctx)
  const [from, to] = [ctx.withProfile(names.from), ctx.withProfile(names.to)]
  try {
    return await work({ to, parts: await partsOf(ctx, { from, to }, names) })
  } finally {
    await from.close()
    await to.close()
  }
}

async function partsOf(
  ctx: Context,
  { from, to }: Pick<Ends, 'from' | 'to'>,
  names: { readonly from: string; readonly to: string },
): Promise<Ends['parts']> {
  const source = await from.target()
  const jobs = await to.jobs()
  const accounts = { from: source.baseUrl.href.replace(/\/$/, ''), to: await jobs.account() }
  if (accounts.from === accounts.to) {
    throw new CrmError('usage', `${names.from} and ${names.to} are the same server, ${accounts.to}`, {
      hint: 'a migration needs two servers: crm auth login --base-url URL -p NAME',
    })
  }
  return {
    ...{ from: await from.api(), to: await to.api(), jobs, accounts },
    isTrial: ctx.flags.isDryRun,
    temporary: temporaryFolder(ctx.env),
    note: ctx.note,
  }
}

/** A key or a connector that is given for all servers would go to both. */
function refuseOtherChoices({ flags, env }: Context): void {
  const given = [
    flags.profile !== undefined && '-p',
    flags.keyFile !== undefined && '--key-file',
    flags.isKeyOnStdin && '--key-stdin',
    env.CRM_CONNECTOR && 'CRM_CONNECTOR',
  ].find(Boolean)
  if (!given) return
  throw new CrmError('usage', `${given} names one server, and a migration has two`, {
    hint: 'leave it out: --from and --to name profiles, which have their own address, key and connector',
  })
}
