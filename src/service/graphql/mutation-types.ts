import { PLAIN_RESOURCES, type PlainResource, typeName } from '../../core/resources/registry.ts'
import { inputLines } from './member-types.ts'

/** What `/v1/graphql` changes: what REST does, and more. */
export const MUTATION_TYPES = `
"Run in order; one that is refused is null, and the others are done. Idempotency-Key works as for REST. ifVersion is If-Match: another version is refused."
type Mutation {
${PLAIN_RESOURCES.map(plainMutations).join('\n')}
  createDeal(input: CreateDealInput!): DealPayload
  updateDeal(input: UpdateDealInput!): DealPayload
  createNote(input: CreateNoteInput!): NotePayload
  createWebhook(input: CreateWebhookInput!): WebhookSecretPayload
  "Its deliveries and their log go with it."
  deleteWebhook(input: DeleteInput!): DeletePayload
  rotateWebhookSecret(input: RotateWebhookSecretInput!): WebhookSecretPayload
  "Tries it again now, from the first try on, whatever became of it."
  resendDelivery(input: ResendDeliveryInput!): ResendDeliveryPayload
}

${PLAIN_RESOURCES.map(plainInputs).join('')}input DeleteInput {
  id: ID!
  ifVersion: Int
}

"Without a pipeline: in the default one."
input CreateDealInput {
${inputLines('deal', 'creation')}
  json: JSON
}

"What is left out stays; null removes it."
input UpdateDealInput {
  id: ID!
  ifVersion: Int
${inputLines('deal', 'change')}
  json: JSON
}

input CreateNoteInput {
${inputLines('note', 'creation')}
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

function plainMutations(resource: PlainResource): string {
  const type = typeName(resource)
  return `  create${type}(input: Create${type}Input!): ${type}Payload
  update${type}(input: Update${type}Input!): ${type}Payload
  delete${type}(input: DeleteInput!): DeletePayload`
}

function plainInputs(resource: PlainResource): string {
  const type = typeName(resource)
  return `input Create${type}Input {
${inputLines(resource, 'creation')}
  "An object of any further members, named as in REST."
  json: JSON
}

"What is left out stays; null removes it."
input Update${type}Input {
  id: ID!
  ifVersion: Int
${inputLines(resource, 'change')}
  "A JSON merge patch (RFC 7396), named as in REST."
  json: JSON
}

type ${type}Payload {
  ${resource}: ${type}!
}

`
}
