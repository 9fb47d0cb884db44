import type { ServerOffer } from '../connector/document.ts'
import type { Asked } from '../core/asked-members.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import type { GivenParent } from '../core/resources/parents.ts'
import type { RESOURCES, Resource } from '../core/resources/registry.ts'
import type { Connector } from './connectors/connector.ts'
import type { ListedName } from './connectors/listed-names.ts'
import type { ListedReferences } from './connectors/references.ts'
import type { OperationName } from './connectors/resource-rules.ts'
import type { GraphqlAnswer, GraphqlRequest } from './graphql.ts'
import type { HistoryApi } from './history.ts'
import type { KeyReader } from './keyed-reads.ts'
import type { Ceilings } from './limits/ceiling.ts'
import type { LinkTypes } from './links/read-links.ts'
import type { Operations, StatedRate } from './operations.ts'
import type { RawApi } from './raw.ts'
import type { ServerKey } from './server-key.ts'
import type { ServerTerms } from './server-terms.ts'
import type { Subscriptions } from './subscriptions.ts'

type Collection<D extends ResourceDefinition> = D extends { readonly parent: string }
  ? (on?: GivenParent) => Operations
  : Operations

type ByPlural<D extends Readonly<Record<string, ResourceDefinition>>> = {
  readonly [R in keyof D as D[R]['plural']]: Collection<D[R]>
}

/**
 * The operations by the plural of the resource. Those of notes and stages take the id of a deal or pipeline, or
 * a record of another kind. CrmError
 * `not_supported` for an operation that the server lacks.
 */
export type Collections = ByPlural<typeof RESOURCES>

export interface KnownMembers {
  readonly names: readonly string[]
  /** The name of a member by its label, as people type it; undefined for none, and where several have it. */
  labelled(label: string): string | undefined
}

/**
 * The endpoints of the connector, raw requests and GraphQL. Every method throws a CrmError for failures of the server or the network.
 * Lists fetch lazily, one page at a time, and stop when the consumer stops.
 */
export interface Api extends Collections {
  readonly connector: Connector
  /** The limits that the connector states. */
  readonly ceilings: Ceilings
  /** What the connector says of the server. */
  readonly terms: ServerTerms
  /** Names of stages and other records that fields refer to. */
  readonly references: ListedReferences
  /** Any other request to this server. */
  readonly raw: RawApi
  /** What subscriptions have beside their records. */
  readonly subscriptions: Subscriptions
  /** Errors in the answer are returned, not thrown. CrmError `not_supported` if the connector names no GraphQL. */
  graphql(request: GraphqlRequest): Promise<GraphqlAnswer>
  /** Whether the server has this beside records, as the connector says. */
  knows(offered: ServerOffer): boolean
  readonly history: HistoryApi
  /** What the server states about the key in use. */
  readKey(): Promise<ServerKey>
  /** CrmError `not_supported` if the server does not have an operation. */
  require(resource: Resource, operation: OperationName): void
  /** Undefined if the server cannot be asked for records by this field. */
  keyReader(resource: Resource, field: string): Promise<KeyReader | undefined>
  /** The members that the connector lets the server list, read at most once; undefined if it lists none. */
  listedNames(resource: Resource): Promise<readonly ListedName[] | undefined>
  /**
   * From now on records show every member that can be written; returns those that they still lack. Undefined: none, as on a
   * server that shows every member.
   */
  askAll(resource: Resource): Promise<Asked['unasked']>
  /** The members that the server lists for records of this resource, else those that the connector maps. */
  knownMembers(resource: Resource): Promise<KnownMembers>
  /** The types of links in a field, by label. */
  linkTypes(resource: Resource, field: string): Promise<LinkTypes | undefined>
  /** The limit stated in the last answer, else by the connector; undefined if neither states one. */
  rate(): StatedRate | undefined
  /** Ends idle connections, which otherwise keep the process alive until they time out. */
  close(): Promise<void>
}
