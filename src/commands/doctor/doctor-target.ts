import type { Finding } from '../../api/doctor/finding.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { createRedactor } from '../../core/redact.ts'
import { appliesTo, chooseAddress, chooseProfile } from '../../settings/address.ts'
import type { GivenKey } from '../../settings/key-candidates.ts'
import { describeKeySources, type KeySources, lastFourOf } from '../../settings/key-sources.ts'
import type { Settings } from '../../settings/settings.ts'
import { connectorOf, type NamedConnector, requireConnector, type TargetRequest } from '../../settings/target.ts'

/** The server of this command line, and the source of its key. */
export interface DoctorTarget {
  readonly baseUrl: URL
  readonly serveDatabase: string | undefined
  readonly connector: NamedConnector
  readonly pageSize: number | undefined
  readonly key: string | undefined
  readonly profileName: string | undefined
  readonly sources: KeySources
  /** The error without a key. */
  readonly lack: CrmError | undefined
}

/** Without a key, the connection can still be checked. CrmError with another code if there is no server. */
export async function readTarget(ctx: Context): Promise<DoctorTarget> {
  const { env, flags } = ctx
  const settings = await ctx.settings()
  const request = { env, profileFlag: flags.profile, keyFromFlag: undefined, repository: await ctx.repository() }
  try {
    const target = await ctx.target()
    const { baseUrl, key, pageSize, profileName, serveDatabase } = target
    // Stdin can be read once, and has been.
    const keyFromFlag = key.source.startsWith('--') ? key : undefined
    const sources = await sourcesOf(settings, { ...request, keyFromFlag }, key)
    const server = { baseUrl, pageSize, connector: requireConnector(target), serveDatabase }
    return { ...server, key: key.value, profileName, sources, lack: undefined }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'no_key') throw error
    const chosen = await chooseProfile(settings, request)
    const baseUrl = chooseAddress(settings, env, chosen)
    const applying = chosen && appliesTo(chosen, baseUrl) ? chosen : undefined
    const profileName = applying?.name
    const connector = requireConnector({ connector: connectorOf(applying), profileName, baseUrl })
    const { pageSize, serveDatabase } = applying?.profile ?? {}
    const sources = await describeKeySources(settings, request)
    return { baseUrl, pageSize, connector, serveDatabase, key: undefined, profileName, sources, lack: error }
  }
}

/** Damaged files that are not needed are ignored: a warning has been printed. */
async function sourcesOf(settings: Settings, request: TargetRequest, { source, value }: GivenKey): Promise<KeySources> {
  try {
    return await describeKeySources(settings, request)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    const winner = { source, keptIn: undefined, origin: undefined, lastFour: lastFourOf(value) }
    return { profileName: undefined, winner, shadowed: [] }
  }
}

/**
 * Adds the source of the key to the finding about it. Redacts all findings: a server may quote the key, and diagnoses are
 * passed on to others.
 */
export function withKeySource(findings: readonly Finding[], { key, sources, lack }: DoctorTarget): readonly Finding[] {
  const { foreign } = createRedactor(key === undefined ? [] : [key])
  return findings.map((each) => {
    const finding = { ...each, seen: foreign(each.seen) }
    if (finding.check !== 'key') return finding
    const found = keyMembers(sources)
    if (lack) return { check: 'key', state: 'fail', seen: lack.message, found, failure: lack, hint: lack.details.hint }
    return { ...finding, seen: `${keySourceText(sources)}; ${finding.seen}`, found }
  })
}

function keySourceText({ winner, shadowed }: KeySources): string {
  const ending = winner?.lastFour === undefined ? '' : `, ending in ${winner.lastFour}`
  const place = winner?.keptIn === undefined ? '' : ` ${winner.keptIn}`
  const overridden = shadowed.length === 0 ? '' : `, in place of ${shadowed.map(({ source }) => source).join(', ')}`
  return `from ${winner?.source ?? 'nowhere'}${place}${ending}${overridden}`
}

function keyMembers({ winner, shadowed }: KeySources): JsonObject {
  return {
    source: winner?.source ?? null,
    kept_in: winner?.keptIn ?? null,
    last_four: winner?.lastFour ?? null,
    shadows: shadowed.map(({ source }) => source),
  }
}
