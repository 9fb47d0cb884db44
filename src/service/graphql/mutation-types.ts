import { OPEN_RESOURCES, type OpenResource, typeName } from '../../core/resources/registry.ts'
import { inputLines } from './members.ts'

/** The mutations of `/v1/graphql`, more than REST has. */
export const MUTATION_TYPES = `
"Run in order; a rejected one is null, and the others are done. Idempotency-Key works as in REST. ifVersion is If-Match: any other version is rejected."
type Mutation {
${OPEN_RESOURCES.map(plainMutations).join('\n')}
  createDeal(input: CreateDealInput!): DealPayload
  updateDeal(input: UpdateDealInput!): DealPayload
  "Also deletes its notes."
  deleteDeal(input: DeleteInput!): DeletePayload
  createNote(input: CreateNoteInput!): NotePayload
  deleteNote(input: DeleteInput!): DeletePayload
  createWebhook(input: CreateWebhookInput!): WebhookSecretPayload
  "Its secret is unchanged. Deliveries of a disabled one are given up."
  updateWebhook(input: UpdateWebhookInput!): WebhookPayload
  "Sends one webhook.test event to this webhook alone."
  testWebhook(input: TestWebhookInput!): TestWebhookPayload
  "Also deletes its deliveries and their log."
  deleteWebhook(input: DeleteInput!): DeletePayload
  rotateWebhookSecret(input: RotateWebhookSecretInput!): WebhookSecretPayload
  "Sends it again now, starting with the first attempt, whatever its state."
  resendDelivery(input: ResendDeliveryInput!): ResendDeliveryPayload
}

${OPEN_RESOURCES.map(plainInputs).join('')}input DeleteInput {
  id: ID!
  ifVersion: Int
}

"The default pipeline is used when none is given."
input CreateDealInput {
${inputLines('deal', 'creation')}
  json: JSON
}

"Members that are not given are unchanged; null removes one."
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

"events are kinds such as deal.created, or patterns such as contact.* and *."
input CreateWebhookInput {
${inputLines('webhook', 'creation')}
  json: JSON
}

input UpdateWebhookInput {
  id: ID!
  ifVersion: Int
${inputLines('webhook', 'change')}
  "enabled or disabled"
  status: String
  json: JSON
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

type DealPayload {
  deal: Deal!
}

type NotePayload {
  note: Note!
}

type WebhookPayload {
  webhook: Webhook!
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

function plainMutations(resource: OpenResource): string {
  const type = typeName(resource)
  return `  create${type}(input: Create${type}Input!): ${type}Payload
  update${type}(input: Update${type}Input!): ${type}Payload
  delete${type}(input: DeleteInput!): DeletePayload`
}

function plainInputs(resource: OpenResource): string {
  const type = typeName(resource)
  return `input Create${type}Input {
${inputLines(resource, 'creation')}
  "An object of further members, named as in REST."
  json: JSON
}

"Members that are not given are unchanged; null removes one."
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
