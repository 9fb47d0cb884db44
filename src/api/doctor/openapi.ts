import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../core/json.ts'
import { oneLine } from '../errors/one-line.ts'
import { addressOn } from '../pages/positions.ts'
import { readLinks } from '../pages/signs.ts'
import type { ReadDocument } from '../writes/key-keeping.ts'
import type { Finding } from './finding.ts'
import type { Probe } from './probe.ts'

/** Below the path of the base URL; a path that the server states (`service-desc`, RFC 8631) is tried first. */
export const OPENAPI_PATHS = ['/v1/openapi.json', '/openapi.json', '/v1/swagger.json', '/swagger.json'] as const

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly description: string
  readonly maximum: number | undefined
}

/** The parts of an OpenAPI document that crm uses. */
export interface OpenApi {
  readonly path: string
  /** `OpenAPI 3.1.0` or `Swagger 2.0`. */
  readonly format: string
  readonly title: string
  /** The version of the described API. */
  readonly version: string
  /** The parameters of the list of contacts. */
  readonly list: readonly Parameter[]
  /** The parameters for creating a contact. */
  readonly create: readonly Parameter[]
  readonly graphqlPath: string | undefined
}

export async function findOpenApi(probe: Probe): Promise<OpenApi | undefined> {
  for (const address of addressesOf(probe)) {
    const settled = await probe.ask({
      path: address,
      address,
      action: 'read the OpenAPI document',
      command: 'crm doctor',
    })
    if (probe.outage()) return undefined
    const found = 'answer' in settled ? readOpenApi(settled.answer.json, address) : undefined
    if (found) return found
  }
  return undefined
}

export function openApiFinding(openapi: OpenApi | undefined, probe: Probe): Finding {
  const check = 'openapi'
  if (!openapi) {
    const asked = addressesOf(probe)
    return { check, state: 'ok', seen: `none found (tried ${asked.join(', ')})`, found: { path: null } }
  }
  const { path, format, title, version } = openapi
  return {
    check,
    state: 'ok',
    seen: `${path}: ${format}, ${title} ${version}`,
    found: { path, format, title, version },
  }
}

/** The first document at the usual paths; undefined if there is none, null if the server does not answer. */
export async function openApiDocument(read: ReadDocument): Promise<JsonObject | undefined | null> {
  for (const path of OPENAPI_PATHS) {
    const json = await read(path)
    if (json === null || (isJsonObject(json) && isJsonObject(json.paths))) return json
  }
  return undefined
}

function addressesOf({ options: { baseUrl }, samples }: Probe): readonly string[] {
  const prefix = baseUrl.pathname.replace(/\/+$/, '')
  const links = samples.map(({ headers }) => readLinks(headers.link).get('service-desc'))
  const named = links.flatMap((link) =>
    link === undefined ? [] : (addressOn(baseUrl.origin, link, baseUrl.href) ?? []),
  )
  return [...new Set([...named, ...OPENAPI_PATHS.map((path) => prefix + path)])]
}

export function readOpenApi(json: JsonValue | undefined, path: string): OpenApi | undefined {
  if (!isJsonObject(json) || !isJsonObject(json.paths)) return undefined
  const format =
    typeof json.openapi === 'string'
      ? `OpenAPI ${json.openapi}`
      : typeof json.swagger === 'string' && `Swagger ${json.swagger}`
  if (!format) return undefined
  const paths = Object.keys(json.paths)
  const contacts = paths.find((key) => /(?:^|\/)contacts\/?$/i.test(key))
  const text = (place: readonly string[]) => oneLine(String(valueAt(json, place) ?? ''), 60)
  return {
    path,
    format: oneLine(format, 60),
    title: text(['info', 'title']),
    version: text(['info', 'version']),
    list: parametersOf(json, contacts, 'get'),
    create: parametersOf(json, contacts, 'post'),
    graphqlPath: paths.find((key) => /^\/[\w./-]*graphql$/i.test(key)),
  }
}

/** The parameters of the operation and of its path. */
export function parametersOf(document: JsonObject, path: string | undefined, method: string): readonly Parameter[] {
  if (path === undefined) return []
  const lists = [
    valueAt(document, ['paths', path, 'parameters']),
    valueAt(document, ['paths', path, method, 'parameters']),
  ]
  return lists.flatMap((list) => (Array.isArray(list) ? list : [])).flatMap((entry) => parameterOf(document, entry))
}

function parameterOf(document: JsonObject, entry: JsonValue): readonly Parameter[] {
  const parameter = isJsonObject(entry) && typeof entry.$ref === 'string' ? pointedAt(document, entry.$ref) : entry
  if (!isJsonObject(parameter) || typeof parameter.name !== 'string' || typeof parameter.in !== 'string') return []
  // Swagger 2 has no `schema` member.
  const maximum = valueAt(parameter, ['schema', 'maximum']) ?? parameter.maximum
  return [
    {
      name: parameter.name,
      in: parameter.in,
      description: typeof parameter.description === 'string' ? parameter.description : '',
      maximum: typeof maximum === 'number' ? maximum : undefined,
    },
  ]
}

/** Within the document alone (RFC 6901, as a fragment). */
export function pointedAt(document: JsonObject, pointer: string): JsonValue | undefined {
  if (!pointer.startsWith('#/')) return undefined
  const names = pointer.slice(2).split('/')
  return valueAt(
    document,
    names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
  )
}
