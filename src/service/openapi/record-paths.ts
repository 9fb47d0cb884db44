import type { ServiceOperation } from '../../core/resources/field.ts'
import {
  filtersOf,
  RESOURCES,
  type Resource,
  type ServiceOperationOf,
  serviceOperationsOf,
  typeName,
} from '../../core/resources/registry.ts'
import { PAGE_PARAMETERS } from '../page.ts'
import { methodOf, operationPath } from '../resources/routes.ts'
import { exampleId } from './examples.ts'
import {
  ALWAYS,
  answer,
  BODY_PROBLEMS,
  body,
  headerRefs,
  page,
  problems,
  type SchemaName,
  USUAL_PROBLEMS,
} from './operations.ts'
import { type DocumentPart, filterRefs, idParameter, refs } from './parameters.ts'

const CREATED = ['Location', 'ETag', 'Idempotent-Replayed']

interface Texts {
  readonly summary: string
  readonly description: string
}

/** The texts that differ from those of `usualTexts`. */
const TEXTS: { readonly [R in Resource]?: { readonly [O in ServiceOperationOf<R>]?: Partial<Texts> } } = {
  deal: {
    create: { description: 'The stage must belong to the pipeline, by default the default pipeline.' },
    update: {
      description: 'A JSON merge patch (RFC 7396): null removes a member. The stage must belong to the pipeline.',
    },
    delete: { description: 'Also deletes its notes; each has an event. Repeating it gives 404.' },
  },
  note: {
    list: { summary: 'List the notes of a deal' },
    create: { summary: 'Add a note to a deal', description: 'The text is in body or content.' },
  },
  pipeline: { list: { description: 'The default pipeline first.' } },
  stage: { list: { summary: 'List the stages of a pipeline', description: 'By position.' } },
  webhook: {
    list: { summary: 'List subscriptions', description: 'Newest first, in pages. Without the secrets.' },
    create: {
      summary: 'Subscribe to events',
      description: 'Deliveries are signed by Standard Webhooks 1.0. Only this response shows the secret.',
    },
    get: { summary: 'Show a subscription', description: 'Without its secret.' },
    update: {
      summary: 'Change a subscription',
      description:
        'A JSON merge patch (RFC 7396). status is enabled or disabled; deliveries of a disabled one are given up.',
    },
    delete: { summary: 'Delete a subscription', description: 'Also deletes its deliveries. Repeating it gives 404.' },
    test: {
      summary: 'Send a test event',
      description: 'One webhook.test event, to this subscription alone, whatever events it names.',
    },
  },
}

function usualTexts(resource: Resource, operation: ServiceOperation): Texts {
  const { singular, plural } = RESOURCES[resource]
  const filters = filtersOf(resource).length === 0 ? '' : ' Filters are combined.'
  const texts: Readonly<Record<ServiceOperation, Texts>> = {
    list: { summary: `List ${plural}`, description: `Newest first, in pages.${filters}` },
    create: {
      summary: `Create a ${singular}`,
      description: 'An object with at least one member, at most 64 KiB. Custom members are stored unchanged.',
    },
    get: { summary: `Show a ${singular}`, description: 'The whole record, with its version in ETag.' },
    update: { summary: `Change a ${singular}`, description: 'A JSON merge patch (RFC 7396): null removes a member.' },
    delete: { summary: `Delete a ${singular}`, description: 'Repeating it gives 404.' },
    test: { summary: `Test a ${singular}`, description: '' },
  }
  return texts[operation]
}

/** The operations on records. */
export const RECORD_PATHS: Readonly<Record<string, DocumentPart>> = Object.fromEntries(
  Object.keys(RESOURCES).flatMap((name) => pathsOf(name as Resource)),
)

/** The operations of a resource by path. */
function pathsOf(resource: Resource): readonly (readonly [path: string, item: DocumentPart])[] {
  const operations: readonly ServiceOperation[] = serviceOperationsOf(resource)
  const items = Map.groupBy(operations, (operation) => operationPath(resource, operation))
  return [...items].map(([path, all]) => {
    const methods = all.map((operation) => [methodOf(operation).toLowerCase(), partOf(resource, operation)])
    return [path, { ...pathParameters(resource, path), ...Object.fromEntries(methods) }]
  })
}

/** The `{id}` of a collection is the id of the parent. */
function pathParameters(resource: Resource, path: string): DocumentPart {
  if (!path.includes('{id}')) return {}
  const named = path === RESOURCES[resource].path ? parentOf(resource) : resource
  return { parameters: [idParameter(named ?? resource, exampleId(named ?? resource))] }
}

function partOf(resource: Resource, operation: ServiceOperation): DocumentPart {
  const { plural } = RESOURCES[resource]
  const changed: Readonly<Partial<Record<ServiceOperation, Partial<Texts>>>> = TEXTS[resource] ?? {}
  const noun = operation === 'list' ? `${plural.slice(0, 1).toUpperCase()}${plural.slice(1)}` : typeName(resource)
  const parent = parentOf(resource)
  return {
    operationId: `${operation}${noun}`,
    tags: [parent === undefined ? plural : RESOURCES[parent].plural],
    ...usualTexts(resource, operation),
    ...changed[operation],
    ...exchangeOf(resource, operation),
  }
}

function parentOf(resource: Resource): Resource | undefined {
  const definition = RESOURCES[resource]
  return 'parent' in definition ? definition.parent : undefined
}

/** The request and the responses of an operation. */
function exchangeOf(resource: Resource, operation: ServiceOperation): DocumentPart {
  const { singular, plural } = RESOURCES[resource]
  const type = typeName(resource)
  const ofParent = parentOf(resource) === undefined ? [] : ['404']
  const exchanges: Readonly<Record<ServiceOperation, () => DocumentPart>> = {
    list: () => ({
      parameters: [...refs(...PAGE_PARAMETERS), ...filterRefs(resource)],
      responses: { 200: page(`A page of ${plural}.`, type as SchemaName), ...problems(...USUAL_PROBLEMS, ...ofParent) },
    }),
    create: () => ({
      parameters: refs('idempotencyKey', 'job'),
      requestBody: body(`New${type}` as SchemaName),
      responses: {
        201: answer(`The ${singular}.`, createdSchema(resource), ...CREATED),
        ...problems(...BODY_PROBLEMS, ...ofParent),
      },
    }),
    get: () => ({
      responses: {
        200: answer(`The ${singular}.`, type as SchemaName, 'ETag'),
        ...problems(...USUAL_PROBLEMS, '404'),
      },
    }),
    update: () => ({
      parameters: refs('ifMatch', 'idempotencyKey', 'job'),
      requestBody: body(`${type}Patch` as SchemaName, ['application/json', 'application/merge-patch+json']),
      responses: {
        200: answer(`The changed ${singular}.`, type as SchemaName, 'ETag', 'Idempotent-Replayed'),
        ...problems(...BODY_PROBLEMS, '404', '412'),
      },
    }),
    delete: () => ({
      parameters: refs('ifMatch', 'job'),
      responses: {
        204: { description: 'Deleted.', headers: headerRefs(ALWAYS) },
        ...problems(...USUAL_PROBLEMS, '404', '412'),
      },
    }),
    test: () => ({
      parameters: refs('idempotencyKey', 'job'),
      responses: {
        202: answer('The event, which will be sent.', 'WebhookTest', 'Idempotent-Replayed'),
        ...problems(...BODY_PROBLEMS, '404'),
      },
    }),
  }
  return exchanges[operation]()
}

/** Only the response to its creation shows the secret of a webhook. */
function createdSchema(resource: Resource): SchemaName {
  return resource === 'webhook' ? 'CreatedWebhook' : (typeName(resource) as SchemaName)
}
