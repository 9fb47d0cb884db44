/** What `/v1/graphql` speaks. Names follow GraphQL (`ownerId`), `json` is a record as REST has it (`owner_id`). */
export const SCHEMA_TEXT = `
"Any JSON value. Numbers keep their digits."
scalar JSON

"A JSON number with all its digits."
scalar Decimal

"An instant, RFC 3339."
scalar DateTime

interface Node {
  id: ID!
}

type PageInfo {
  hasNextPage: Boolean!
  "Always false: pages go one way, from the newest back."
  hasPreviousPage: Boolean!
  startCursor: String
  "The next_cursor of REST; null on an empty page."
  endCursor: String
}

type Query {
  "Anything that has an id; null when it is not there."
  node(id: ID!): Node
  contact(id: ID!): Contact
  deal(id: ID!): Deal
  note(id: ID!): Note
  pipeline(id: ID!): Pipeline
  webhook(id: ID!): Webhook
  "Newest first; first is 1 to 500, usually 50."
  contacts(first: Int, after: String): ContactConnection!
  deals(first: Int, after: String, filter: DealFilter): DealConnection!
  "The default pipeline first."
  pipelines(first: Int, after: String): PipelineConnection!
  webhooks(first: Int, after: String): WebhookConnection!
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

type Contact implements Node {
  id: ID!
  name: String
  email: String
  phone: String
  company: String
  ownerId: String
  createdAt: DateTime!
  updatedAt: DateTime!
  version: Int!
  "The whole record as REST has it, members of your own included."
  json: JSON!
}

type Deal implements Node {
  id: ID!
  name: String!
  amount: Decimal
  stage: String!
  ownerId: String
  pipelineId: ID!
  pipeline: Pipeline
  createdAt: DateTime!
  updatedAt: DateTime!
  version: Int!
  json: JSON!
  "Newest first."
  notes(first: Int, after: String): NoteConnection!
}

type Note implements Node {
  id: ID!
  dealId: ID!
  deal: Deal
  body: String!
  authorId: String
  createdAt: DateTime!
  updatedAt: DateTime!
  version: Int!
  json: JSON!
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
  id: ID!
  url: String!
  events: [String!]!
  description: String
  "enabled or disabled"
  status: String!
  createdAt: DateTime!
  updatedAt: DateTime!
  version: Int!
  "Without the secret, which is shown when it is made and never again."
  json: JSON!
  "What is under way, and what has ended for as long as the log keeps it; the newest event first."
  deliveries(first: Int, after: String): DeliveryConnection!
}

enum DeliveryState {
  "Behind an earlier event of the same record."
  WAITING
  PENDING
  SENDING
  SUCCEEDED
  FAILED
}

"One event on its way to one webhook."
type Delivery {
  "The webhook-id header of every try."
  eventId: ID!
  webhookId: ID!
  kind: String!
  recordId: ID!
  state: DeliveryState!
  attempts: Int!
  nextTryAt: DateTime
  lastTryAt: DateTime
  "Of the HTTP answer to the last try; null when there was none."
  lastStatus: Int
  lastError: String
}

type ContactConnection {
  edges: [ContactEdge!]!
  nodes: [Contact!]!
  pageInfo: PageInfo!
}

type ContactEdge {
  cursor: String!
  node: Contact!
}

type DealConnection {
  edges: [DealEdge!]!
  nodes: [Deal!]!
  pageInfo: PageInfo!
}

type DealEdge {
  cursor: String!
  node: Deal!
}

type NoteConnection {
  edges: [NoteEdge!]!
  nodes: [Note!]!
  pageInfo: PageInfo!
}

type NoteEdge {
  cursor: String!
  node: Note!
}

type PipelineConnection {
  edges: [PipelineEdge!]!
  nodes: [Pipeline!]!
  pageInfo: PageInfo!
}

type PipelineEdge {
  cursor: String!
  node: Pipeline!
}

type WebhookConnection {
  edges: [WebhookEdge!]!
  nodes: [Webhook!]!
  pageInfo: PageInfo!
}

type WebhookEdge {
  cursor: String!
  node: Webhook!
}

type DeliveryConnection {
  edges: [DeliveryEdge!]!
  nodes: [Delivery!]!
  pageInfo: PageInfo!
}

type DeliveryEdge {
  cursor: String!
  node: Delivery!
}

"Idempotency-Key works as for REST. ifVersion is If-Match: another version is refused."
type Mutation {
  createContact(input: CreateContactInput!): ContactPayload!
  updateContact(input: UpdateContactInput!): ContactPayload!
  deleteContact(input: DeleteInput!): DeletePayload!
  createDeal(input: CreateDealInput!): DealPayload!
  updateDeal(input: UpdateDealInput!): DealPayload!
  createNote(input: CreateNoteInput!): NotePayload!
  createWebhook(input: CreateWebhookInput!): WebhookSecretPayload!
  "Its deliveries and their log go with it."
  deleteWebhook(input: DeleteInput!): DeletePayload!
  rotateWebhookSecret(input: RotateWebhookSecretInput!): WebhookSecretPayload!
  "Tries it again now, from the first try on, whatever became of it."
  resendDelivery(input: ResendDeliveryInput!): ResendDeliveryPayload!
}

input CreateContactInput {
  name: String
  email: String
  phone: String
  company: String
  ownerId: String
  "An object of any further members, named as in REST."
  json: JSON
}

"What is left out stays; null removes it."
input UpdateContactInput {
  id: ID!
  ifVersion: Int
  name: String
  email: String
  phone: String
  company: String
  ownerId: String
  "A JSON merge patch (RFC 7396), named as in REST."
  json: JSON
}

input DeleteInput {
  id: ID!
  ifVersion: Int
}

input CreateDealInput {
  name: String!
  stage: String!
  amount: Decimal
  ownerId: String
  "Left out: the default pipeline."
  pipelineId: ID
  json: JSON
}

"What is left out stays; null removes it."
input UpdateDealInput {
  id: ID!
  ifVersion: Int
  name: String
  stage: String
  amount: Decimal
  ownerId: String
  pipelineId: ID
  json: JSON
}

input CreateNoteInput {
  dealId: ID!
  body: String!
  authorId: String
  json: JSON
}

input CreateWebhookInput {
  url: String!
  "Kinds such as deal.created, or patterns such as contact.* and *."
  events: [String!]!
  description: String
  json: JSON
}

input RotateWebhookSecretInput {
  id: ID!
  "How long the secret before it signs too; 0 to 604800, usually a day."
  overlapSeconds: Int
}

input ResendDeliveryInput {
  webhookId: ID!
  eventId: ID!
}

type ContactPayload {
  contact: Contact!
}

type DealPayload {
  deal: Deal!
}

type NotePayload {
  note: Note!
}

type WebhookSecretPayload {
  webhook: Webhook!
  "Shown in this answer and in its replays alone."
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
