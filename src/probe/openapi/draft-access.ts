import { CrmError } from '../../core/errors.ts'
import { isCredentialHeader, isHeaderName, isHeaderValue, isTransportHeader } from '../../core/http-rules.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { ApiDescription, ApiMethod } from './api-description.ts'
import type { Decisions } from './decisions.ts'
import { askOf, variableName } from './path-parts.ts'

/** Where requests go and how they carry the key, in the grammar of connectors. */
export interface DraftAccess {
  readonly variables: JsonObject
  readonly origin: string | undefined
  readonly base: string
  readonly auth: JsonObject
  readonly headers: JsonObject
  readonly query: JsonObject
}

export function draftAccess(
  api: ApiDescription,
  methods: readonly ApiMethod[],
  { decisions, sourceUrl }: { readonly decisions: Decisions; readonly sourceUrl: URL | undefined },
): DraftAccess {
  const variables: JsonObject = {}
  const headers: JsonObject = {}
  const query: JsonObject = {}
  const address = addressIn(api, { decisions, sourceUrl, variables })
  const auth = authOf(api, methods, { decisions, variables, headers, query })
  addNeededHeaders(methods, { auth, variables, headers })
  const [accepted] = methods.flatMap(({ answerType }) => answerType ?? [])
  if (accepted !== undefined) headers.Accept = accepted
  return { variables, ...address, auth, headers, query }
}

/** Set by crm, or of single operations. */
const OWN_HEADERS = /^(?:authorization|content-type|accept|user-agent|if-match|idempotency-key|x-idempotency-key)$/i

/** The loader takes none of them in `headers`. */
function isRefused(name: string): boolean {
  return !isHeaderName(name) || isTransportHeader(name) || isCredentialHeader(name)
}

/** Headers that most operations need: constants, or asked for at login. */
function addNeededHeaders(
  methods: readonly ApiMethod[],
  {
    auth,
    variables,
    headers,
  }: { readonly auth: JsonObject; readonly variables: JsonObject; readonly headers: JsonObject },
): void {
  const needed = methods
    .flatMap(({ parameters }) => parameters)
    .filter((each) => each.in === 'header' && each.isRequired)
  const counts = Map.groupBy(needed, ({ name }) => name)
  for (const [name, [parameter, ...others]] of counts) {
    const isOwn = isRefused(name) || OWN_HEADERS.test(name) || Object.hasOwn(headers, name) || auth.name === name
    if (!parameter || isOwn || (others.length + 1) * 2 < methods.length) continue
    const constant =
      parameter.schema.default ?? (parameter.schema.values.length === 1 ? parameter.schema.values[0] : undefined)
    if ((typeof constant === 'string' && isHeaderValue(constant)) || typeof constant === 'number') {
      headers[name] = String(constant).replaceAll('{', '{{')
      continue
    }
    const variable = variableName(name)
    variables[variable] = { ask: askOf(name, parameter.description) }
    headers[name] = `{${variable}}`
  }
}

interface Server {
  readonly url: string
  readonly description: string
  readonly variables: JsonObject
}

const TRIALS = /sandbox|mock|staging|\bstage\b|\btest|\bdev\b|develop|localhost|127\.0\.0\.1|prism/i

function serversOf({ document: { servers } }: ApiDescription): readonly Server[] {
  const all = (Array.isArray(servers) ? servers : [])
    .filter(isJsonObject)
    .flatMap(({ url, description, variables }) => {
      if (typeof url !== 'string') return []
      const text = typeof description === 'string' ? description : ''
      return [{ url, description: text, variables: isJsonObject(variables) ? variables : {} }]
    })
  const real = all.filter(({ url, description }) => !TRIALS.test(`${url} ${description}`))
  return real.length > 0 ? real : all
}

interface Finding {
  readonly decisions: Decisions
  readonly variables: JsonObject
}

function addressIn(
  api: ApiDescription,
  { decisions, sourceUrl, variables }: Finding & { readonly sourceUrl: URL | undefined },
): Pick<DraftAccess, 'origin' | 'base'> {
  const servers = serversOf(api)
  const answer = decisions.answer('origin')
  const chosen = servers.find(({ url }) => url === answer) ?? servers[0]
  if (servers.length > 1 && chosen) {
    const choices = servers.map(({ url }) => url)
    const others = choices.filter((url) => url !== chosen.url).join(', ')
    decisions.decide(['origin'], `the document names several servers; the others are ${others}`, {
      id: 'origin',
      ask: 'Which server?',
      choices,
    })
  }
  if (answer !== undefined && !/^https?:\/\/[^/\s?#]+/i.test(answer)) {
    throw new CrmError('usage', `${JSON.stringify(answer)} is no address`, {
      hint: 'expected one such as https://crm.example.com',
    })
  }
  const text = answer ?? chosen?.url ?? '/'
  const whole = filled(text.startsWith('//') ? `https:${text}` : text, { server: chosen, variables })
  const [, origin, path = ''] = /^(https?:\/\/[^/?#]+)([^?#]*)/i.exec(whole) ?? []
  if (origin !== undefined) return { origin: origin.toLowerCase(), base: baseOf(path) }
  if (sourceUrl) return { origin: sourceUrl.origin, base: baseOf(whole) }
  decisions.decide(['connector'], 'the document names no host: origin: https://HOST', {
    id: 'origin',
    ask: 'Address of the server, such as https://crm.example.com',
    choices: [],
  })
  return { origin: undefined, base: baseOf(whole) }
}

/** Variables of the address that the document gives one value are filled in; others are asked for at login. */
function filled(
  text: string,
  { server, variables }: { readonly server: Server | undefined; readonly variables: JsonObject },
): string {
  return text.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const found = server?.variables[name]
    const variable = isJsonObject(found) ? found : {}
    const { default: usual, description } = variable
    const values = Array.isArray(variable.enum) ? variable.enum : []
    const isHost = typeof usual === 'string' && /[./:]/.test(usual)
    if (
      typeof usual === 'string' &&
      (isHost || values.length === 1 || /^(?:port|protocol|scheme|version|basepath)$/i.test(name))
    )
      return usual
    const own = variableName(name)
    const choices = values.length > 1 ? ` (${values.join(', ')})` : ''
    variables[own] = { ask: `${askOf(name, typeof description === 'string' ? description : '')}${choices}` }
    return `{${own}}`
  })
}

function baseOf(path: string): string {
  const base = path.replace(/\/+$/, '')
  return /^(?:\/[^/\s?#]+)+$/.test(base) ? base : ''
}

interface Scheme {
  readonly name: string
  readonly scheme: JsonObject
}

/** The lower the better for a command that keeps one key. */
function rankOf({ scheme }: Scheme): number {
  const { type, in: place } = scheme
  if (type === 'apiKey') return place === 'header' ? 0 : place === 'query' ? 4 : 9
  if (type === 'http') return String(scheme.scheme).toLowerCase() === 'bearer' ? 1 : 3
  return type === 'oauth2' || type === 'openIdConnect' ? 2 : 9
}

function authOf(
  api: ApiDescription,
  methods: readonly ApiMethod[],
  finding: Finding & Pick<DraftAccess, 'headers' | 'query'>,
): JsonObject {
  const { components } = api.document
  const schemes = isJsonObject(components) && isJsonObject(components.securitySchemes) ? components.securitySchemes : {}
  const read = (requirement: JsonValue): readonly Scheme[] =>
    (isJsonObject(requirement) ? Object.keys(requirement) : []).flatMap((name) => {
      const scheme = Object.hasOwn(schemes, name) ? api.schemas.resolved(schemes[name]) : undefined
      return scheme ? [{ name, scheme }] : []
    })
  const used = methods.flatMap(({ security }) => security ?? api.document.security ?? [])
  const alternatives = used
    .flat()
    .map((each) => read(each as JsonValue))
    .filter((each) => each.length > 0)
  const all = alternatives.length > 0 ? alternatives : Object.keys(schemes).map((name) => read({ [name]: [] }))
  const [best] = all.toSorted((one, other) => rankAll(one) - rankAll(other))
  if (!best || rankAll(best) >= 9) {
    finding.decisions.decide(['auth'], 'the document does not say how a request carries the key; bearer is assumed')
    return { in: 'bearer' }
  }
  const [main, ...others] = best.toSorted((one, other) => rankOf(one) - rankOf(other))
  for (const { scheme } of others) addOther(scheme, finding)
  return main ? authIn(main, finding) : { in: 'bearer' }
}

function rankAll(schemes: readonly Scheme[]): number {
  return Math.min(9, ...schemes.map(rankOf))
}

/** A second credential, such as the id of an app, is asked for at login. */
function addOther(
  scheme: JsonObject,
  { variables, headers, query, decisions }: Finding & Pick<DraftAccess, 'headers' | 'query'>,
): void {
  const { name, in: place, description } = scheme
  if (scheme.type !== 'apiKey' || typeof name !== 'string' || (place === 'header' && isRefused(name))) return
  if (place !== 'header' && place !== 'query') return
  const variable = variableName(name)
  variables[variable] = { ask: askOf(name, typeof description === 'string' ? description : '') }
  const carrier = place === 'header' ? headers : query
  carrier[name] = `{${variable}}`
  const at = place === 'header' ? 'headers' : 'query'
  decisions.decide([at], `a request also carries ${name}: is it a secret? Variables are not kept as secrets`)
}

function authIn({ scheme }: Scheme, { decisions, variables }: Finding): JsonObject {
  const { type, name, description } = scheme
  const text = typeof description === 'string' ? description : ''
  if (type === 'apiKey' && typeof name === 'string') {
    if (scheme.in === 'query') return { in: 'query', name, value: '{key}' }
    return headerAuth(name, text, decisions)
  }
  if (type !== 'http' || String(scheme.scheme).toLowerCase() === 'bearer') return { in: 'bearer' }
  const id = 'auth'
  const [userIsKey, both] = ['the key is the user, without a password', 'the key is the password of a user']
  const usual = /\b(?:key|token)\b[^.]{0,40}\busername|username\b[^.]{0,40}\b(?:api )?(?:key|token)/i.test(text)
    ? userIsKey
    : both
  decisions.decide(['auth'], `basic credentials: is the key the user, or its password? Assumed: ${usual}`, {
    id,
    ask: 'Where is the key in the basic credentials?',
    choices: [userIsKey, both],
  })
  if ((decisions.answer(id) ?? usual) === userIsKey) return { in: 'basic', user: '{key}', password: '' }
  variables.user = { ask: 'User of the basic credentials' }
  return { in: 'basic', user: '{user}', password: '{key}' }
}

function headerAuth(name: string, text: string, decisions: Decisions): JsonObject {
  if (name.toLowerCase() !== 'authorization') return { in: 'header', name, value: '{key}' }
  if (/\bbearer\b/i.test(text)) return { in: 'bearer' }
  const word = /["'`]?\b(Token(?: token=)?|ApiKey|Api-Key|Key|Zoho-oauthtoken|Basic)\s*["'`<{[]/.exec(text)?.[1]
  const value = word === undefined ? '{key}' : `${word}${word.endsWith('=') ? '' : ' '}{key}`
  decisions.decide(['auth'], `the header Authorization is assumed to be ${JSON.stringify(value)}`)
  return { in: 'header', name, value }
}
