import type { Context } from '../../context.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Unproven } from '../../jobs/send/services.ts'
import { canAsk } from '../../output/prompt.ts'
import { type ProvenFor, requireProven } from '../../settings/proven.ts'
import type { NamedConnector, Target } from '../../settings/target.ts'
import { commandLine } from '../command-line.ts'

/** The connector of a profile or an address, with its text. */
export async function provenFor({
  connector,
  profileName,
  baseUrl,
}: Pick<Target, 'profileName' | 'baseUrl'> & { readonly connector: NamedConnector | undefined }): Promise<ProvenFor> {
  const { connectorText } = await import('../../api/connectors/open-connector.ts')
  const text = connector ? (connector.text ?? (await connectorText(connector.name))) : ''
  return { profileName, baseUrl, text }
}

/** CrmError `not_supported` for a job of a drafted connector with a verb that was never proven; the hint proves it, and goes on. */
export async function requireProvenJob(ctx: Context, needed: Unproven): Promise<void> {
  const target = await ctx.target()
  const profile = target.profileName === undefined ? '' : ` -p ${shellWord(target.profileName)}`
  const yes = canAsk(ctx) && !target.isProtected ? '' : ' --yes'
  const isPart = needed.kind === 'fixtures' || needed.kind === 'migrate'
  const next = isPart ? commandLine(ctx.argv) : `crm jobs resume ${shellWord(needed.job)}${profile}`
  const hint = `crm connectors check --write${profile}${yes} && ${next}`
  await requireProven(ctx.env, await provenFor(target), { ...needed, hint })
}
