import type { PlannedRequest } from '../../api/operations.ts'
import type { JsonSchema } from '../../core/json.ts'
import type { FieldType } from '../../core/resources/field.ts'
import { type FIELDS, type Resource, writableFields } from '../../core/resources/registry.ts'
import type { DuplicateGroup } from '../../duplicates/find-duplicates.ts'
import type { DeletionOutcome } from '../records/delete-by-ids.ts'
import {
  ALWAYS_TRUE,
  ANY_OBJECT,
  ANYTHING,
  arrayOf,
  ERROR_RECORD,
  made,
  oneOfSchemas,
  sent,
  TEXT,
  TEXT_OR_NULL,
  words,
} from './json-schema.ts'

type Members<Name extends keyof typeof FIELDS> = Record<(typeof FIELDS)[Name][number], JsonSchema>

/** Servers number their records, or name them. */
const ID: JsonSchema = { type: ['string', 'number'] }
const ID_OR_NULL: JsonSchema = { type: ['string', 'number', 'null'] }
/** RFC 3339 from `crm serve`; other servers also count seconds. */
const WHEN: JsonSchema = { type: ['string', 'number', 'null'] }
const NUMBER_OR_NULL: JsonSchema = { type: ['number', 'null'] }

const OF_EVERY_RECORD = { id: ID, created_at: WHEN, updated_at: WHEN, version: ID_OR_NULL }

/** Other servers may answer null for any member. */
const OF_TYPE: Readonly<Record<FieldType, JsonSchema>> = {
  id: ID,
  reference: ID_OR_NULL,
  text: TEXT_OR_NULL,
  texts: arrayOf(TEXT),
  number: NUMBER_OR_NULL,
  integer: NUMBER_OR_NULL,
  boolean: { type: ['boolean', 'null'] },
  date: TEXT_OR_NULL,
  time: WHEN,
}

function membersOf(resource: Resource): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(writableFields(resource).map(([name, { type }]) => [name, OF_TYPE[type]]))
}

export function recordSchema(resource: Resource): JsonSchema {
  return sent({ ...OF_EVERY_RECORD, ...membersOf(resource) })
}

export const DEAL_SCHEMA = recordSchema('deal')

export const NOTE_SCHEMA = sent({
  ...OF_EVERY_RECORD,
  ...membersOf('note'),
  ...{ contact_id: ID_OR_NULL, company_id: ID_OR_NULL },
})

export const STAGE_SCHEMA = sent({
  id: ID,
  name: TEXT,
  position: { type: 'integer' },
  probability: NUMBER_OR_NULL,
} satisfies Members<'stage'>)

export const PIPELINE_SCHEMA = sent({ id: ID, name: TEXT } satisfies Members<'pipeline'>)

export const USER_SCHEMA = sent({
  id: ID,
  name: TEXT_OR_NULL,
  email: TEXT_OR_NULL,
  status: TEXT_OR_NULL,
} satisfies Members<'user'>)

export const WEBHOOK_SCHEMA = sent({
  ...OF_EVERY_RECORD,
  url: TEXT,
  events: arrayOf(TEXT),
  description: TEXT_OR_NULL,
  status: TEXT,
  secret: TEXT,
} satisfies Members<'webhook'>)

const WITHOUT_AGGREGATES: JsonSchema = {
  type: 'object',
  propertyNames: { type: 'string', not: { type: 'string', pattern: '^(?:sum|avg|median|min|max)\\(' } },
}

/** Of `list --summary`: the members that it names, and at least one measure, which is null without a number. */
export const SUMMARY_ROW = oneOfSchemas(
  { ...sent({ count: { type: 'integer', minimum: 1 } }), required: ['count'] },
  { ...sent({}), not: WITHOUT_AGGREGATES },
)

/** Of `contacts duplicates`: records that are probably one. */
export const DUPLICATE_GROUP = made({
  by: TEXT,
  key: TEXT,
  ids: arrayOf(TEXT),
  winner: TEXT,
  score: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
} satisfies Record<keyof DuplicateGroup, JsonSchema>)

/** Of `delete ID`: the outcome for each id. */
export const DELETION = made(
  { id: TEXT, outcome: words<DeletionOutcome>({ done: true, failed: true, in_doubt: true, unsent: true }) },
  { error: ERROR_RECORD },
)

const METHOD = words<PlannedRequest['method']>({ POST: true, PUT: true, PATCH: true, DELETE: true })

/** Of `--dry-run`: the one request that would be sent. */
export const PLANNED_REQUEST = made(
  {
    dry_run: ALWAYS_TRUE,
    method: METHOD,
    path: TEXT,
  },
  { body: ANYTHING },
)

/** The old and the new value by member. */
const CHANGES: JsonSchema = { type: 'object', additionalProperties: made({ from: ANYTHING, to: ANYTHING }) }

/** Of `update ID --dry-run`. */
export const PLANNED_CHANGES = made(
  { id: TEXT, dry_run: ALWAYS_TRUE, method: METHOD, path: TEXT, changes: CHANGES },
  { body: ANYTHING },
)

const DIFFERENCE = { type: TEXT, id: TEXT, name: ANYTHING }

/** Of `crm diff`. */
export const DIFFERENCES = oneOfSchemas(
  made({ change: { enum: ['added', 'removed'] }, ...DIFFERENCE, record: ANY_OBJECT }),
  made({ change: { const: 'changed' }, ...DIFFERENCE, fields: CHANGES }),
)
