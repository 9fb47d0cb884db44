import { type Field, type FieldType, KEPT_BY_SERVER } from '../../core/resources/field.ts'
import {
  filterFields,
  filtersOf,
  RECORD_RESOURCES,
  RESOURCES,
  type Resource,
  STORED_RESOURCES,
  type StoredResource,
  serviceOperationsOf,
  typeName,
  writableFields,
} from '../../core/resources/registry.ts'

const TYPES: Readonly<Partial<Record<FieldType, string>>> = {
  reference: 'String',
  text: 'String',
  texts: '[String!]',
  number: 'Decimal',
  // A GraphQL Int has 32 bits, which suffices for a version. Decimal has no limit; the rules of the resource refuse a fraction.
  integer: 'Decimal',
  boolean: 'Boolean',
  date: 'String',
  time: 'DateTime',
}

/** The members of an object type, one line each: `  ownerId: String`. */
function memberLines(resource: Resource): string {
  const own = writableFields(resource).map(([name, field]) => line(name, field, isAlwaysPresent(name, field)))
  const kept = Object.entries<Field>(KEPT_BY_SERVER).map(([name, field]) => line(name, field, true))
  return ['  id: ID!', ...own, ...kept].join('\n')
}

/** The members of an input type; those of a change are optional. */
function inputLines(resource: Resource, kind: 'creation' | 'change'): string {
  return writableFields(resource)
    .map(([name, field]) => line(name, field, kind === 'creation' && field.isRequired === true))
    .join('\n')
}

/** A deal created without a pipeline gets the default one. */
function isAlwaysPresent(name: string, { isRequired }: Field): boolean {
  return isRequired === true || name === 'pipeline_id'
}

function line(name: string, field: Field, isRequired: boolean): string {
  const graphqlType = graphqlTypeOf(name, field)
  if (graphqlType === undefined) throw new Error(`${name} is of type ${field.type}, which has no GraphQL type`)
  return `  ${graphqlFieldName(name)}: ${graphqlType}${isRequired ? '!' : ''}`
}

function graphqlTypeOf(name: string, { type, isReadOnly, to }: Field): string | undefined {
  // Ids of users are plain text, as the service has no users.
  if (type === 'reference' && (to !== undefined || Object.hasOwn(RESOURCES, name.replace(/_id$/, '')))) return 'ID'
  return type === 'integer' && isReadOnly ? 'Int' : TYPES[type]
}

/** `owner_id` becomes `ownerId`, and the filter `amount[gte]` `amountGte`. */
export function graphqlFieldName(member: string): string {
  return member.replace(/[_[]([a-z0-9]+)\]?/g, (_, word: string) => word.slice(0, 1).toUpperCase() + word.slice(1))
}

/** `ownerId` is `owner_id` in REST and in the database. */
export function memberName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const HISTORY = `  "Its changes, newest first."
  history(first: Int, after: String): ChangeConnection!
`

/** What a type has besides its members and `json`. */
const FIELDS: Readonly<Record<string, string>> = {
  deal: `  pipeline: Pipeline
  "Newest first."
  notes(first: Int, after: String): NoteConnection!
`,
  note: `  deal: Deal
`,
  webhook: `  "enabled or disabled"
  status: String!
  "Open deliveries, and ended ones while the log keeps them; newest event first."
  deliveries(first: Int, after: String): DeliveryConnection!
`,
}

/** The descriptions of types and mutations that differ from those of other resources. */
const TEXTS: Readonly<Record<string, string>> = {
  deleteDeal: 'Also deletes its notes.',
  CreateDealInput: 'The default pipeline is used when none is given.',
  DealFilter: 'The filters of REST: values of one list are alternatives, members are combined.',
  CreateWebhookInput: 'events are kinds such as deal.created, or patterns such as contact.* and *.',
  updateWebhook: 'Its secret is unchanged. Deliveries of a disabled one are given up.',
  deleteWebhook: 'Also deletes its deliveries and their log.',
}

const LISTS = STORED_RESOURCES.filter((resource) => !('parent' in RESOURCES[resource]))

/** The queries of `/v1/graphql`. Names follow GraphQL (`ownerId`); `json` is the record of REST (`owner_id`). */
export const SCHEMA_TEXT = `
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
${LISTS.map(listLine).join('\n')}
  "The default pipeline first."
  pipelines(first: Int, after: String): PipelineConnection!
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

${STORED_RESOURCES.map(recordTypes).join('')}type Pipeline implements Node {
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

${['Pipeline', 'Delivery', 'Change', ...STORED_RESOURCES.map(typeName)].map(connectionTypes).join('')}
"Run in order; a rejected one is null, and the others are done. Idempotency-Key works as in REST. ifVersion is If-Match: any other version is rejected."
type Mutation {
${STORED_RESOURCES.map(mutations).join('')}  "Sends one webhook.test event to this webhook alone."
  testWebhook(input: TestWebhookInput!): TestWebhookPayload
  rotateWebhookSecret(input: RotateWebhookSecretInput!): WebhookSecretPayload
  "Sends it again now, starting with the first attempt, whatever its state."
  resendDelivery(input: ResendDeliveryInput!): ResendDeliveryPayload
}

input DeleteInput {
  id: ID!
  ifVersion: Int
}

input TestWebhookInput {
  id: ID!
}

input RotateWebhookSecretInput {
  id: ID!
  "How long the previous secret also signs; 0 to 604800, a day by default."
  overlapSeconds: Int
}

input ResendDeliveryInput {
  webhookId: ID!
  eventId: ID!
}

type TestWebhookPayload {
  webhookId: ID!
  eventId: ID!
}

type WebhookSecretPayload {
  webhook: Webhook!
  "Shown only in this response and its replays."
  secret: String!
}

type DeletePayload {
  deletedId: ID!
}

type ResendDeliveryPayload {
  webhook: Webhook!
  eventId: ID!
}
`

function said(name: string, indent = ''): string {
  return TEXTS[name] === undefined ? '' : `${indent}"${TEXTS[name]}"\n`
}

function listLine(resource: StoredResource): string {
  const filter = filtersOf(resource).length === 0 ? '' : `, filter: ${typeName(resource)}Filter`
  return `  ${RESOURCES[resource].plural}(first: Int, after: String${filter}): ${typeName(resource)}Connection!`
}

function filterType(resource: StoredResource): string {
  const filters = filtersOf(resource)
  if (filters.length === 0) return ''
  const fields = filterFields(resource)
  const typeOf = (name: string) => (fields.includes(name) ? '[String!]' : name.includes('[') ? 'Decimal' : 'DateTime')
  const text =
    said(`${typeName(resource)}Filter`) ||
    '"As DealFilter. Texts are compared without regard to case and surrounding blanks, ids exactly."\n'
  return `${text}input ${typeName(resource)}Filter {
${filters.map((name) => `  ${graphqlFieldName(name)}: ${typeOf(name)}`).join('\n')}
}

`
}

/** The types of a resource: its filter, the record, what makes and what changes one, and what these return. */
function recordTypes(resource: StoredResource): string {
  const type = typeName(resource)
  const isWebhook = resource === 'webhook'
  const json = isWebhook
    ? 'Without the secret, which is shown only once, on creation.'
    : 'The whole record as in REST, with custom members.'
  const change = `"Members that are not given are unchanged; null removes one."
input Update${type}Input {
  id: ID!
  ifVersion: Int
${inputLines(resource, 'change')}
${isWebhook ? '  "enabled or disabled"\n  status: String\n' : ''}  "A JSON merge patch (RFC 7396), named as in REST."
  json: JSON
}

`
  return `${filterType(resource)}type ${type} implements Node {
${memberLines(resource)}
${FIELDS[resource] ?? ''}  "${json}"
  json: JSON!
${isWebhook ? '' : HISTORY}}

${said(`Create${type}Input`)}input Create${type}Input {
${inputLines(resource, 'creation')}
  "An object of further members, named as in REST."
  json: JSON
}

${canChange(resource) ? change : ''}type ${type}Payload {
  ${resource}: ${type}!
}

`
}

function canChange(resource: StoredResource): boolean {
  return serviceOperationsOf<Resource>(resource).includes('update')
}

function mutations(resource: StoredResource): string {
  const type = typeName(resource)
  const made = resource === 'webhook' ? 'WebhookSecretPayload' : `${type}Payload`
  const change = `${said(`update${type}`, '  ')}  update${type}(input: Update${type}Input!): ${type}Payload\n`
  return `  create${type}(input: Create${type}Input!): ${made}
${canChange(resource) ? change : ''}${said(`delete${type}`, '  ')}  delete${type}(input: DeleteInput!): DeletePayload
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
