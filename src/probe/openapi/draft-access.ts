import { CrmError } from '../../core/errors.ts'
import { isCredentialHeader, isHeaderName, isHeaderValue, isTransportHeader } from '../../core/http-rules.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts'
import type { Drafting } from './collections.ts'
import { onlyValue } from './draft-reads.ts'
import { askAtLogin } from './paths.ts'
import type { ApiMethod } from './read-description.ts'

type Finding = Pick<Drafting, 'api' | 'decisions' | 'variables'>

/** Where requests go and how they carry the key, in the grammar of connectors. */
interface DraftAccess {
  readonly origin: string | undefined
  readonly base: string
  readonly auth: JsonObject
  readonly headers: JsonObject
  readonly query: JsonObject
}

export function draftAccess(finding: Finding, methods: readonly ApiMethod[], sourceUrl: URL | undefined): DraftAccess {
  const address = addressIn(finding, sourceUrl)
  const carriers = { headers: {}, query: {} }
  const auth = authOf(finding, methods, carriers)
  addNeededHeaders(finding, methods, { headers: carriers.headers, key: auth.name })
  const [Accept] = methods.flatMap(({ answerType }) => answerType ?? [])
  return { ...address, auth, ...carriers, headers: { ...carriers.headers, ...(Accept !== undefined && { Accept }) } }
}

/** Set by crm, or of single operations. */
const OWN_HEADERS = /^(?:authorization|content-type|accept|user-agent|if-match|idempotency-key|x-idempotency-key)$/i

/** The loader takes none of them in `headers`. */
function isRefused(name: string): boolean {
  return !isHeaderName(name) || isTransportHeader(name) || isCredentialHeader(name)
}

/** Headers that most operations need: constants, or asked for at login. */
function addNeededHeaders(
  { variables }: Finding,
  methods: readonly ApiMethod[],
  { headers, key }: { readonly headers: JsonObject; readonly key: JsonValue | undefined },
): void {
  const all = methods.flatMap(({ parameters }) => parameters)
  const needed = all.filter((each) => each.in === 'header' && each.isRequired)
  for (const [name, [parameter, ...others]] of Map.groupBy(needed, (each) => each.name)) {
    if (!parameter || isRefused(name) || OWN_HEADERS.test(name) || name === key || Object.hasOwn(headers, name))
      continue
    if ((others.length + 1) * 2 < methods.length) continue
    const constant = onlyValue(parameter.schema)
    const isText = (typeof constant === 'string' && isHeaderValue(constant)) || typeof constant === 'number'
    headers[name] = isText ? String(constant).replaceAll('{', '{{') : askAtLogin(variables, name, parameter.description)
  }
}

const TRIALS = /sandbox|mock|staging|\bstage\b|\btest|\bdev\b|develop|localhost|127\.0\.0\.1|prism/i

function addressIn(
  { api, decisions, variables }: Finding,
  sourceUrl: URL | undefined,
): Pick<DraftAccess, 'origin' | 'base'> {
  const { servers: listed } = api.document
  const all = (Array.isArray(listed) ? listed : []).filter(isJsonObject).filter(({ url }) => typeof url === 'string')
  const real = all.filter(({ url, description }) => !TRIALS.test(`${String(url)} ${String(description)}`))
  const servers = real.length > 0 ? real : all
  const answer = decisions.answer('origin')
  const chosen = servers.find(({ url }) => url === answer) ?? servers[0]
  if (servers.length > 1) {
    const choices = servers.map(({ url }) => String(url))
    const others = choices.filter((url) => url !== chosen?.url).join(', ')
    const question = { id: 'origin', ask: 'Which server?', choices }
    decisions.decide('origin', `the document names several servers; the others are ${others}`, question)
  }
  if (answer !== undefined && !/^https?:\/\/[^/\s?#]+/i.test(answer)) {
    const hint = 'expected one such as https://crm.example.com'
    throw new CrmError('usage', `${JSON.stringify(answer)} is no address`, { hint })
  }
  const text = answer ?? String(chosen?.url ?? '/')
  const whole = withVariables(text.replace(/^\/\//, 'https://'), objectOf(chosen?.variables), variables)
  const [, origin, path = whole] = /^(https?:\/\/[^/?#]+)([^?#]*)/i.exec(whole) ?? []
  if (origin === undefined && !sourceUrl) {
    const ask = 'Address of the server, such as https://crm.example.com'
    const question = { id: 'origin', ask, choices: [] }
    decisions.decide('connector', 'the document names no host: origin: https://HOST', question)
  }
  const base = path.replace(/\/+$/, '')
  return { origin: origin?.toLowerCase() ?? sourceUrl?.origin, base: /^(?:\/[^/\s?#]+)+$/.test(base) ? base : '' }
}

/** Variables of the address that the document gives one value are filled in; others are asked for at login. */
function withVariables(text: string, known: JsonObject, variables: JsonObject): string {
  return text.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const { default: usual, description, enum: listed } = objectOf(known[name])
    const values = Array.isArray(listed) ? listed : []
    const isFixed = values.length === 1 || /^(?:port|protocol|scheme|version|basepath)$/i.test(name)
    if (typeof usual === 'string' && (isFixed || /[./:]/.test(usual))) return usual
    const choices = values.length > 1 ? ` (${values.join(', ')})` : ''
    const [what = ''] = textIn(description).split(/[.:](?:\s|$)/)
    return askAtLogin(variables, name, `${what || name}${choices}`)
  })
}

function textIn(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

const UNUSABLE = 9

/** The lower the better for a command that keeps one key. */
function rankOf({ type, in: place, scheme }: JsonObject): number {
  if (type === 'apiKey') return place === 'header' ? 0 : place === 'query' ? 4 : UNUSABLE
  if (type === 'http') return /^bearer$/i.test(String(scheme)) ? 1 : 3
  return type === 'oauth2' || type === 'openIdConnect' ? 2 : UNUSABLE
}

type Carriers = Pick<DraftAccess, 'headers' | 'query'>

function authOf(finding: Finding, methods: readonly ApiMethod[], carriers: Carriers): JsonObject {
  const { api, decisions } = finding
  const schemes = objectOf(objectOf(api.document.components).securitySchemes)
  const read = (names: readonly string[]): readonly JsonObject[] =>
    names
      .map((name) => (Object.hasOwn(schemes, name) ? api.schemas.resolved(schemes[name]) : undefined))
      .filter((scheme) => scheme !== undefined)
  const used = methods.flatMap(({ security }) => security ?? api.document.security ?? [])
  const alternatives = used.map((each) => read(Object.keys(objectOf(each)))).filter((each) => each.length > 0)
  const all = alternatives.length > 0 ? alternatives : Object.keys(schemes).map((name) => read([name]))
  const rankAll = (each: readonly JsonObject[]) => Math.min(UNUSABLE, ...each.map(rankOf))
  const [best = []] = all.toSorted((one, other) => rankAll(one) - rankAll(other))
  const [main, ...others] = best.toSorted((one, other) => rankOf(one) - rankOf(other))
  if (!main || rankOf(main) === UNUSABLE) {
    decisions.decide('auth', 'the document does not say how a request carries the key; bearer is assumed')
    return { in: 'bearer' }
  }
  for (const scheme of others) addOther(scheme, finding, carriers)
  return authIn(main, finding)
}

/** A second credential, such as the id of an app, is asked for at login. */
function addOther({ type, name, in: at, description }: JsonObject, finding: Finding, carriers: Carriers): void {
  if (type !== 'apiKey' || typeof name !== 'string' || (at !== 'header' && at !== 'query')) return
  if (at === 'header' && isRefused(name)) return
  const [place, carrier] =
    at === 'query' ? (['query', carriers.query] as const) : (['headers', carriers.headers] as const)
  carrier[name] = askAtLogin(finding.variables, name, textIn(description))
  finding.decisions.decide(place, `a request also carries ${name}: is it a secret? Variables are not kept as secrets`)
}

const [USER, PASSWORD] = ['the key is the user, without a password', 'the key is the password of a user'] as const

function authIn(
  { type, name, in: place, scheme, description }: JsonObject,
  { decisions, variables }: Finding,
): JsonObject {
  if (type === 'apiKey' && typeof name === 'string') {
    const isAuthorization = place === 'header' && name.toLowerCase() === 'authorization'
    if (isAuthorization && /\bbearer\b/i.test(textIn(description))) return { in: 'bearer' }
    if (isAuthorization) decisions.decide('auth', 'the header Authorization is assumed to be the key alone: "{key}"')
    return { in: place === 'query' ? 'query' : 'header', name, value: '{key}' }
  }
  if (type !== 'http' || /^bearer$/i.test(String(scheme))) return { in: 'bearer' }
  decisions.decide('auth', `basic credentials: is the key the user, or its password? Assumed: ${PASSWORD}`, {
    id: 'auth',
    ask: 'Where is the key in the basic credentials?',
    choices: [USER, PASSWORD],
  })
  if (decisions.answer('auth') === USER) return { in: 'basic', user: '{key}', password: '' }
  return { in: 'basic', user: askAtLogin(variables, 'user', 'User of the basic credentials'), password: '{key}' }
}
