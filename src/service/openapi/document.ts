import {
  HISTORY_PATH,
  KEY_PATH,
  OPEN_RESOURCES,
  RECORD_RESOURCES,
  RESOURCES,
  recordHistoryPath,
  typeName,
} from '../../core/resources/registry.ts'
import { PAGE_PARAMETERS } from '../page.ts'
import { HISTORY_FILTERS } from '../resources/history.ts'
import { DELIVERIES_PATH, RESEND_PATH, ROTATE_PATH } from '../resources/webhooks.ts'
import { KEPT_MS } from '../store/store-options.ts'
import { EVENT_WEBHOOKS } from './event-webhooks.ts'
import { EXAMPLES, exampleId } from './examples.ts'
import { FIXTURE_RUN_PATHS } from './fixture-run-paths.ts'
import {
  answer,
  BODY_PROBLEMS,
  body,
  HEADERS,
  page,
  problems,
  RESPONSES,
  schemaRef,
  USUAL_PROBLEMS,
} from './operations.ts'
import { type DocumentPart, idParameter, refs, sharedParameters } from './parameters.ts'
import { RECORD_PATHS } from './record-paths.ts'
import { componentSchemas } from './schemas.ts'

/** The history of all records, and of each. */
const HISTORY_PATHS: Readonly<Record<string, DocumentPart>> = {
  [HISTORY_PATH]: {
    get: {
      operationId: 'listHistory',
      tags: ['history'],
      summary: 'List the changes of all records',
      description: 'Newest first, in pages. Filters are combined.',
      parameters: [...refs(...PAGE_PARAMETERS), ...refs(...HISTORY_FILTERS.map((name) => `history_${name}`))],
      responses: { 200: page('A page of changes.', 'Change'), ...problems(...USUAL_PROBLEMS) },
    },
  },
  ...Object.fromEntries(
    RECORD_RESOURCES.map((resource) => [
      recordHistoryPath(resource),
      {
        parameters: [idParameter(resource, exampleId(resource))],
        get: {
          operationId: `history${typeName(resource)}`,
          tags: ['history'],
          summary: `List the changes of a ${RESOURCES[resource].singular}`,
          description: `Newest first, in pages; also of a deleted ${RESOURCES[resource].singular}, without values.`,
          parameters: refs(...PAGE_PARAMETERS),
          responses: { 200: page('A page of changes.', 'Change'), ...problems(...USUAL_PROBLEMS, '404') },
        },
      },
    ]),
  ),
}

function status(description: string): DocumentPart {
  const schema = { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] }
  return { description, content: { 'application/json': { schema } } }
}

const TEXT_PARAMETER = { in: 'query', schema: { type: 'string' } }

const JSON_PARAMETER = { ...TEXT_PARAMETER, required: false }

const GRAPHQL_TYPES = ['application/graphql-response+json', 'application/json']

/** A request that is not executed gives a problem, or a response with errors only. */
const GRAPHQL_FAULT: DocumentPart = {
  ...graphqlAnswer('The query does not match the schema, or the request is malformed.'),
  content: {
    'application/graphql-response+json': { schema: schemaRef('GraphqlAnswer') },
    'application/problem+json': { schema: schemaRef('Problem') },
  },
}

const GRAPHQL_RESPONSES = {
  200: graphqlAnswer('Data, errors, or both.'),
  400: GRAPHQL_FAULT,
  406: { ...GRAPHQL_FAULT, description: 'Accept allows no media type of a response.' },
}

const OF_WEBHOOK = [idParameter('webhook', exampleId('webhook'))]

/** What a subscription has beside its record. */
const DELIVERY_PATHS: Readonly<Record<string, DocumentPart>> = {
  [DELIVERIES_PATH]: {
    parameters: OF_WEBHOOK,
    get: {
      operationId: 'listDeliveries',
      tags: ['webhooks'],
      summary: 'List the deliveries of a subscription',
      description: 'Open ones, and ended ones while the log keeps them; newest event first, in pages.',
      parameters: refs(...PAGE_PARAMETERS),
      responses: { 200: page('A page of deliveries.', 'Delivery'), ...problems(...USUAL_PROBLEMS, '404') },
    },
  },
  [ROTATE_PATH]: {
    parameters: OF_WEBHOOK,
    post: {
      operationId: 'rotateWebhookSecret',
      tags: ['webhooks'],
      summary: 'Make a new secret',
      description: 'Only this response shows it. For a day, deliveries are also signed with the previous one.',
      parameters: refs('idempotencyKey', 'job'),
      responses: {
        200: answer('The subscription, with its secret.', 'CreatedWebhook', 'ETag', 'Idempotent-Replayed'),
        ...problems(...BODY_PROBLEMS, '404'),
      },
    },
  },
  [RESEND_PATH]: {
    parameters: [...OF_WEBHOOK, { ...idParameter('event', EXAMPLES.Delivery.event_id), name: 'event_id' }],
    post: {
      operationId: 'resendDelivery',
      tags: ['webhooks'],
      summary: 'Deliver an event again',
      description: 'The delivery starts again, whatever its state.',
      parameters: refs('idempotencyKey', 'job'),
      responses: {
        200: answer('The subscription.', 'Webhook', 'ETag', 'Idempotent-Replayed'),
        ...problems(...BODY_PROBLEMS, '404'),
      },
    },
  },
}

/** Paths that do not belong to a resource. */
const SERVICE_PATHS: Readonly<Record<string, DocumentPart>> = {
  '/v1/graphql': {
    get: {
      operationId: 'queryGraphql',
      tags: ['graphql'],
      summary: 'Run a GraphQL query',
      description: 'Introspection returns the schema. Mutations require POST.',
      parameters: [
        {
          ...TEXT_PARAMETER,
          name: 'query',
          required: true,
          description: 'The query.',
          example: '{ pipelines { nodes { id } } }',
        },
        { ...JSON_PARAMETER, name: 'operationName', description: 'The operation to run, if the query has several.' },
        { ...JSON_PARAMETER, name: 'variables', description: 'A JSON object.' },
        { ...JSON_PARAMETER, name: 'extensions', description: 'A JSON object; ignored.' },
      ],
      responses: { ...GRAPHQL_RESPONSES, ...problems('401', '403', '405', '422', '429', '500', '503') },
    },
    post: {
      operationId: 'executeGraphql',
      tags: ['graphql'],
      summary: 'Execute a GraphQL query or mutation',
      description: 'Scopes, limits and Idempotency-Key work as in REST.',
      parameters: refs('idempotencyKey', 'job'),
      requestBody: body('GraphqlRequest'),
      responses: { ...problems(...BODY_PROBLEMS), ...GRAPHQL_RESPONSES },
    },
  },
  [KEY_PATH]: {
    get: {
      operationId: 'showKey',
      tags: ['service'],
      summary: 'Show the key in use',
      description: 'Any key may ask, whatever its scopes.',
      responses: { 200: answer('The key of the request.', 'Key'), ...problems(...USUAL_PROBLEMS) },
    },
  },
  '/v1/openapi.json': {
    get: {
      operationId: 'showOpenapi',
      tags: ['service'],
      summary: 'This document',
      description: 'OpenAPI 3.1.',
      security: [],
      responses: {
        200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
        ...problems('400', '500'),
      },
    },
  },
  '/healthz': {
    get: {
      operationId: 'showHealth',
      tags: ['service'],
      summary: 'Whether the service answers',
      description: 'Needs no key.',
      security: [],
      responses: { 200: status('The service answers.'), ...problems('400', '500') },
    },
  },
  '/readyz': {
    get: {
      operationId: 'showReadiness',
      tags: ['service'],
      summary: 'Whether the service accepts writes',
      description: 'Needs no key.',
      security: [],
      responses: { 200: status('The service accepts writes.'), ...problems('400', '500', '503') },
    },
  },
}

const TAGS = {
  ...Object.fromEntries(OPEN_RESOURCES.map((name) => [RESOURCES[name].plural, RESOURCES[name].about])),
  deals: 'Deals and their notes.',
  pipelines: 'The stages that deals go through.',
  webhooks: 'Subscriptions to events.',
  history: 'Who changed what.',
  fixtures: 'The states of runs of fixtures, and their locks.',
  graphql: 'The whole API, with more mutations, as GraphQL.',
  service: 'The service itself.',
}

/** OpenAPI 3.1, derived from the rules that check requests. */
export function openapiDocument(version: string, answersKeptMs: number = KEPT_MS.answersMs): DocumentPart {
  return {
    openapi: '3.1.0',
    info: {
      title: 'crm',
      version,
      summary: 'The CRM service of crm serve',
      description: 'Contacts, deals, notes, pipelines and webhooks. Errors are problem details (RFC 9457).',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'crm', url: 'https://www.npmjs.com/package/crm-cli' },
    },
    servers: [{ url: '/', description: 'The service that returned this document.' }],
    security: [{ key: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...RECORD_PATHS, ...DELIVERY_PATHS, ...HISTORY_PATHS, ...FIXTURE_RUN_PATHS, ...SERVICE_PATHS },
    webhooks: EVENT_WEBHOOKS,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'A key of crm serve keys create.' } },
      schemas: componentSchemas(),
      parameters: sharedParameters(answersKeptMs),
      headers: HEADERS,
      responses: RESPONSES,
    },
  }
}

function graphqlAnswer(description: string): DocumentPart {
  const content = Object.fromEntries(GRAPHQL_TYPES.map((type) => [type, { schema: schemaRef('GraphqlAnswer') }]))
  return { ...answer(description, 'GraphqlAnswer', 'Idempotent-Replayed'), content }
}
