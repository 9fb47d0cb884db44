import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { ConnectorDocument } from './document.ts'
import type { createRecordMap } from './record-map.ts'
import type { ConnectorPlace } from './requests.ts'
import { createResourceRules, lacks, type OperationName, type ResourceRules } from './resource-rules.ts'
import { type Credentials, compileCredentials, createErrorRules, type ErrorRules } from './server-rules.ts'

/** Whether the server has an operation, as its connector says. */
export type Offers = (resource: Resource, operation: OperationName) => boolean

/** A connector compiled for the address of one server. */
export interface Connector {
  readonly name: string
  /** What `crm connectors show` finds it by: its name or its file. */
  readonly word: string
  /** Undefined: recognised alone, as without a connector. */
  readonly errors: ErrorRules | undefined
  readonly document: ConnectorDocument
  /** Replaces the document by one that offers more. */
  adopt(document: ConnectorDocument): void
  credentials(key: string): Credentials
  readonly offers: Offers
  /** Whether one list has all records of a resource, and not a list for each parent. */
  hasOneList(resource: Resource): boolean
  /** Whether the server itself creates or changes the record that has a value in this field. */
  upserts(resource: Resource, field: string): boolean
  /** CrmError `not_supported` if the server has nothing of this resource. */
  rules(resource: Resource): ResourceRules
  /** Whether the server restores a record that was deleted this long ago, under its id. */
  restores(resource: Resource, sinceMs: number): boolean
  /** From now on records of every resource show these members, of servers that show only what they are asked for. */
  ask(names: readonly string[]): void
}

/** `mapRecords` translates records; without it, as for the contract, they are the server's own. */
export function createConnector(
  given: ConnectorDocument,
  place: ConnectorPlace,
  mapRecords?: typeof createRecordMap,
): Connector {
  let document = given
  const byResource = new Map<Resource, ResourceRules>()
  const rules = (resource: Resource): ResourceRules => {
    const known = byResource.get(resource)
    if (known) return known
    const described = document.resources[resource]
    if (!described) throw lacks(document, RESOURCES[resource].plural, place)
    const made = createResourceRules(resource, described, { document, place, mapRecords })
    byResource.set(resource, made)
    return made
  }
  return {
    name: given.name,
    word: place.word ?? given.name,
    get document() {
      return document
    },
    adopt: (other) => {
      document = other
      byResource.clear()
    },
    errors: createErrorRules(given),
    credentials: compileCredentials(given, place.variables),
    offers: (resource, operation) => document.resources[resource]?.[operation] !== undefined,
    hasOneList: (resource) => {
      const described = document.resources[resource]
      return described?.list !== undefined && described.parent === undefined
    },
    upserts: (resource, field) => {
      const { upsert = {}, batch = {} } = document.resources[resource] ?? {}
      return Object.hasOwn(upsert, field) || Object.hasOwn(batch.upsert?.by ?? {}, field)
    },
    rules,
    restores: (resource, sinceMs) => {
      const { restore, delete: removal } = document.resources[resource] ?? {}
      return restore !== undefined && sinceMs < (removal?.restorableMs ?? Number.POSITIVE_INFINITY)
    },
    ask: (names) => {
      for (const [resource, { select }] of Object.entries(document.resources)) {
        if (select) rules(resource as Resource).selection.ask(names)
      }
    },
  }
}
