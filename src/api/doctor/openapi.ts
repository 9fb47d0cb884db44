import { isJsonObject, type JsonValue, valueAt } from '../../core/json.ts'
import { operationsIn } from '../connectors/described-operations.ts'
import { oneLine } from '../errors/one-line.ts'
import { OPENAPI_PATHS, operationParameters, type Parameter } from '../openapi-document.ts'
import { addressOn } from '../pages/positions.ts'
import { readLinks } from '../pages/signs.ts'
import type { Finding } from './finding.ts'
import type { Probe } from './probe.ts'

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
  /** Operations beyond the contract, such as `deals.delete`. */
  readonly operations: readonly string[]
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
    const seen = `none found (tried ${asked.join(', ')})`
    return { check, state: 'ok', seen, found: { path: null }, proposals: [{ setting: 'operations', value: '' }] }
  }
  const { path, format, title, version, operations } = openapi
  const beyond = operations.length === 0 ? '' : `; beyond the contract: ${operations.join(', ')}`
  return {
    check,
    state: 'ok',
    seen: `${path}: ${format}, ${title} ${version}${beyond}`,
    found: { path, format, title, version, operations: [...operations] },
    proposals: [{ setting: 'operations', value: operations.join(',') || 'none' }],
  }
}

/** A path that the server states (`service-desc`, RFC 8631) is tried first. */
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
    list: operationParameters(json, contacts, 'get'),
    create: operationParameters(json, contacts, 'post'),
    operations: operationsIn(json),
  }
}
