import {
  filterFields,
  filtersOf,
  OPEN_RESOURCES,
  type OpenResource,
  RECORD_RESOURCES,
  RESOURCES,
  STORED_RESOURCES,
  typeName,
} from '../../core/resources/registry.ts'
import { graphqlFieldName, memberLines } from './members.ts'

const NODES = ['Pipeline', 'Delivery', 'Change', ...STORED_RESOURCES.map(typeName)]

const HISTORY_LINES = `  "Its changes, newest first."
  history(first: Int, after: String): ChangeConnection!`

/** The queries of `/v1/graphql`. Names follow GraphQL (`ownerId`); `json` is the record of REST (`owner_id`). */
export const QUERY_TYPES = `
"Any JSON value. Numbers keep their digits."
scalar JSON

"A JSON number of any size and precision. It keeps its digits."
scalar Decimal

"An instant, RFC 3339."
scalar DateTime

interface Node {
  id: ID!
}

type PageInfo {
  hasNextPage: Boolean!
  "Always false: pages go only from newest to oldest."
  hasPreviousPage: Boolean!
  startCursor: String
  "The next_cursor of REST; null on an empty page."
  endCursor: String
}

type Query {
  "Any record by id; null when it does not exist."
  node(id: ID!): Node
${STORED_RESOURCES.map((resource) => `  ${resource}(id: ID!): ${typeName(resource)}`).join('\n')}
  pipeline(id: ID!): Pipeline
  "Lists are newest first; first is 1 to 500, 50 by default."
${OPEN_RESOURCES.map(listLine).join('\n')}
  deals(first: Int, after: String, filter: DealFilter): DealConnection!
  "The default pipeline first."
  pipelines(first: Int, after: String): PipelineConnection!
  webhooks(first: Int, after: String): WebhookConnection!
  "The changes of all records."
  history(first: Int, after: String, filter: HistoryFilter): ChangeConnection!
}

"The filters of REST, combined."
input HistoryFilter {
  since: DateTime
  until: DateTime
  "The id or the name of a key."
  madeBy: String
  "As the client named it in Crm-Job."
  job: String
  resource: RecordResource
}

enum RecordResource {
${RECORD_RESOURCES.map((resource) => `  ${resource.toUpperCase()}`).join('\n')}
}

"The filters of REST: values of one list are alternatives, members are combined."
input DealFilter {
  stage: [String!]
  ownerId: [String!]
  pipelineId: [String!]
  name: [String!]
  amountGte: Decimal
  amountLte: Decimal
  createdSince: DateTime
  createdUntil: DateTime
}

${OPEN_RESOURCES.map(filterType).join('')}${OPEN_RESOURCES.map(plainType).join('')}type Deal implements Node {
${memberLines('deal')}
  pipeline: Pipeline
  json: JSON!
${HISTORY_LINES}
  "Newest first."
  notes(first: Int, after: String): NoteConnection!
}

type Note implements Node {
${memberLines('note')}
  deal: Deal
  json: JSON!
${HISTORY_LINES}
}

type Pipeline implements Node {
  id: ID!
  name: String!
  "By position."
  stages: [Stage!]!
}

type Stage {
  id: ID!
  name: String!
  position: Int!
  probability: Float
}

type Webhook implements Node {
${memberLines('webhook')}
  "enabled or disabled"
  status: String!
  "Without the secret, which is shown only once, on creation."
  json: JSON!
  "Open deliveries, and ended ones while the log keeps them; newest event first."
  deliveries(first: Int, after: String): DeliveryConnection!
}

enum DeliveryState {
  "Waits for an earlier event of the same record."
  WAITING
  PENDING
  SENDING
  SUCCEEDED
  FAILED
}

"One event on its way to one webhook."
type Delivery {
  "The webhook-id header of every attempt."
  eventId: ID!
  webhookId: ID!
  kind: String!
  recordId: ID!
  state: DeliveryState!
  attempts: Int!
  nextTryAt: DateTime
  lastTryAt: DateTime
  "The HTTP status of the last attempt; null without a response."
  lastStatus: Int
  lastError: String
}

enum ChangeAction {
  CREATED
  UPDATED
  DELETED
}

"One change of a record. When the record is deleted, its values are erased from all its changes."
type Change {
  id: ID!
  at: DateTime!
  resource: RecordResource!
  recordId: ID!
  action: ChangeAction!
  "Of the record after the change, or as it was deleted."
  version: Int!
  "When it was changed before."
  previousAt: DateTime
  "The changed members, as in REST; empty for a deletion."
  fields: [String!]!
  "Their values before, by the names of REST; null for a new record."
  old: JSON
  "Their values after."
  new: JSON
  keyId: ID
  keyName: String
  job: String
  requestId: String
  isErased: Boolean!
}

${NODES.map(connectionTypes).join('')}`

function listLine(resource: OpenResource): string {
  const filter = filtersOf(resource).length === 0 ? '' : `, filter: ${typeName(resource)}Filter`
  return `  ${RESOURCES[resource].plural}(first: Int, after: String${filter}): ${typeName(resource)}Connection!`
}

function filterType(resource: OpenResource): string {
  const filters = filtersOf(resource)
  if (filters.length === 0) return ''
  const fields = filterFields(resource)
  const lines = filters.map(
    (name) => `  ${graphqlFieldName(name)}: ${fields.includes(name) ? '[String!]' : 'DateTime'}`,
  )
  return `"As DealFilter. Texts are compared without regard to case and surrounding blanks, ids exactly."
input ${typeName(resource)}Filter {
${lines.join('\n')}
}

`
}

function plainType(resource: OpenResource): string {
  return `type ${typeName(resource)} implements Node {
${memberLines(resource)}
  "The whole record as in REST, with custom members."
  json: JSON!
${HISTORY_LINES}
}

`
}

/** A paged list as in https://relay.dev/graphql/connections.htm, with `nodes` for clients that need no cursor per record. */
function connectionTypes(node: string): string {
  return `
type ${node}Connection {
  edges: [${node}Edge!]!
  nodes: [${node}!]!
  pageInfo: PageInfo!
}

type ${node}Edge {
  cursor: String!
  node: ${node}!
}
`
}
