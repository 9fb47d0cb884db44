import type { ConnectorDocument, KeptKeys, PagingDocument } from '../connector/document.ts'
import { DEFAULT_CONNECTOR } from '../core/default-connector.ts'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { EarlierSettings } from '../settings/document.ts'
import type { Profile } from '../settings/profile.ts'
import type { Settings } from '../settings/settings.ts'

// Profiles of earlier versions described their servers by settings `wire.*`. Each gets a connector that says the same.

/**
 * The settings with a connector for each of these profiles. One that cannot be kept holds for this command; one that cannot be made
 * leaves its profile without a connector. A note says which.
 */
export async function describeEarlier(
  settings: Settings,
  earlier: ReadonlyMap<string, EarlierSettings>,
  note: (line: string) => void,
): Promise<Settings> {
  const unkept = new Map<string, Profile>()
  for (const [name, said] of earlier) {
    try {
      const profile = await describedProfile(settings, name, said)
      await keep(settings, name, profile).then(
        (connector) => note(describedText(name, connector)),
        (error: unknown) => {
          if (!(error instanceof CrmError)) throw error
          note(`Note: the connector of profile ${name} could not be kept, and holds for this command: ${error.message}`)
          unkept.set(name, profile)
        },
      )
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      note(`Warning: the settings wire.* of profile ${name} make no connector: ${error.message}`)
    }
  }
  return unkept.size === 0 ? settings : withProfiles(settings, unkept)
}

/** For a person who asks for it. Undefined if the profile says nothing of its server. CrmError if its connector cannot be made or kept. */
export async function describeProfile(settings: Settings, name: string): Promise<string | undefined> {
  const said = (await settings.earlier()).get(name)
  if (!said) return undefined
  return describedText(name, await keep(settings, name, await describedProfile(settings, name, said)))
}

function describedText(name: string, connector: string): string {
  return `Profile ${name}: the settings wire.* of an earlier version are now the connector ${connector}.`
}

function withProfiles(settings: Settings, others: ReadonlyMap<string, Profile>): Settings {
  return {
    ...settings,
    profiles: async () => new Map([...(await settings.profiles()), ...others]),
    profile: async (name) => others.get(name) ?? settings.profile(name),
  }
}

/** Writes the file of the connector, and names it in the profile. */
async function keep(settings: Settings, name: string, profile: Profile): Promise<string> {
  const { connectorText, connector = DEFAULT_CONNECTOR, ...rest } = profile
  if (connectorText !== undefined) {
    const { writeConnector } = await import('../settings/connector-files.ts')
    await writeConnector(connector, connectorText)
  }
  await settings.putProfile(name, { ...rest, connector })
  return connector
}

/** With the connector, whose text is not yet in its file; a shipped one if it says nothing else. CrmError `invalid_input`. */
async function describedProfile(settings: Settings, name: string, said: EarlierSettings): Promise<Profile> {
  const profile = await settings.profile(name)
  // Of a connector that could not be kept.
  if (profile.connectorText !== undefined) return profile
  const { connectorDocument } = await import('../api/connectors/open-connector.ts')
  // What crm serve has beyond the contract, no other server is known to have.
  const base = profile.connector ?? 'contract'
  const isFile = base.includes('/') || base.includes('\\')
  const own = isFile ? await format2Of(base) : undefined
  const document = await connectorDocument({ name: base, text: own })
  const changes = changesOf(document, said, ['contract', DEFAULT_CONNECTOR].includes(base))
  if (changes.length === 0) return { ...profile, connector: base }
  const { connectorFile } = await import('../settings/connector-files.ts')
  const { loadConnectorText } = await import('../connector/shipped.ts')
  const { isMap, parseDocument } = await import('yaml')
  const head = `connector: 2\nname: ${nameOf(name)}\nextends: ${base}\n`
  const yaml = parseDocument(own ?? head)
  for (const [place, value] of changes) {
    const members =
      isMap(yaml.getIn(place)) && isJsonObject(value) ? Object.entries(value) : [[undefined, value] as const]
    for (const [name, part] of members)
      yaml.setIn(name === undefined ? place : [...place, name], yaml.createNode(part, { flow: true }))
  }
  const text = yaml.toString({ lineWidth: 0, flowCollectionPadding: true })
  const path = connectorFile(settings.paths().folder, name, text)
  await loadConnectorText(text, path)
  return { ...profile, connector: path, connectorText: text }
}

/** The text of a connector in a file, which may be of an earlier version. */
async function format2Of(path: string): Promise<string> {
  const { connectorFileText, shippedText } = await import('../connector/shipped.ts')
  const { isFormat1, rewriteFormat1 } = await import('../connector/format-1.ts')
  const text = connectorFileText(path)
  return isFormat1(text) ? rewriteFormat1(text, shippedText) : text
}

function nameOf(profile: string): string {
  return profile.toLowerCase().replaceAll('_', '-')
}

type Change = readonly [place: readonly string[], value: JsonValue]

/** Where the connector differs from what the settings say. */
function changesOf(document: ConnectorDocument, said: EarlierSettings, isAlike: boolean): readonly Change[] {
  const { run_marker: marker, graphql_path: graphql } = said
  const path = graphql === 'none' ? undefined : (graphql ?? document.graphql)
  const isOtherMarker = marker !== undefined && marker !== document.run_marker
  return [
    ...idempotencyChange(document.idempotency, said),
    ...(path === document.graphql ? [] : [[['graphql'], path ?? null] as const]),
    ...(isOtherMarker ? [[['run_marker'], marker] as const] : []),
    ...listChanges(document, said, isAlike),
  ]
}

const KEY_HEADER = 'Idempotency-Key'

/** Headers by which servers show that they keep keys: without a word of the profile, crm believed these. */
const SHOWING = ['Idempotent-Replayed', 'Idempotency-Replayed', 'Idempotency-Policy']

const KEY_MEMBERS = {
  header: 'idempotency_header',
  window: 'idempotency_window',
  scope: 'idempotency_scope',
} as const

function idempotencyChange(before: ConnectorDocument['idempotency'], said: EarlierSettings): readonly Change[] {
  const declared = typeof before === 'object' ? before : undefined
  if (said.idempotency === 'none' && said.request_life === undefined) {
    return before === 'none' ? [] : [[['idempotency'], 'none']]
  }
  const life = said.request_life === undefined ? {} : { life: said.request_life }
  const keys = said.idempotency === 'none' ? withoutKeys(declared) : keysOf(declared, said)
  const changed: JsonObject = { ...keys, ...life }
  return Object.keys(changed).length === 0 ? [] : [[['idempotency'], changed]]
}

/** A server without keys has no window; how long its requests live still counts. */
function withoutKeys(declared: KeptKeys | undefined): JsonObject {
  return declared ? { header: null, window: null, scope: null, kept: null } : {}
}

function keysOf(declared: KeptKeys | undefined, said: EarlierSettings): JsonObject {
  const isKept = said.idempotency === 'kept'
  const members = Object.entries(KEY_MEMBERS).flatMap(([name, setting]) => {
    const value = said[setting]
    return value === undefined ? [] : [[name, value] as const]
  })
  const keys: JsonObject = Object.fromEntries(members)
  if (declared) return { ...keys, ...(isKept && declared.kept && { kept: null }) }
  if (isKept) return { header: KEY_HEADER, ...keys }
  // Not known to be kept: they are once the server shows it.
  return members.length === 0 ? {} : { header: KEY_HEADER, ...keys, kept: SHOWING }
}

function listChanges({ resources }: ConnectorDocument, said: EarlierSettings, isAlike: boolean): readonly Change[] {
  const { items_path: items } = said
  const lists = Object.entries(resources).flatMap(([resource, { list }]) =>
    list ? [{ place: ['objects', RESOURCES[resource as Resource].plural, 'verbs', 'list'], paging: list.paging }] : [],
  )
  // One line of the connector says how all lists are paged.
  const paged = isAlike
    ? lists.slice(0, 1).map((list) => [['paging'], changedPaging(list.paging, said)] as const)
    : lists.map((list) => [[...list.place, 'paging'], wholePaging(list.paging, said)] as const)
  const pagings = paged.filter(([, changed]) => Object.keys(changed).length > 0)
  if (items === undefined) return pagings
  const at = items.endsWith('[]') ? items : `${items}[]`
  const places = isAlike ? [['verbs', 'list']] : lists.map(({ place }) => place)
  return [...pagings, ...places.map((place) => [[...place, 'items'], at] as const)]
}

/** A list of its own says how it is paged, too. */
function wholePaging(before: PagingDocument, said: EarlierSettings): JsonObject {
  const changed = changedPaging(before, said)
  return Object.keys(changed).length === 0 ? changed : { by: before.by, ...changed }
}

/** That of earlier versions, where nothing else was said. */
const USUAL_PAGE_SIZE = 100

const USUAL_PARAMETER: Readonly<Record<string, string>> = { cursor: 'cursor', page: 'page', offset: 'offset' }

/** Members of the paging that the settings change; null for those that another way of paging does not have. */
function changedPaging(before: PagingDocument, said: EarlierSettings): JsonObject {
  const { paging: by, cursor_param: param, next_path: next, limit_param: size } = said
  return {
    ...(by !== undefined && by !== before.by && { by, param: USUAL_PARAMETER[by] ?? null, next: null, more: null }),
    ...(param !== undefined && { param }),
    // Of earlier versions, its absence was the end.
    ...(next !== undefined && { next, absent: true, more: null }),
    ...(size !== undefined && {
      size: size === 'none' ? null : { param: size, max: before.size?.max ?? USUAL_PAGE_SIZE },
    }),
  }
}
