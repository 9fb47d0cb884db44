import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { openApiDocument, type ReadDocument } from '../openapi-document.ts'
import { CONTRACT_METHODS, contractPath } from './contract.ts'

/**
 * The operations beyond the contract that the OpenAPI document of a server names, such as `deals.delete`; undefined if the server has
 * no document, or does not answer.
 */
export async function describedOperations(read: ReadDocument): Promise<readonly string[] | undefined> {
  const document = await openApiDocument(read)
  return document ? operationsIn(document) : undefined
}

export function operationsIn(document: JsonObject): readonly string[] {
  const templates = Object.entries(isJsonObject(document.paths) ? document.paths : {}).map(([path, item]) => ({
    path: withoutNames(path),
    methods: isJsonObject(item) ? Object.keys(item) : [],
  }))
  return Object.entries<ResourceDefinition>(RESOURCES).flatMap(([name, { plural, serviceOperations = [] }]) =>
    serviceOperations
      .filter((operation) => {
        const asked = withoutNames(contractPath(name as Resource, operation))
        const method = CONTRACT_METHODS[operation].toLowerCase()
        return templates.some(({ path, methods }) => isPath(path, asked) && methods.includes(method))
      })
      .map((operation) => `${plural}.${operation}`),
  )
}

/** `/v1/deals/{dealId}` is `/v1/deals/{}`. */
function withoutNames(path: string): string {
  return path.replaceAll(/\{[^/]*\}/g, '{}')
}

/** A document may state `/v1` in the address of its server instead. */
function isPath(path: string, asked: string): boolean {
  return path === asked || path === asked.replace(/^\/v1(?=\/)/, '')
}
