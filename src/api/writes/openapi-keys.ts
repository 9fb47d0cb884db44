import type { JsonObject } from '../../core/json.ts'
import { openApiDocument, parametersOf } from '../doctor/openapi.ts'
import type { ReadDocument } from './key-keeping.ts'

interface Create {
  /** From `/v1` on. */
  readonly path: string
  /** The name of the header with the key. */
  readonly header: string
}

/** Whether the OpenAPI document has this header for a POST to this path; undefined if the server does not answer. */
export async function documentNamesKey(read: ReadDocument, create: Create): Promise<boolean | undefined> {
  const document = await openApiDocument(read)
  return document === null ? undefined : document !== undefined && namesKey(document, create)
}

function namesKey(document: JsonObject, { path, header }: Create): boolean {
  const template = Object.keys(document.paths ?? {}).find((each) => isTemplateOf(each, path))
  const parameters = parametersOf(document, template, 'post')
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
