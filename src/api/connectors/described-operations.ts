import { FIXTURE_RUNS_PATH } from '../../core/fixture-runs.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import {
  historyName,
  KEEPS_FIXTURES,
  LISTS_HISTORY,
  NAMES_JOBS,
  operationName,
  SHOWS_KEY,
} from '../../core/resources/described-names.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import {
  HISTORY_PATH,
  KEY_PATH,
  RECORD_RESOURCES,
  RESOURCES,
  type Resource,
  recordHistoryPath,
} from '../../core/resources/registry.ts'
import { namesHeader, openApiDocument, type ReadDocument } from '../openapi-document.ts'
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
  const has = (asked: string, method: string): boolean =>
    templates.some(({ path, methods }) => isPath(path, withoutNames(asked)) && methods.includes(method))
  const ofRecords = Object.entries<ResourceDefinition>(RESOURCES).flatMap(([name, { serviceOperations = [] }]) =>
    serviceOperations
      .filter((operation) => has(contractPath(name as Resource, operation), CONTRACT_METHODS[operation].toLowerCase()))
      .map((operation) => operationName(name as Resource, operation)),
  )
  const ofHistory = RECORD_RESOURCES.filter((name) => has(recordHistoryPath(name), 'get'))
  return [
    ...ofRecords,
    ...ofHistory.map(historyName),
    ...(has(HISTORY_PATH, 'get') ? [LISTS_HISTORY] : []),
    ...(has(KEY_PATH, 'get') ? [SHOWS_KEY] : []),
    ...(has(`${FIXTURE_RUNS_PATH}/{id}/lock`, 'post') ? [KEEPS_FIXTURES] : []),
    ...(namesHeader(document, { path: RESOURCES.contact.path, header: JOB_HEADER }) ? [NAMES_JOBS] : []),
  ]
}

/** The header with the name of the job that sends a change. */
export const JOB_HEADER = 'Crm-Job'

/** `/v1/deals/{dealId}` is `/v1/deals/{}`. */
function withoutNames(path: string): string {
  return path.replaceAll(/\{[^/]*\}/g, '{}')
}

/** A document may state `/v1` in the address of its server instead. */
function isPath(path: string, asked: string): boolean {
  return path === asked || path === asked.replace(/^\/v1(?=\/)/, '')
}
