import type { JsonSchema } from '../../core/json.ts'
import {
  FIXTURE_RUNS_PATH,
  OPEN_RESOURCES,
  RESOURCES,
  type Resource,
  recordPath,
} from '../../core/resources/registry.ts'
import { RUN_ID_PATTERN } from '../fixture-run-routes.ts'
import { DELIVERIES_PATH } from '../resources/webhooks.ts'
import type { Route } from '../route.ts'
import { KEPT_MS } from '../store/store-options.ts'
import { EVENT_WEBHOOKS } from './events.ts'
import { type DocumentPart, parameterOf, refs, sharedParameters } from './parameters.ts'
import { componentSchemas, exampleId, exampleOf, schemaRef } from './schemas.ts'

const TEXT: JsonSchema = { type: 'string' }

function header(description: string, example?: string): DocumentPart {
  return { description, schema: TEXT, ...(example !== undefined && { example }) }
}

/** `components/headers`. */
const HEADERS: Readonly<Record<string, DocumentPart>> = {
  ETag: header('The version of the record.', '"1"'),
  Location: { description: 'Where the record is.', schema: { type: 'string', format: 'uri-reference' } },
  Link: header('The next page (RFC 8288).'),
  'X-Request-Id': header('The id of the request: the one sent, if it is valid.'),
  'Idempotent-Replayed': header('true: the answer to an earlier request with the same key.'),
  'Idempotency-Policy': header(
    'The scope of idempotency keys, and how many seconds they are kept.',
    '"account";w=86400',
  ),
  RateLimit: header('Remaining requests, and seconds to the next window.', '"default";r=999;t=10'),
  'RateLimit-Policy': header('Requests per window in seconds.', '"default";q=1000;w=10'),
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  Allow: header('The supported methods.', 'GET, POST'),
  'WWW-Authenticate': header('The expected credentials (RFC 6750).'),
}

const ALWAYS = ['X-Request-Id', 'Idempotency-Policy', 'RateLimit', 'RateLimit-Policy']

const FAULTS: readonly (readonly [status: string, description: string, ...headers: string[]])[] = [
  ['400', 'The request is malformed, or a parameter is unknown.'],
  ['401', 'The key is missing or not valid.', 'WWW-Authenticate'],
  ['403', 'The key lacks the scope.', 'WWW-Authenticate'],
  ['404', 'There is no such record.'],
  ['405', 'The path has no such method.', 'Allow'],
  [
    '409',
    '`already_exists`: the record `existing_id` has this value. `webhook_disabled`: the subscription is disabled. `run_locked`: another client holds the lock. `lock_lost`: the token does not hold it.',
  ],
  ['412', 'The record is at another version.', 'ETag'],
  ['413', 'The body is larger than 1 MiB, or a state of fixtures than 8 MiB.'],
  ['415', 'The Content-Type of the body is not JSON.'],
  ['422', 'A value is not valid, or the Idempotency-Key was used for another request.'],
  ['429', 'The key has sent too many requests.', 'Retry-After'],
  ['500', 'A bug of the service.'],
  ['503', 'The database is not available at the moment.', 'Retry-After'],
]

const PROBLEM_TYPE = 'application/problem+json'

/** `components/responses`, one per problem. */
const RESPONSES = Object.fromEntries(
  FAULTS.map(([status, description, ...headers]) => [
    `Problem${status}`,
    { description, headers: headerRefs(...headers), content: contentOf('Problem', PROBLEM_TYPE) },
  ]),
)

/** The headers of a response: those of every one, and these. */
function headerRefs(...names: readonly string[]): DocumentPart {
  return Object.fromEntries([...ALWAYS, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function contentOf(schema: string | JsonSchema, ...types: readonly string[]): DocumentPart {
  return Object.fromEntries(types.map((type) => [type, { schema: schemaRef(schema) }]))
}

const JSON_TYPE = 'application/json'
const GRAPHQL_TYPE = 'application/graphql-response+json'

function graphqlResponses(answer: DocumentPart): Readonly<Record<number, DocumentPart>> {
  /** A request that is not executed gives a problem, or a response with errors only. */
  const content = { ...contentOf('GraphqlAnswer', GRAPHQL_TYPE), ...contentOf('Problem', PROBLEM_TYPE) }
  return {
    200: { ...answer, content: contentOf('GraphqlAnswer', GRAPHQL_TYPE, JSON_TYPE) },
    400: { ...answer, content, description: 'The query does not match the schema, or the request is malformed.' },
    406: { ...answer, content, description: 'Accept allows no media type of a response.' },
  }
}

function successOf({ scope, parameters, success }: Route): Readonly<Record<number, DocumentPart>> {
  const [status, description, schema, ...headers] = success ?? [204, '']
  const isPage = parameters.includes('cursor')
  const answer = {
    description,
    ...(scope !== undefined && { headers: headerRefs(...headers, ...(isPage ? ['Link'] : [])) }),
    ...(schema !== undefined && { content: contentOf(isPage ? pageOf(schema) : schema, JSON_TYPE) }),
  }
  return schema === 'GraphqlAnswer' ? graphqlResponses(answer) : { [status]: answer }
}

function pageOf(schema: string | JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: {
      data: { type: 'array', items: schemaRef(schema) },
      next_cursor: { type: ['string', 'null'] },
      has_more: { type: 'boolean' },
    },
    required: ['data', 'next_cursor', 'has_more'],
  }
}

function problemsOf({ method, path, scope, problems = [], isWrite, isForNew }: Route): DocumentPart {
  const hasBody = method === 'POST' || method === 'PATCH'
  const statuses = [
    ...['400', '500', ...problems],
    ...(scope === undefined ? [] : ['401', '403', '429', '503']),
    ...(path.includes(':') && !isForNew ? ['404'] : []),
    ...(hasBody ? ['409', '413', '415', '422'] : []),
    ...(isWrite && method !== 'POST' ? ['412'] : []),
  ]
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]))
}

const WRITE_HEADERS = {
  GET: [],
  POST: ['idempotencyKey', 'job'],
  PATCH: ['ifMatch', 'idempotencyKey', 'job'],
  DELETE: ['ifMatch', 'job'],
}

function operationOf(route: Route): DocumentPart {
  const { method, path, scope, body, isWrite, text = '' } = route
  const [, operationId, summary, description] = /^(\w+): (.+?)\. (.+)$/.exec(text) ?? []
  const query = route.query ?? route.parameters.map((name) => parameterOf(documentPath(path), name))
  const parameters = [...query, ...refs(...(isWrite ? WRITE_HEADERS[method] : []))]
  const types = isWrite && method === 'PATCH' ? [JSON_TYPE, 'application/merge-patch+json'] : [JSON_TYPE]
  return {
    operationId,
    tags: [tagOf(path)],
    summary,
    description,
    ...(scope === undefined && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: contentOf(body, ...types) } }),
    responses: { ...problemsOf(route), ...successOf(route) },
  }
}

/** The ids in paths, by what the path starts with. */
const IDS: readonly (readonly [start: string, parameter: DocumentPart])[] = [
  ...Object.keys(RESOURCES).map((name) => {
    const resource = name as Resource
    return [recordPath(resource), idParameter(`The id of the ${resource}.`, exampleId(resource))] as const
  }),
  [
    `${DELIVERIES_PATH}/{event_id}`,
    { ...idParameter('The id of the event.', exampleOf('Delivery').event_id), name: 'event_id' },
  ],
  [
    `${FIXTURE_RUNS_PATH}/{id}`,
    {
      ...idParameter('The id of the run, which the client chooses.', exampleOf('FixtureRun').id),
      schema: { type: 'string', pattern: RUN_ID_PATTERN },
    },
  ],
]

function idParameter(description: string, example: unknown): DocumentPart {
  return { name: 'id', in: 'path', required: true, description, schema: TEXT, example }
}

function documentPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

function pathsOf(routes: readonly Route[]): DocumentPart {
  const items = [...Map.groupBy(routes, ({ path }) => documentPath(path))].map(([path, all]) => {
    const parameters = IDS.filter(([start]) => path.startsWith(start)).map(([, parameter]) => parameter)
    const operations = all.map((route) => [route.method.toLowerCase(), operationOf(route)])
    return [path, { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) }]
  })
  return Object.fromEntries(items)
}

const TAGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(OPEN_RESOURCES.map((name) => [RESOURCES[name].plural, RESOURCES[name].about])),
  deals: 'Deals and their notes.',
  pipelines: 'The stages that deals go through.',
  webhooks: 'Subscriptions to events.',
  history: 'Who changed what.',
  fixtures: 'The states of runs of fixtures, and their locks.',
  graphql: 'The whole API, with more mutations, as GraphQL.',
  service: 'The service itself.',
}

function tagOf(path: string): string {
  if (path.endsWith('/history')) return 'history'
  const [, , noun = ''] = path.split('/')
  if (noun === 'notes') return 'deals'
  if (noun === 'fixture-runs') return 'fixtures'
  return noun in TAGS ? noun : 'service'
}

/** OpenAPI 3.1 of these routes, derived from the rules that check requests. */
export function openapiDocument(
  routes: readonly Route[],
  version: string,
  answersKeptMs: number = KEPT_MS.answersMs,
): DocumentPart {
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
    paths: pathsOf(routes.filter(({ text }) => text !== undefined)),
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
