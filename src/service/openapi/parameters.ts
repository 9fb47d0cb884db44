import type { ResourceDefinition } from '../../core/resources/field.ts'
import {
  fieldOf,
  filterFields,
  HISTORY_PATH,
  OPEN_RESOURCES,
  type OpenResource,
  RECORD_RESOURCES,
  RESOURCES,
} from '../../core/resources/registry.ts'
import { LIMIT } from '../page.ts'
import { JOB_PATTERN } from '../route.ts'

/** An object of the OpenAPI document. */
export type DocumentPart = Readonly<Record<string, unknown>>

const ALTERNATIVES = 'Values separated by commas are alternatives.'

const TEXT = { type: 'string' }
const TIME = { type: 'string', format: 'date-time' }
const NUMBER = { type: 'number' }

const [SINCE, UNTIL] = ['2026-01-01T00:00:00Z', '2026-12-31T23:59:59Z']

type Filters = Readonly<Record<string, DocumentPart>>

const TIMES: Filters = {
  created_since: { description: 'Created at this time or later.', schema: TIME, example: SINCE },
  created_until: { description: 'Created at this time or earlier.', schema: TIME, example: UNTIL },
}

const DEAL_FILTERS: Filters = {
  stage: { description: `The name of a stage. ${ALTERNATIVES}`, schema: TEXT, example: 'Lead,Won' },
  owner_id: { description: `The owner. ${ALTERNATIVES}`, schema: TEXT, example: 'u_ines' },
  pipeline_id: { description: `The pipeline. ${ALTERNATIVES}`, schema: TEXT, example: 'sales' },
  name: { description: `The whole name. ${ALTERNATIVES}`, schema: TEXT, example: 'Fleet renewal' },
  'amount[gte]': { description: 'This amount or more.', schema: NUMBER, example: 1000 },
  'amount[lte]': { description: 'This amount or less.', schema: NUMBER, example: 5000 },
}

const HISTORY_FILTERS: Filters = {
  since: { description: 'Changed at this time or later.', schema: TIME, example: SINCE },
  until: { description: 'Changed at this time or earlier.', schema: TIME, example: UNTIL },
  made_by: { description: 'The id or the name of the key that made the change.', schema: TEXT },
  job: { description: 'The job that made the change, as named in Crm-Job.', schema: TEXT, example: 'job_0s9ntcj9g09' },
  resource: { description: 'Changes of records of this resource.', schema: { ...TEXT, enum: RECORD_RESOURCES } },
}

function plainFilters(resource: OpenResource): Filters {
  const { example = {} }: ResourceDefinition = RESOURCES[resource]
  const filters = filterFields(resource).map((name): [string, DocumentPart] => {
    const field = fieldOf(resource, name)
    const how = field?.type === 'text' ? ', without regard to case and surrounding blanks' : ''
    const description = `${field?.about ?? name}${how}. ${ALTERNATIVES}`
    return [name, { description, schema: TEXT, ...(name in example && { example: example[name] }) }]
  })
  return Object.fromEntries(filters)
}

/** The filters that are of one list alone, with the name of what it lists. */
const FILTERS: readonly (readonly [path: string, name: string, filters: Filters])[] = [
  [RESOURCES.deal.path, 'deal', DEAL_FILTERS],
  ...OPEN_RESOURCES.map((name) => [RESOURCES[name].path, name, plainFilters(name)] as const),
  [HISTORY_PATH, 'history', HISTORY_FILTERS],
]

const SHARED: Readonly<Record<string, DocumentPart>> = {
  limit: query('limit', {
    description: 'The most records on one page, which has fewer where they would be more than 1 MiB.',
    schema: { type: 'integer', minimum: LIMIT.smallest, maximum: LIMIT.largest, default: LIMIT.usual },
    example: 100,
  }),
  cursor: query('cursor', {
    description: 'The next_cursor of the previous page; it is valid for the same list and filters.',
    schema: TEXT,
  }),
  ...Object.fromEntries(Object.entries(TIMES).map(([name, filter]) => [name, query(name, filter)])),
  ...Object.fromEntries(
    FILTERS.flatMap(([, of, filters]) =>
      Object.entries(filters).map(([name, filter]) => [componentName(of, name), query(name, filter)]),
    ),
  ),
  job: header('Crm-Job', {
    description: 'The job of the client that makes the change, for the history.',
    schema: { type: 'string', pattern: JOB_PATTERN, maxLength: 128 },
    example: 'job_0s9ntcj9g09',
  }),
  ifMatch: header('If-Match', {
    description: 'The expected version, from ETag; any other version gives 412.',
    schema: TEXT,
    example: '"3"',
  }),
}

/** Keys of components are letters, digits, dots, dashes and underscores. Filters of one name differ between resources. */
function componentName(of: string, name: string): string {
  return `${of}_${name.replace('[', '_').replace(']', '')}`
}

/** `components/parameters`; the last one says how long a key is kept, in words that `crm doctor` reads. */
export function sharedParameters(answersKeptMs: number): Readonly<Record<string, DocumentPart>> {
  const idempotencyKey = header('Idempotency-Key', {
    description: `For ${hoursText(answersKeptMs)} a request with the same key takes effect once and gets the same answer; another request with it gives 422.`,
    schema: { type: 'string', minLength: 1, maxLength: 257 },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  })
  return { ...SHARED, idempotencyKey }
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

/** A query parameter of the list with this path. */
export function parameterOf(path: string, name: string): DocumentPart {
  const [, of = ''] = FILTERS.find(([start, , filters]) => start === path && name in filters) ?? []
  return { $ref: `#/components/parameters/${of === '' ? name : componentName(of, name)}` }
}

function query(name: string, parts: DocumentPart): DocumentPart {
  return { name, in: 'query', required: false, ...parts }
}

function header(name: string, parts: DocumentPart): DocumentPart {
  return { name, in: 'header', required: false, ...parts }
}
