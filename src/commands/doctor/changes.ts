import type { Finding } from '../../api/doctor/finding.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { Wire } from '../../core/wire.ts'
import { defaultProfile, type Profile, settingsOf } from '../../settings/profile.ts'
import type { DoctorTarget } from './doctor-target.ts'

/** A setting that would be written. */
export interface Change {
  readonly setting: NonNullable<Finding['proposals']>[number]['setting']
  readonly value: string
  /** As `config get` shows it; empty where it is not set. */
  readonly now: string
}

export function changesOf(findings: readonly Finding[], wire: Wire): readonly Change[] {
  const now = settingsOf({ ...defaultProfile('http://localhost'), wire })
  const proposals = findings.flatMap((finding) => finding.proposals ?? [])
  return proposals.map(({ setting, value }) => ({ setting, value, now: String(now[setting] ?? '') }))
}

/** CrmError `usage` that holds the commands for a profile which is yet to be made. */
export function refuseWithoutProfile({ baseUrl, profileName }: DoctorTarget, changes: readonly Change[]): void {
  if (profileName !== undefined) return
  const lines = [
    `crm config set base_url ${shellWord(baseUrl.href.replace(/\/$/, ''))} -p NAME`,
    ...changes.map(({ setting, value }) => `crm config set ${setting} ${shellWord(value)} -p NAME`),
  ]
  throw new CrmError('usage', `no profile of ${baseUrl.origin} is in use, so nothing was written`, {
    hint: `${lines.join(' && ')}; then CRM_PROFILE=NAME names it`,
  })
}

/** Gives the settings as they are now. */
export async function writeChanges(
  ctx: Pick<Context, 'settings'>,
  name: string,
  changes: readonly Change[],
): Promise<Profile['wire']> {
  const settings = await ctx.settings()
  for (const { setting, value } of changes) await settings.setSetting(name, setting, value)
  return (await settings.profile(name)).wire
}
