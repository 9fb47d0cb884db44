import type { Context } from '../../context.ts'
import { appliesTo, chooseProfile } from '../../settings/address.ts'

/** Notes that the settings of a profile do not apply because of CRM_BASE_URL, and how they would. */
export async function noteOtherServer({ env, note, settings }: Context, name: string): Promise<void> {
  const address = URL.parse(env.CRM_BASE_URL || '')
  if (!address) return
  const kept = await settings()
  const chosen = await chooseProfile(kept, { env, profileFlag: undefined })
  if (chosen?.name === name && appliesTo(chosen, address)) return
  const { origin } = address
  const isThere = appliesTo({ name, profile: await kept.profile(name) }, address)
  const how = isThere
    ? `CRM_PROFILE=${name} makes these settings apply there`
    : `CRM_PROFILE can name a profile with base_url ${origin}`
  note(`Requests go to ${origin} (CRM_BASE_URL), not to the server of profile ${name}; ${how}.`)
}
