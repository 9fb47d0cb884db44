import type { JsonSchema } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import {
  fieldOf,
  filterFields,
  filtersOf,
  OPEN_RESOURCES,
  type OpenResource,
  RECORD_RESOURCES,
  RESOURCES,
  type Resource,
} from '../../core/resources/registry.ts'
import { LIMIT } from '../page.ts'
import type { HISTORY_FILTERS as HISTORY_FILTER_NAMES } from '../resources/history.ts'
import { JOB_PATTERN } from '../route.ts'

/** An object of the OpenAPI document. */
export type DocumentPart = Readonly<Record<string, unknown>>

const ALTERNATIVES = 'Values separated by commas are alternatives.'

interface Filter {
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

const TEXT: JsonSchema = { type: 'string' }
const TIME: JsonSchema = { type: 'string', format: 'date-time' }

const TIMES: Readonly<Record<string, Filter>> = {
  created_since: { description: 'Created at this time or later.', schema: TIME, example: '2026-01-01T00:00:00Z' },
  created_until: { description: 'Created at this time or earlier.', schema: TIME, example: '2026-12-31T23:59:59Z' },
}

const DEAL_FILTERS: Readonly<Record<(typeof RESOURCES.deal.filters)[number], Filter>> = {
  stage: { description: `The name of a stage. ${ALTERNATIVES}`, schema: TEXT, example: 'Lead,Won' },
  owner_id: { description: `The owner. ${ALTERNATIVES}`, schema: TEXT, example: 'u_ines' },
  pipeline_id: { description: `The pipeline. ${ALTERNATIVES}`, schema: TEXT, example: 'sales' },
  name: { description: `The whole name. ${ALTERNATIVES}`, schema: TEXT, example: 'Fleet renewal' },
  'amount[gte]': { description: 'This amount or more.', schema: { type: 'number' }, example: 1000 },
  'amount[lte]': { description: 'This amount or less.', schema: { type: 'number' }, example: 5000 },
  ...(TIMES as { readonly created_since: Filter; readonly created_until: Filter }),
}

function plainFilters(resource: OpenResource): Readonly<Record<string, Filter>> {
  const { example = {} }: ResourceDefinition = RESOURCES[resource]
  const filters = filterFields(resource).map((name): [string, Filter] => {
    const field = fieldOf(resource, name)
    const how = field?.type === 'text' ? ', without regard to case and surrounding blanks' : ''
    const description = `${field?.about ?? name}${how}. ${ALTERNATIVES}`
    return [name, { description, schema: TEXT, ...(name in example && { example: example[name] }) }]
  })
  return { ...Object.fromEntries(filters), ...TIMES }
}

const HISTORY_FILTERS: Readonly<Record<(typeof HISTORY_FILTER_NAMES)[number], Filter>> = {
  since: { description: 'Changed at this time or later.', schema: TIME, example: '2026-01-01T00:00:00Z' },
  until: { description: 'Changed at this time or earlier.', schema: TIME, example: '2026-12-31T23:59:59Z' },
  made_by: { description: 'The id or the name of the key that made the change.', schema: TEXT },
  job: { description: 'The job that made the change, as named in Crm-Job.', schema: TEXT, example: 'job_0s9ntcj9g09' },
  resource: { description: 'Changes of records of this resource.', schema: { type: 'string', enum: RECORD_RESOURCES } },
}

/** The parameters of the filters of every list, by the names of their components. */
const FILTERS = Object.fromEntries(
  [['deal', DEAL_FILTERS] as const, ...OPEN_RESOURCES.map((name) => [name, plainFilters(name)] as const)].flatMap(
    ([resource, filters]) =>
      Object.entries(filters).map(([name, filter]) => [filterComponent(resource, name), query(name, { ...filter })]),
  ),
)

const PARAMETERS = {
  limit: query('limit', {
    description: 'The most records on one page, which has fewer where they would be more than 1 MiB.',
    schema: { type: 'integer', minimum: LIMIT.smallest, maximum: LIMIT.largest, default: LIMIT.usual },
    example: 100,
  }),
  cursor: query('cursor', {
    description: 'The next_cursor of the previous page; it is valid for the same list and filters.',
    schema: { type: 'string' },
  }),
  ...FILTERS,
  ...Object.fromEntries(
    Object.entries(HISTORY_FILTERS).map(([name, parts]) => [`history_${name}`, query(name, { ...parts })]),
  ),
  job: header('Crm-Job', {
    description: 'The job of the client that makes the change, for the history.',
    schema: { type: 'string', pattern: JOB_PATTERN, maxLength: 128 },
    example: 'job_0s9ntcj9g09',
  }),
  ifMatch: header('If-Match', {
    description: 'The expected version, from ETag; any other version gives 412.',
    schema: { type: 'string' },
    example: '"3"',
  }),
} as Readonly<Record<string, DocumentPart>>

/** `components/parameters`; the last one says how long a key is kept, in words that `crm doctor` reads. */
export function sharedParameters(answersKeptMs: number): Readonly<Record<string, DocumentPart>> {
  const idempotencyKey = header('Idempotency-Key', {
    description: `For ${hoursText(answersKeptMs)} a request with the same key takes effect once and gets the same answer; another request with it gives 422.`,
    schema: { type: 'string', minLength: 1, maxLength: 257 },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  })
  return { ...PARAMETERS, idempotencyKey }
}

/** `24 hours`; whole days and minutes where hours say it worse. */
function hoursText(timeMs: number): string {
  const minutes = Math.floor(timeMs / 60_000)
  if (minutes % 60 > 0) return `${minutes} minutes`
  const hours = minutes / 60
  return hours > 48 && hours % 24 === 0 ? `${hours / 24} days` : `${hours} hours`
}

export function refs(...names: readonly string[]): readonly DocumentPart[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

export function filterRefs(resource: Resource): readonly DocumentPart[] {
  return refs(...filtersOf(resource).map((name) => filterComponent(resource, name)))
}

export function idParameter(what: string, example: string): DocumentPart {
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: `The id of the ${what}.`,
    schema: { type: 'string' },
    example,
  }
}

/** Keys of components are letters, digits, dots, dashes and underscores. Filters of one name differ between resources. */
function filterComponent(resource: Resource, name: string): string {
  const key = name.replace('[', '_').replace(']', '')
  return name in TIMES ? key : `${resource}_${key}`
}

function query(name: string, parts: DocumentPart): DocumentPart {
  return { name, in: 'query', required: false, ...parts }
}

function header(name: string, parts: DocumentPart): DocumentPart {
  return { name, in: 'header', required: false, ...parts }
}
