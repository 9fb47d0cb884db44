import { addApi } from './api/api.ts'
import { addApply } from './apply.ts'
import { AUTH_COMMANDS } from './auth/auth.ts'
import { addBrowse } from './browse/browse.ts'
import type { Commands } from './command-tree.ts'
import { addCompletion } from './completion.ts'
import { CONFIG_COMMANDS } from './config.ts'
import { CONNECTORS_COMMANDS } from './connectors/connectors.ts'
import { CONTACTS_COMMANDS } from './contacts.ts'
import { DEALS_COMMANDS } from './deals/deals.ts'
import { addDiff } from './diff.ts'
import { addDoctor } from './doctor/doctor.ts'
import { FIXTURES_COMMANDS } from './fixtures/fixtures.ts'
import { addGraphql } from './graphql/graphql.ts'
import { addHistory } from './history/history.ts'
import { JOBS_COMMANDS } from './jobs/jobs.ts'
import { addMigrate } from './migrate/migrate.ts'
import { NOTES_COMMANDS } from './notes.ts'
import { PIPELINES_COMMANDS } from './pipelines.ts'
import { PLAN_COMMANDS } from './plan.ts'
import { REPORT_COMMANDS } from './report/report.ts'
import { SANDBOX_COMMANDS } from './sandbox/sandbox.ts'
import { addSchema } from './schema/schema.ts'
import { addServe } from './serve/serve.ts'
import { addSnapshot } from './snapshot.ts'
import { addListen } from './webhooks/listen.ts'
import { WEBHOOKS_COMMANDS } from './webhooks/webhooks.ts'

/** A line for each, in the order in which help shows them. */
export const COMMANDS: Commands = {
  contacts: CONTACTS_COMMANDS,
  deals: DEALS_COMMANDS,
  notes: NOTES_COMMANDS,
  pipelines: PIPELINES_COMMANDS,
  report: REPORT_COMMANDS,
  plan: PLAN_COMMANDS,
  apply: addApply,
  jobs: JOBS_COMMANDS,
  history: addHistory,
  webhooks: WEBHOOKS_COMMANDS,
  listen: addListen,
  browse: addBrowse,
  api: addApi,
  graphql: addGraphql,
  fixtures: FIXTURES_COMMANDS,
  snapshot: addSnapshot,
  diff: addDiff,
  migrate: addMigrate,
  serve: addServe,
  sandbox: SANDBOX_COMMANDS,
  auth: AUTH_COMMANDS,
  config: CONFIG_COMMANDS,
  connectors: CONNECTORS_COMMANDS,
  schema: addSchema,
  doctor: addDoctor,
  completion: addCompletion,
}
