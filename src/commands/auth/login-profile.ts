import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/origin.ts'
import { checkProfileName } from '../../settings/profile.ts'

/**
 * The profile a login belongs to: the one named, else one that already has this origin, else `default`. A profile of
 * another origin is never moved to this one: its settings and its protection were made for the other.
 */
export async function loginProfileName(ctx: Context, baseUrl: URL): Promise<string> {
  const settings = await ctx.settings()
  const profiles = await settings.profiles()
  const originOf = (name: string) => URL.parse(profiles.get(name)?.baseUrl ?? '')?.origin
  const named = ctx.flags.profile ?? (ctx.env.CRM_PROFILE || undefined)
  const active = await settings.active()
  const sameOrigin = [active ?? '', ...profiles.keys()].find((name) => originOf(name) === baseUrl.origin)
  const name = checkProfileName(named ?? sameOrigin ?? 'default')
  const origin = originOf(name)
  if (origin === undefined || origin === baseUrl.origin) return name
  throw new CrmError('usage', `profile ${name} belongs to ${origin}, not to ${baseUrl.origin}`, {
    hint: `give another name with -p, or first: crm auth logout --remove-profile -p ${name}`,
  })
}

export function checkTransport(baseUrl: URL, allowsInsecureHttp: boolean): void {
  if (baseUrl.protocol === 'https:' || isLoopback(baseUrl.hostname) || allowsInsecureHttp) return
  throw new CrmError('usage', `${baseUrl.origin} is plain http, where anyone on the way can read the key`, {
    hint: 'use https, or add --insecure-http if that network is yours',
  })
}
