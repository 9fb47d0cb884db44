import { PLAIN_RESOURCES, RESOURCES } from '../../core/resources/registry.ts'
import { HEADERS, RESPONSES } from './operations.ts'
import { PARAMETERS, type Part } from './parameters.ts'
import { RECORD_PATHS } from './record-paths.ts'
import { componentSchemas } from './schemas.ts'
import { SERVICE_PATHS } from './service-paths.ts'

const TAGS = {
  ...Object.fromEntries(PLAIN_RESOURCES.map((name) => [RESOURCES[name].plural, RESOURCES[name].about])),
  deals: 'Deals and their notes.',
  pipelines: 'The stages that deals go through.',
  webhooks: 'Subscriptions to events.',
  graphql: 'The whole API, with more mutations, as GraphQL.',
  service: 'The service itself.',
}

/** OpenAPI 3.1, derived from the rules that check requests. */
export function openapiDocument(version: string): Part {
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
    paths: { ...RECORD_PATHS, ...SERVICE_PATHS },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'A key of crm serve keys create.' } },
      schemas: componentSchemas(),
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: RESPONSES,
    },
  }
}
