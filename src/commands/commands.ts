import { addApi } from './api/api.ts'
import { addApply } from './apply.ts'
import { AUTH } from './auth/auth.ts'
import { addBrowse } from './browse/browse.ts'
import type { Commands } from './command-tree.ts'
import { addCompletion } from './completion.ts'
import { CONFIG } from './config.ts'
import { CONTACTS } from './contacts.ts'
import { DEALS } from './deals/deals.ts'
import { addDiff } from './diff.ts'
import { addDoctor } from './doctor/doctor.ts'
import { FIXTURES } from './fixtures/fixtures.ts'
import { addGraphql } from './graphql/graphql.ts'
import { JOBS } from './jobs/jobs.ts'
import { NOTES } from './notes.ts'
import { PIPELINES } from './pipelines.ts'
import { SANDBOX } from './sandbox.ts'
import { addSchema } from './schema/schema.ts'
import { addServe } from './serve/serve.ts'
import { addSnapshot } from './snapshot.ts'
import { addListen } from './webhooks/listen.ts'
import { WEBHOOKS } from './webhooks/webhooks.ts'

/** A line for each, in the order in which help shows them. */
export const COMMANDS: Commands = {
  contacts: CONTACTS,
  deals: DEALS,
  notes: NOTES,
  pipelines: PIPELINES,
  apply: addApply,
  jobs: JOBS,
  webhooks: WEBHOOKS,
  listen: addListen,
  browse: addBrowse,
  api: addApi,
  graphql: addGraphql,
  fixtures: FIXTURES,
  snapshot: addSnapshot,
  diff: addDiff,
  serve: addServe,
  sandbox: SANDBOX,
  auth: AUTH,
  config: CONFIG,
  schema: addSchema,
  doctor: addDoctor,
  completion: addCompletion,
}
