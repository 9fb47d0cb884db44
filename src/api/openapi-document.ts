import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../core/json.ts'

/** Below the path of the base URL. */
export const OPENAPI_PATHS = ['/v1/openapi.json', '/openapi.json', '/v1/swagger.json', '/swagger.json'] as const

/** Reads a JSON document of the server; undefined if there is none, null if the server does not answer. */
export type ReadDocument = (path: string) => Promise<JsonValue | undefined>

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly description: string
  readonly maximum: number | undefined
}

/** The first document at the usual paths; undefined if there is none, null if the server does not answer. */
export async function openApiDocument(read: ReadDocument): Promise<JsonObject | undefined | null> {
  for (const path of OPENAPI_PATHS) {
    const json = await read(path)
    if (json === null || (isJsonObject(json) && isJsonObject(json.paths))) return json
  }
  return undefined
}

/** The parameters of the operation and of its path. */
export function operationParameters(
  document: JsonObject,
  path: string | undefined,
  method: string,
): readonly Parameter[] {
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

interface Create {
  /** From `/v1` on. */
  readonly path: string
  readonly header: string
}

/** Whether the document has this header for a POST to this path. */
export function namesHeader(document: JsonObject, { path, header }: Create): boolean {
  const template = Object.keys(document.paths ?? {}).find((each) => isTemplateOf(each, path))
  const parameters = operationParameters(document, template, 'post')
  return parameters.some(({ name, in: place }) => place === 'header' && name.toLowerCase() === header.toLowerCase())
}

/** `/deals/{id}/notes`, `/v1/deals/{id}/notes` and `/api/v1/deals/{id}/notes` all match `/v1/deals/deal_1/notes`. */
function isTemplateOf(template: string, path: string): boolean {
  const expected = segmentsOf(path.replace(/^\/v1(?=\/)/, ''))
  const given = segmentsOf(template)
  const front = given.splice(0, given.length - expected.length)
  if (given.length !== expected.length || front.some((segment) => segment.startsWith('{'))) return false
  return given.every((segment, index) => segment.startsWith('{') || segment === expected[index])
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}
