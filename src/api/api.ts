import type { JsonObject } from '../core/json.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import type { CrmRecord, ListedResource, RESOURCES, Resource } from '../core/resources/registry.ts'
import type { GraphqlApi } from './graphql/graphql-api.ts'
import type { ConditionalOptions, DescribedMembers, Operations, StatedRate } from './operations.ts'
import type { RawApi } from './raw.ts'

type Collection<D extends ResourceDefinition> = D['operations'] extends readonly []
  ? never
  : D extends { readonly parent: string }
    ? (parentId: string) => Pick<Operations, D['operations'][number]>
    : Pick<Operations, D['operations'][number]>

type ByPlural<D extends Readonly<Record<string, ResourceDefinition>>> = {
  readonly [R in keyof D as D[R]['plural']]: Collection<D[R]>
}

/** The operations of the contract by the plural of the resource. Those of notes and stages take the id of a deal or pipeline. */
export type Collections = ByPlural<typeof RESOURCES>

/**
 * The nine documented endpoints, raw requests and GraphQL. Every method throws a CrmError for failures of the server or the network.
 * Lists fetch lazily, one page at a time, and stop when the consumer stops.
 */
export interface Api extends Collections {
  /** Over REST, or over GraphQL where the contract has no update of the resource. */
  update(resource: ListedResource, id: string, patch: JsonObject, options: ConditionalOptions): Promise<CrmRecord>
  /** Any other request to this server. */
  readonly raw: RawApi
  readonly graphql: GraphqlApi
  /** The members that the server documents for records of this resource; empty without documentation. */
  describedMembers(resource: Resource): Promise<DescribedMembers>
  /** The limit stated in the last answer; undefined if it states none, and before the first request. */
  rate(): StatedRate | undefined
  /** Ends idle connections, which otherwise keep the process alive until they time out. */
  close(): Promise<void>
}
