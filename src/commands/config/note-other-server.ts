import type { Context } from '../../context.ts'
import { appliesTo, chooseProfile } from '../../settings/address.ts'

/** Settings of a profile that CRM_BASE_URL passes over look as if they were in use; this says that they are not, and how they come to be. */
export async function noteOtherServer({ env, note, settings }: Context, name: string): Promise<void> {
  const address = URL.parse(env.CRM_BASE_URL || '')
  if (!address) return
  const kept = await settings()
  const chosen = await chooseProfile(kept, { env, profileFlag: undefined })
  if (chosen?.name === name && appliesTo(chosen, address)) return
  const { origin } = address
  const isThere = appliesTo({ name, profile: await kept.profile(name) }, address)
  const way = isThere
    ? `CRM_PROFILE=${name} makes these settings apply there`
    : `its settings are those of a profile with base_url ${origin}, which CRM_PROFILE names`
  note(`Requests go to ${origin}, by CRM_BASE_URL, and not by profile ${name}; ${way}.`)
}
