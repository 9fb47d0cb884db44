import { PLAIN_RESOURCES, type PlainResource, RESOURCES } from '../../core/resources/registry.ts'
import { EVENT, LISTEN_EVENT, LOGGED_EVENT, SHOWN_EVENT, TRIGGERED, VERIFIED } from './event-schemas.ts'
import { DAMAGED_JOB, FAILED_ROW, JOB, JOB_RUN, LEFT_OUT_ROW, PRUNED_JOB, TWIN } from './job-schemas.ts'
import { ANYTHING, ERROR, either, type JsonSchema, listOf, TEXT } from './json-schema.ts'
import {
  A_SCHEMA,
  APPLIED_FIXTURE,
  AUTH_STATUS,
  DESTROYED_FIXTURE,
  FIXTURE_RECORD,
  FIXTURE_STATUS,
  GRAPHQL_ANSWER,
  PLANNED_CALL,
  PLANNED_FIXTURE,
  PLANNED_QUERY,
  PROFILE,
  SETTING,
  SETTING_VALUE,
  SNAPSHOT_LINE,
} from './local-schemas.ts'
import {
  DEAL,
  DEAL_GROUP,
  DELETION,
  DIFFERENCES,
  NOTE,
  PIPELINE,
  PLANNED_CHANGES,
  PLANNED_REQUEST,
  recordSchema,
  STAGE,
  WEBHOOK,
} from './record-schemas.ts'
import { BACKUP, DIAGNOSIS, KEY_USE, NEW_SERVICE_KEY, READY, SERVICE_KEY, STATS } from './service-schemas.ts'

/** The output of each command with `-o json`, before `--fields` and `--jq`; `error` is the last line of stderr. */
const DOCUMENTS: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(PLAIN_RESOURCES.flatMap(plainOutputs)),
  'deals list': either(listOf(DEAL), listOf(DEAL_GROUP)),
  'deals get': either(DEAL, listOf(DEAL)),
  'deals create': either(DEAL, PLANNED_REQUEST),
  'deals update': either(DEAL, PLANNED_CHANGES, JOB_RUN),
  'deals export': listOf(DEAL),
  'deals import': JOB_RUN,
  'notes list': listOf(NOTE),
  'notes add': either(NOTE, PLANNED_REQUEST),
  'notes import': JOB_RUN,
  'pipelines list': listOf(PIPELINE),
  'pipelines stages': listOf(STAGE),
  apply: JOB_RUN,
  'jobs list': listOf(either(JOB, DAMAGED_JOB)),
  'jobs show': JOB,
  'jobs resume': JOB_RUN,
  'jobs failed': listOf(either(FAILED_ROW, LEFT_OUT_ROW, TWIN)),
  'jobs retry': JOB_RUN,
  'jobs undo': JOB_RUN,
  'jobs cancel': either(JOB, DAMAGED_JOB),
  'jobs prune': listOf(PRUNED_JOB),
  'webhooks create': either(WEBHOOK, PLANNED_REQUEST),
  'webhooks list': listOf(WEBHOOK),
  'webhooks wait': either(EVENT, listOf(EVENT)),
  'webhooks events list': listOf(EVENT),
  'webhooks events show': SHOWN_EVENT,
  'webhooks verify': VERIFIED,
  'webhooks trigger': either(TRIGGERED, PLANNED_REQUEST),
  api: either(PLANNED_CALL, ANYTHING),
  graphql: either(PLANNED_QUERY, GRAPHQL_ANSWER),
  'fixtures validate': listOf(FIXTURE_RECORD),
  'fixtures plan': listOf(PLANNED_FIXTURE),
  'fixtures apply': listOf(APPLIED_FIXTURE),
  'fixtures status': listOf(FIXTURE_STATUS),
  'fixtures destroy': listOf(DESTROYED_FIXTURE),
  'fixtures schema': A_SCHEMA,
  diff: listOf(DIFFERENCES),
  'serve keys create': NEW_SERVICE_KEY,
  'serve keys list': listOf(SERVICE_KEY),
  'serve keys rotate': NEW_SERVICE_KEY,
  'serve keys audit': listOf(KEY_USE),
  'serve backup': BACKUP,
  'serve stats': STATS,
  'auth status': either(AUTH_STATUS, listOf(PROFILE)),
  'auth token': TEXT,
  'config get': SETTING_VALUE,
  'config list': listOf(SETTING),
  'config path': TEXT,
  doctor: DIAGNOSIS,
  schema: either(A_SCHEMA, listOf(TEXT)),
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

function plainOutputs(resource: PlainResource): readonly (readonly [command: string, schema: JsonSchema])[] {
  const { plural } = RESOURCES[resource]
  const record = recordSchema(resource)
  return [
    [`${plural} list`, listOf(record)],
    [`${plural} get`, either(record, listOf(record))],
    [`${plural} create`, either(record, PLANNED_REQUEST)],
    [`${plural} update`, either(record, PLANNED_CHANGES, JOB_RUN)],
    [`${plural} delete`, either(listOf(either(DELETION, record)), JOB_RUN)],
    [`${plural} export`, listOf(record)],
    [`${plural} import`, JOB_RUN],
  ]
}
