import type { JsonSchema } from '../../core/json.ts'
import { DEAL_FILTER_PARAMETERS } from '../../core/resources/deal.ts'
import { LIMIT } from '../page.ts'

/** An object of the OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>

const ALTERNATIVES = 'Values separated by commas are alternatives.'

type Filter = (typeof DEAL_FILTER_PARAMETERS)[number]

const FILTERS: Readonly<
  Record<Filter, { readonly description: string; readonly schema: JsonSchema; example: unknown }>
> = {
  stage: { description: `The name of a stage. ${ALTERNATIVES}`, schema: { type: 'string' }, example: 'Lead,Won' },
  owner_id: { description: `The owner. ${ALTERNATIVES}`, schema: { type: 'string' }, example: 'u_ines' },
  pipeline_id: { description: `The pipeline. ${ALTERNATIVES}`, schema: { type: 'string' }, example: 'sales' },
  name: { description: `The whole name. ${ALTERNATIVES}`, schema: { type: 'string' }, example: 'Fleet renewal' },
  'amount[gte]': { description: 'This amount or more.', schema: { type: 'number' }, example: 1000 },
  'amount[lte]': { description: 'This amount or less.', schema: { type: 'number' }, example: 5000 },
  created_since: {
    description: 'Created at this time or later.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-01-01T00:00:00Z',
  },
  created_until: {
    description: 'Created at this time or earlier.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-12-31T23:59:59Z',
  },
}

/** `components/parameters`. */
export const PARAMETERS = {
  limit: query('limit', {
    description: 'Records on one page.',
    schema: { type: 'integer', minimum: LIMIT.smallest, maximum: LIMIT.largest, default: LIMIT.usual },
    example: 100,
  }),
  cursor: query('cursor', {
    description: 'The next_cursor of the previous page; it is valid for the same list and filters.',
    schema: { type: 'string' },
  }),
  ...Object.fromEntries(DEAL_FILTER_PARAMETERS.map((name) => [componentName(name), query(name, FILTERS[name])])),
  ifMatch: header('If-Match', {
    description: 'The expected version, from ETag; any other version gives 412.',
    schema: { type: 'string' },
    example: '"3"',
  }),
  idempotencyKey: header('Idempotency-Key', {
    description:
      'For 24 hours a request with the same key takes effect once and gets the same answer; another request with it gives 422.',
    schema: { type: 'string', minLength: 1, maxLength: 257 },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  }),
} as Readonly<Record<string, Part>>

export function refs(...names: readonly string[]): readonly Part[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${componentName(name)}` }))
}

export function idOf(what: string, example: string): Part {
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: `The id of the ${what}.`,
    schema: { type: 'string' },
    example,
  }
}

/** Keys of components are letters, digits, dots, dashes and underscores. */
function componentName(name: string): string {
  return name.replace('[', '_').replace(']', '')
}

function query(name: string, parts: Part): Part {
  return { name, in: 'query', required: false, ...parts }
}

function header(name: string, parts: Part): Part {
  return { name, in: 'header', required: false, ...parts }
}
