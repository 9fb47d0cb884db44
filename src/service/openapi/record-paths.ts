import { DEAL_FILTER_PARAMETERS } from '../../core/resources/deal.ts'
import { PLAIN_RESOURCES, type PlainResource, RESOURCES, typeName } from '../../core/resources/registry.ts'
import { EXAMPLE_IDS, exampleId } from './examples.ts'
import { ALWAYS, answer, BODY_PROBLEMS, body, headerRefs, page, problems, USUAL_PROBLEMS } from './operations.ts'
import { idOf, type Part, refs } from './parameters.ts'

const CREATED = ['Location', 'ETag', 'Idempotent-Replayed']

/** The operations on records. */
export const RECORD_PATHS: Readonly<Record<string, Part>> = {
  ...Object.fromEntries(PLAIN_RESOURCES.flatMap(plainPaths)),
  [RESOURCES.deal.path]: {
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
      description: 'The stage must belong to the pipeline, by default the default pipeline.',
      parameters: refs('idempotencyKey'),
      requestBody: body('NewDeal'),
      responses: { 201: answer('The deal.', 'Deal', ...CREATED), ...problems(...BODY_PROBLEMS) },
    },
  },
  [RESOURCES.note.path]: {
    parameters: [idOf('deal', EXAMPLE_IDS.deal)],
    post: {
      operationId: 'createNote',
      tags: ['deals'],
      summary: 'Add a note to a deal',
      description: 'The text is in body or content.',
      parameters: refs('idempotencyKey'),
      requestBody: body('NewNote'),
      responses: { 201: answer('The note.', 'Note', ...CREATED), ...problems(...BODY_PROBLEMS, '404') },
    },
  },
  [RESOURCES.stage.path]: {
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
  [RESOURCES.webhook.path]: {
    post: {
      operationId: 'createWebhook',
      tags: ['webhooks'],
      summary: 'Subscribe to events',
      description: 'Deliveries are signed by Standard Webhooks 1.0. Only this response shows the secret.',
      parameters: refs('idempotencyKey'),
      requestBody: body('NewWebhook'),
      responses: { 201: answer('The subscription.', 'Webhook', ...CREATED), ...problems(...BODY_PROBLEMS) },
    },
  },
}

function plainPaths(resource: PlainResource): readonly (readonly [path: string, item: Part])[] {
  const { path, plural } = RESOURCES[resource]
  const type = typeName(resource)
  const shared = { tags: [plural] }
  const list = {
    operationId: `list${plural.slice(0, 1).toUpperCase()}${plural.slice(1)}`,
    ...shared,
    summary: `List ${plural}`,
    description: 'Newest first, in pages.',
    parameters: refs('limit', 'cursor'),
    responses: { 200: page(`A page of ${plural}.`, type), ...problems(...USUAL_PROBLEMS) },
  }
  const create = {
    operationId: `create${type}`,
    ...shared,
    summary: `Create a ${resource}`,
    description: 'An object with at least one member, at most 64 KiB. Custom members are stored unchanged.',
    parameters: refs('idempotencyKey'),
    requestBody: body(`New${type}`),
    responses: { 201: answer(`The ${resource}.`, type, ...CREATED), ...problems(...BODY_PROBLEMS) },
  }
  const change = {
    operationId: `update${type}`,
    ...shared,
    summary: `Change a ${resource}`,
    description: 'A JSON merge patch (RFC 7396): null removes a member.',
    parameters: refs('ifMatch', 'idempotencyKey'),
    requestBody: body(`${type}Patch`, ['application/json', 'application/merge-patch+json']),
    responses: {
      200: answer(`The changed ${resource}.`, type, 'ETag', 'Idempotent-Replayed'),
      ...problems(...BODY_PROBLEMS, '404', '412'),
    },
  }
  const remove = {
    operationId: `delete${type}`,
    ...shared,
    summary: `Delete a ${resource}`,
    description: 'Repeating it gives 404.',
    parameters: refs('ifMatch'),
    responses: {
      204: { description: 'Deleted.', headers: headerRefs(ALWAYS) },
      ...problems(...USUAL_PROBLEMS, '404', '412'),
    },
  }
  return [
    [path, { get: list, post: create }],
    [`${path}/{id}`, { parameters: [idOf(resource, exampleId(resource))], patch: change, delete: remove }],
  ]
}
