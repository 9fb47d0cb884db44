import type { JsonSchema } from '../../core/json.ts'
import { SETTING_KEYS } from '../../settings/setting.ts'
import {
  ALWAYS_TRUE,
  ANY_OBJECT,
  ANYTHING,
  arrayOf,
  COUNT,
  made,
  oneOfSchemas,
  orNull,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TRUE_OR_FALSE,
} from './json-schema.ts'

const TRUE_FALSE_OR_NULL: JsonSchema = { type: ['boolean', 'null'] }

/** Of `auth status`. `accepted` is null if the server could not be asked. */
export const AUTH_STATUS = made({
  profile: TEXT_OR_NULL,
  base_url: TEXT_OR_NULL,
  protected: TRUE_FALSE_OR_NULL,
  source: TEXT_OR_NULL,
  kept_in: TEXT_OR_NULL,
  bound_to: TEXT_OR_NULL,
  last_four: TEXT_OR_NULL,
  shadows: arrayOf(TEXT),
  accepted: TRUE_FALSE_OR_NULL,
  key_id: TEXT_OR_NULL,
  key_name: TEXT_OR_NULL,
  scopes: orNull(arrayOf(TEXT)),
  expires_at: TEXT_OR_NULL,
  sign_in: TEXT_OR_NULL,
  client_id: TEXT_OR_NULL,
  token_ends_at: TEXT_OR_NULL,
  refresh_ends_at: TEXT_OR_NULL,
  is_renewed: TRUE_FALSE_OR_NULL,
  rate_limit: TEXT_OR_NULL,
  account: TEXT_OR_NULL,
})

/** Of `objects`. */
export const SERVER_OBJECT = made({ name: TEXT, one: TEXT, own: TRUE_OR_FALSE, verbs: arrayOf(TEXT) })

/** Of `fields`: of a member that the server alone names, the name. */
export const SERVER_FIELD = {
  ...made({
    name: TEXT,
    label: TEXT,
    type: TEXT_OR_NULL,
    many: TRUE_OR_FALSE,
    options: orNull(arrayOf(TEXT)),
    required: TRUE_OR_FALSE,
    unique: TRUE_OR_FALSE,
    read_only: TRUE_OR_FALSE,
    to: TEXT_OR_NULL,
  }),
  required: ['name', 'label'],
}

export const PROFILE = made({
  profile: TEXT,
  active: TRUE_OR_FALSE,
  base_url: TEXT_OR_NULL,
  protected: TRUE_OR_FALSE,
  key: TEXT_OR_NULL,
  last_four: TEXT_OR_NULL,
})

export const SETTING_VALUE: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] }

export const SETTING = made({
  key: { enum: SETTING_KEYS },
  value: SETTING_VALUE,
  is_default: TRUE_OR_FALSE,
  meaning: TEXT,
})

export const CONNECTOR_ROW = made({
  name: TEXT,
  title: TEXT,
  resources: arrayOf(TEXT),
  docs: TEXT_OR_NULL,
})

export const CONNECTOR_CHECK = made({
  resource: TEXT,
  operation: TEXT,
  state: { enum: ['ok', 'warn', 'failed', 'not offered'] },
  seen: TEXT,
  code: TEXT_OR_NULL,
})

/** Ids that are not known yet stand as references, such as `${contacts.ada.id}`. */
const FIXTURE_FIELDS = ANY_OBJECT

export const FIXTURE_RECORD = made({ record: TEXT, fields: FIXTURE_FIELDS })

export const PLANNED_FIXTURE = made({
  record: TEXT,
  action: { enum: ['create', 'update', 'unchanged'] },
  id: TEXT_OR_NULL,
  fields: FIXTURE_FIELDS,
})

export const APPLIED_FIXTURE = made({
  record: TEXT,
  id: TEXT,
  action: { enum: ['created', 'taken_over', 'updated', 'unchanged'] },
})

export const FIXTURE_STATUS = made({
  record: TEXT,
  id: TEXT,
  state: { enum: ['there', 'gone', 'unverified', 'left'] },
})

export const DESTROYED_FIXTURE = made(
  {
    record: TEXT,
    id: TEXT,
    action: { enum: ['deleted', 'failed', 'gone', 'left', 'kept', 'in_doubt', 'found'] },
  },
  { reason: TEXT },
)

export const VERDICT = made({
  expected: TEXT,
  wanted: ANYTHING,
  found: ANYTHING,
  holds: { type: 'boolean' },
  place: TEXT,
})

export const STARTED_SANDBOX = made({ name: TEXT, base_url: TEXT, ends_at: TIME, pid: COUNT })

/** The variables of its seed among them. */
export const SANDBOX_ENV: JsonSchema = {
  type: 'object',
  properties: { CRM_BASE_URL: TEXT, CRM_API_KEY: TEXT },
  required: ['CRM_BASE_URL', 'CRM_API_KEY'],
  additionalProperties: TEXT,
}

/** `old`: of a dry run. */
export const SWEPT_FIXTURE = made(
  {
    run: TEXT,
    record: TEXT,
    id: TEXT,
    action: { enum: ['deleted', 'failed', 'gone', 'left', 'kept', 'in_doubt', 'locked', 'old'] },
  },
  { reason: TEXT },
)

/** A line of a snapshot: the first, those of records, and the last. */
export const SNAPSHOT_LINE = oneOfSchemas(
  made({
    crm_snapshot: { const: 1 },
    server: TEXT,
    taken_at: TIME,
    objects: { type: 'object', additionalProperties: TEXT },
  }),
  made({ type: TEXT, record: ANY_OBJECT }),
  {
    type: 'object',
    properties: { type: { const: 'end' } },
    required: ['type'],
    additionalProperties: COUNT,
  },
)

/** Of `crm api --dry-run`. */
export const PLANNED_CALL = made({
  dry_run: ALWAYS_TRUE,
  method: TEXT,
  path: TEXT,
  url: TEXT,
  headers: { type: 'object', additionalProperties: TEXT },
  body: TEXT_OR_NULL,
  idempotency_key: TEXT_OR_NULL,
})

/** Of `crm graphql --dry-run`. */
export const PLANNED_QUERY = made({
  dry_run: ALWAYS_TRUE,
  operation: { enum: ['query', 'mutation'] },
  query: TEXT,
  variables: ANY_OBJECT,
  idempotency_key: TEXT_OR_NULL,
})

/** GraphQL over HTTP: the answer as the server sent it. */
export const GRAPHQL_ANSWER: JsonSchema = {
  type: 'object',
  properties: { data: orNull(ANY_OBJECT), errors: arrayOf(ANY_OBJECT), extensions: ANY_OBJECT },
  additionalProperties: true,
}

/** A schema is a document of its own. */
export const A_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { $schema: TEXT },
  required: ['$schema'],
  additionalProperties: true,
}
