import type { JsonSchema } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { OPEN_RESOURCES, type OpenResource, RESOURCES } from '../../core/resources/registry.ts'
import { EVENT, KEPT_EVENT, LISTEN_EVENT, LOGGED_EVENT, SHOWN_EVENT, TRIGGERED, VERIFIED } from './event-schemas.ts'
import {
  CHAIN_RUN,
  DAMAGED_JOB,
  DUPLICATE_ROW,
  FAILED_ROW,
  JOB,
  JOB_RUN,
  LEFT_OUT_ROW,
  MIGRATION_PLAN,
  MIGRATION_RESULT,
  PLANNED_OPERATION,
  PRUNED_JOB,
  SHOWN_JOB,
} from './job-schemas.ts'
import { ANY_OBJECT, ANYTHING, arrayOf, COUNT, ERROR, made, oneOfSchemas, TEXT, TEXT_OR_NULL } from './json-schema.ts'
import {
  A_SCHEMA,
  APPLIED_FIXTURE,
  AUTH_STATUS,
  CONNECTOR_CHECK,
  CONNECTOR_ROW,
  DESTROYED_FIXTURE,
  FIXTURE_RECORD,
  FIXTURE_STATUS,
  GRAPHQL_ANSWER,
  PLANNED_CALL,
  PLANNED_FIXTURE,
  PLANNED_QUERY,
  PROFILE,
  SANDBOX_ENV,
  SERVER_FIELD,
  SERVER_OBJECT,
  SETTING,
  SETTING_VALUE,
  SNAPSHOT_LINE,
  STARTED_SANDBOX,
  SWEPT_FIXTURE,
  VERDICT,
} from './local-schemas.ts'
import {
  DEAL_SCHEMA,
  DELETION,
  DIFFERENCES,
  DUPLICATE_GROUP,
  NOTE_SCHEMA,
  PIPELINE_SCHEMA,
  PLANNED_CHANGES,
  PLANNED_REQUEST,
  recordSchema,
  STAGE_SCHEMA,
  SUMMARY_ROW,
  USER_SCHEMA,
  WEBHOOK_SCHEMA,
} from './record-schemas.ts'
import {
  BACKUP,
  CHANGE,
  COPIED_TABLE,
  DIAGNOSIS,
  KEY_USE,
  NEW_SERVICE_KEY,
  READY,
  RESTORED,
  SERVICE_KEY,
  STATS,
} from './service-schemas.ts'

const NUMBER: JsonSchema = { type: 'number' }

const NUMBER_OR_NULL: JsonSchema = { type: ['number', 'null'] }

const PIPELINE_REPORT_ROW = made({
  pipeline_id: TEXT_OR_NULL,
  stage: TEXT_OR_NULL,
  deals: COUNT,
  amount: NUMBER,
  probability: NUMBER_OR_NULL,
  weighted: NUMBER_OR_NULL,
})

const OWNER_REPORT_ROW = made({
  owner_id: TEXT_OR_NULL,
  deals: COUNT,
  amount: NUMBER,
  open: COUNT,
  open_amount: NUMBER,
  won: COUNT,
  won_amount: NUMBER,
  last_change: TEXT_OR_NULL,
})

/** Of `--of`; the amounts are null for records without one. */
const OWNED_REPORT_ROW = made({
  object: TEXT,
  records: COUNT,
  open: COUNT,
  amount: NUMBER_OR_NULL,
  open_amount: NUMBER_OR_NULL,
})

const DAY: JsonSchema = { ...TEXT, pattern: '^\\d{4}-\\d\\d-\\d\\d$' }

/** The member of the period is named after `--by`; those of a resource are absent if the server does not list it. */
const ACTIVITY_REPORT_ROW = made(
  {},
  {
    ...{ day: DAY, week: DAY, month: DAY },
    ...{ contacts_created: COUNT, contacts_changed: COUNT, deals_created: COUNT, deals_changed: COUNT },
  },
)

const RESENT_EVENT = made({ webhook_id: TEXT, event_id: TEXT })

/** The output of each command with `-o json`, before `--fields` and `--jq`; `error` is the last line of stderr. */
const DOCUMENTS: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(OPEN_RESOURCES.flatMap(plainOutputs)),
  'deals restore': JOB_RUN,
  'deals list': oneOfSchemas(arrayOf(DEAL_SCHEMA), arrayOf(SUMMARY_ROW)),
  'deals stale': oneOfSchemas(arrayOf(DEAL_SCHEMA), arrayOf(SUMMARY_ROW)),
  'report pipeline': arrayOf(PIPELINE_REPORT_ROW),
  'report owners': oneOfSchemas(arrayOf(OWNER_REPORT_ROW), arrayOf(OWNED_REPORT_ROW)),
  'report activity': arrayOf(ACTIVITY_REPORT_ROW),
  'deals get': oneOfSchemas(DEAL_SCHEMA, arrayOf(DEAL_SCHEMA)),
  'deals create': oneOfSchemas(DEAL_SCHEMA, PLANNED_REQUEST),
  'deals update': oneOfSchemas(DEAL_SCHEMA, PLANNED_CHANGES, JOB_RUN),
  'deals delete': oneOfSchemas(arrayOf(oneOfSchemas(DELETION, DEAL_SCHEMA)), JOB_RUN),
  'deals export': arrayOf(DEAL_SCHEMA),
  'deals import': JOB_RUN,
  'notes list': arrayOf(NOTE_SCHEMA),
  'notes export': arrayOf(NOTE_SCHEMA),
  'notes add': oneOfSchemas(NOTE_SCHEMA, PLANNED_REQUEST),
  'notes delete': arrayOf(DELETION),
  'notes import': JOB_RUN,
  'pipelines list': arrayOf(PIPELINE_SCHEMA),
  'pipelines stages': arrayOf(STAGE_SCHEMA),
  'users list': arrayOf(USER_SCHEMA),
  history: arrayOf(CHANGE),
  'deals history': arrayOf(CHANGE),
  'plan show': arrayOf(PLANNED_OPERATION),
  reassign: CHAIN_RUN,
  apply: JOB_RUN,
  'jobs list': arrayOf(oneOfSchemas(JOB, DAMAGED_JOB)),
  'jobs show': SHOWN_JOB,
  'jobs resume': oneOfSchemas(JOB_RUN, CHAIN_RUN),
  'jobs failed': arrayOf(oneOfSchemas(FAILED_ROW, LEFT_OUT_ROW, DUPLICATE_ROW)),
  'jobs retry': JOB_RUN,
  'jobs undo': oneOfSchemas(JOB_RUN, CHAIN_RUN),
  'jobs cancel': oneOfSchemas(JOB, arrayOf(JOB), DAMAGED_JOB),
  'jobs prune': arrayOf(PRUNED_JOB),
  'webhooks create': oneOfSchemas(WEBHOOK_SCHEMA, PLANNED_REQUEST),
  'webhooks list': arrayOf(WEBHOOK_SCHEMA),
  'webhooks get': oneOfSchemas(WEBHOOK_SCHEMA, arrayOf(WEBHOOK_SCHEMA)),
  'webhooks update': oneOfSchemas(WEBHOOK_SCHEMA, PLANNED_REQUEST),
  'webhooks delete': arrayOf(DELETION),
  'webhooks enable': WEBHOOK_SCHEMA,
  'webhooks disable': WEBHOOK_SCHEMA,
  'webhooks rotate': made({ id: TEXT, secret: TEXT }),
  'webhooks secret': TEXT,
  'webhooks test': ANY_OBJECT,
  'webhooks deliveries': arrayOf(ANY_OBJECT),
  'webhooks resend': oneOfSchemas(RESENT_EVENT, arrayOf(RESENT_EVENT)),
  'webhooks wait': oneOfSchemas(EVENT, arrayOf(EVENT)),
  'webhooks events list': arrayOf(KEPT_EVENT),
  'webhooks events show': SHOWN_EVENT,
  'webhooks verify': VERIFIED,
  'webhooks types': TEXT,
  'webhooks trigger': oneOfSchemas(TRIGGERED, PLANNED_REQUEST),
  api: oneOfSchemas(PLANNED_CALL, ANYTHING),
  graphql: oneOfSchemas(PLANNED_QUERY, GRAPHQL_ANSWER),
  'fixtures validate': arrayOf(FIXTURE_RECORD),
  'fixtures plan': arrayOf(PLANNED_FIXTURE),
  'fixtures apply': arrayOf(APPLIED_FIXTURE),
  'fixtures status': arrayOf(FIXTURE_STATUS),
  'fixtures verify': arrayOf(VERDICT),
  'fixtures destroy': arrayOf(DESTROYED_FIXTURE),
  'fixtures sweep': arrayOf(SWEPT_FIXTURE),
  'sandbox start': STARTED_SANDBOX,
  'sandbox env': SANDBOX_ENV,
  'sandbox list': arrayOf(STARTED_SANDBOX),
  'fixtures schema': A_SCHEMA,
  diff: arrayOf(DIFFERENCES),
  migrate: arrayOf(oneOfSchemas(MIGRATION_PLAN, MIGRATION_RESULT)),
  'serve keys create': NEW_SERVICE_KEY,
  'serve keys list': arrayOf(SERVICE_KEY),
  'serve keys rotate': NEW_SERVICE_KEY,
  'serve keys audit': arrayOf(KEY_USE),
  'serve backup': BACKUP,
  'serve restore': RESTORED,
  'serve copy': arrayOf(COPIED_TABLE),
  'serve stats': STATS,
  'auth status': oneOfSchemas(AUTH_STATUS, arrayOf(PROFILE)),
  'auth token': TEXT,
  'config get': SETTING_VALUE,
  'config list': arrayOf(SETTING),
  'config path': TEXT,
  objects: arrayOf(SERVER_OBJECT),
  fields: arrayOf(SERVER_FIELD),
  'connectors list': arrayOf(CONNECTOR_ROW),
  'connectors show': ANY_OBJECT,
  'connectors check': arrayOf(CONNECTOR_CHECK),
  doctor: DIAGNOSIS,
  schema: oneOfSchemas(A_SCHEMA, arrayOf(TEXT)),
  error: ERROR,
}

/** Commands that print a stream or a file of lines: the schema is that of one line. */
const LINES: Readonly<Record<string, JsonSchema>> = {
  'webhooks listen': LISTEN_EVENT,
  listen: LISTEN_EVENT,
  'webhooks replay': LISTEN_EVENT,
  'webhooks events export': LOGGED_EVENT,
  snapshot: SNAPSHOT_LINE,
  serve: READY,
}

export const OUTPUT_NAMES: readonly string[] = [...Object.keys(DOCUMENTS), ...Object.keys(LINES)]

/** The schema in the dialect of 2020-12; undefined for a command that prints no JSON. */
export function outputSchema(name: string): JsonSchema | undefined {
  const document = Object.hasOwn(DOCUMENTS, name) ? DOCUMENTS[name] : undefined
  const line = Object.hasOwn(LINES, name) ? LINES[name] : undefined
  if (line) return titled(`a line of crm ${name}`, line)
  return document && titled(name === 'error' ? 'the last line of stderr' : `crm ${name} -o json`, document)
}

function titled(title: string, schema: JsonSchema): JsonSchema {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema }
}

function plainOutputs(resource: OpenResource): readonly (readonly [command: string, schema: JsonSchema])[] {
  const { plural, duplicatesBy }: ResourceDefinition = RESOURCES[resource]
  const record = recordSchema(resource)
  const ofDuplicates = [
    [`${plural} duplicates`, arrayOf(DUPLICATE_GROUP)],
    [`${plural} merge`, JOB_RUN],
  ] as const
  return [
    [`${plural} list`, oneOfSchemas(arrayOf(record), arrayOf(SUMMARY_ROW))],
    [`${plural} get`, oneOfSchemas(record, arrayOf(record))],
    [`${plural} create`, oneOfSchemas(record, PLANNED_REQUEST)],
    [`${plural} update`, oneOfSchemas(record, PLANNED_CHANGES, JOB_RUN)],
    [`${plural} delete`, oneOfSchemas(arrayOf(oneOfSchemas(DELETION, record)), JOB_RUN)],
    [`${plural} export`, arrayOf(record)],
    [`${plural} import`, JOB_RUN],
    [`${plural} history`, arrayOf(CHANGE)],
    [`${plural} restore`, JOB_RUN],
    ...(duplicatesBy === undefined ? [] : ofDuplicates),
  ]
}
