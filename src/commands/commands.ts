import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../context.ts'
import { addApi } from './api/api.ts'
import { addApply } from './apply.ts'
import { addAuth } from './auth/auth.ts'
import { addBrowse } from './browse/browse.ts'
import { addCompletion } from './completion.ts'
import { addConfig } from './config/config.ts'
import { addContacts } from './contacts.ts'
import { addDeals } from './deals/deals.ts'
import { addDiff } from './diff.ts'
import { addDoctor } from './doctor/doctor.ts'
import { addFixtures } from './fixtures/fixtures.ts'
import { addGraphql } from './graphql/graphql.ts'
import { addJobs } from './jobs/jobs.ts'
import { addNotes } from './notes/notes.ts'
import { addPipelines } from './pipelines/pipelines.ts'
import { addSandbox } from './sandbox/sandbox.ts'
import { addSchema } from './schema/schema.ts'
import { addServe } from './serve/serve.ts'
import { addSnapshot } from './snapshot.ts'
import { addListen } from './webhooks/listen.ts'
import { addWebhooks } from './webhooks/webhooks.ts'

type AddNoun = (program: CommandUnknownOpts, act: Act) => void

/** One line a noun, in the order in which help shows them. */
const NOUNS: Readonly<Record<string, AddNoun>> = {
  contacts: addContacts,
  deals: addDeals,
  notes: addNotes,
  pipelines: addPipelines,
  apply: addApply,
  jobs: addJobs,
  webhooks: addWebhooks,
  listen: addListen,
  browse: addBrowse,
  api: addApi,
  graphql: addGraphql,
  fixtures: addFixtures,
  snapshot: addSnapshot,
  diff: addDiff,
  serve: addServe,
  sandbox: addSandbox,
  auth: addAuth,
  config: addConfig,
  schema: addSchema,
  doctor: addDoctor,
  completion: addCompletion,
}

/**
 * All commands; only those of one noun where `firstWord` is its name: the words behind it are about no other, and the whole
 * tree takes longer to build than a request takes.
 */
export function addCommands(program: CommandUnknownOpts, act: Act, firstWord?: string): void {
  const isNoun = firstWord !== undefined && Object.hasOwn(NOUNS, firstWord)
  for (const [name, add] of Object.entries(NOUNS)) if (!isNoun || name === firstWord) add(program, act)
}
