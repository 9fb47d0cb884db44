import { CONTACTS_PATH } from '../contact-changes.ts'
import { DEALS_PATH } from '../deal-changes.ts'
import { DEAL_FILTER_PARAMETERS } from '../deal-filters.ts'
import { WEBHOOKS_PATH } from '../webhook-creation.ts'
import { EXAMPLE_IDS } from './examples.ts'
import { ALWAYS, answer, BODY_PROBLEMS, body, headerRefs, page, problems, USUAL_PROBLEMS } from './operations.ts'
import { idOf, type Part, refs } from './parameters.ts'

const CREATED = ['Location', 'ETag', 'Idempotent-Replayed']

/** The nine operations on records. */
export const RECORD_PATHS: Readonly<Record<string, Part>> = {
  [CONTACTS_PATH]: {
    get: {
      operationId: 'listContacts',
      tags: ['contacts'],
      summary: 'List contacts',
      description: 'Newest first, in pages.',
      parameters: refs('limit', 'cursor'),
      responses: { 200: page('A page of contacts.', 'Contact'), ...problems(...USUAL_PROBLEMS) },
    },
    post: {
      operationId: 'createContact',
      tags: ['contacts'],
      summary: 'Create a contact',
      description: 'An object with at least one member, at most 64 KiB; members of your own are kept as they are sent.',
      parameters: refs('idempotencyKey'),
      requestBody: body('NewContact'),
      responses: { 201: answer('The contact.', 'Contact', ...CREATED), ...problems(...BODY_PROBLEMS) },
    },
  },
  [`${CONTACTS_PATH}/{id}`]: {
    parameters: [idOf('contact', EXAMPLE_IDS.contact)],
    patch: {
      operationId: 'updateContact',
      tags: ['contacts'],
      summary: 'Change a contact',
      description: 'A JSON merge patch (RFC 7396): null removes a member.',
      parameters: refs('ifMatch', 'idempotencyKey'),
      requestBody: body('ContactPatch', ['application/json', 'application/merge-patch+json']),
      responses: {
        200: answer('The contact as it is now.', 'Contact', 'ETag', 'Idempotent-Replayed'),
        ...problems(...BODY_PROBLEMS, '404', '412'),
      },
    },
    delete: {
      operationId: 'deleteContact',
      tags: ['contacts'],
      summary: 'Delete a contact',
      description: 'A second time it is a 404.',
      parameters: refs('ifMatch'),
      responses: {
        204: { description: 'It is gone.', headers: headerRefs(ALWAYS) },
        ...problems(...USUAL_PROBLEMS, '404', '412'),
      },
    },
  },
  [DEALS_PATH]: {
    get: {
      operationId: 'listDeals',
      tags: ['deals'],
      summary: 'List deals',
      description: 'Newest first, in pages. Filters are combined.',
      parameters: refs('limit', 'cursor', ...DEAL_FILTER_PARAMETERS),
      responses: { 200: page('A page of deals.', 'Deal'), ...problems(...USUAL_PROBLEMS) },
    },
    post: {
      operationId: 'createDeal',
      tags: ['deals'],
      summary: 'Create a deal',
      description: 'The stage is one of the pipeline: of the default one when none is named.',
      parameters: refs('idempotencyKey'),
      requestBody: body('NewDeal'),
      responses: { 201: answer('The deal.', 'Deal', ...CREATED), ...problems(...BODY_PROBLEMS) },
    },
  },
  [`${DEALS_PATH}/{id}/notes`]: {
    parameters: [idOf('deal', EXAMPLE_IDS.deal)],
    post: {
      operationId: 'createNote',
      tags: ['deals'],
      summary: 'Add a note to a deal',
      description: 'The text is called body, or content.',
      parameters: refs('idempotencyKey'),
      requestBody: body('NewNote'),
      responses: { 201: answer('The note.', 'Note', ...CREATED), ...problems(...BODY_PROBLEMS, '404') },
    },
  },
  '/v1/pipelines/{id}/stages': {
    parameters: [idOf('pipeline', EXAMPLE_IDS.pipeline)],
    get: {
      operationId: 'listStages',
      tags: ['pipelines'],
      summary: 'List the stages of a pipeline',
      description: 'By position.',
      parameters: refs('limit', 'cursor'),
      responses: { 200: page('A page of stages.', 'Stage'), ...problems(...USUAL_PROBLEMS, '404') },
    },
  },
  [WEBHOOKS_PATH]: {
    post: {
      operationId: 'createWebhook',
      tags: ['webhooks'],
      summary: 'Subscribe to events',
      description: 'Deliveries are signed by Standard Webhooks 1.0; the secret is shown in this answer alone.',
      parameters: refs('idempotencyKey'),
      requestBody: body('NewWebhook'),
      responses: { 201: answer('The subscription.', 'Webhook', ...CREATED), ...problems(...BODY_PROBLEMS) },
    },
  },
}
