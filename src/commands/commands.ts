import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../context.ts'
import { addApi } from './api/api.ts'
import { addApply } from './apply.ts'
import { addAuth } from './auth/auth.ts'
import { addBrowse } from './browse/browse.ts'
import { addCompletion } from './completion.ts'
import { addConfig } from './config/config.ts'
import { addContacts } from './contacts/contacts.ts'
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

/** One line a noun, in the order in which help shows them. */
export function addCommands(program: CommandUnknownOpts, act: Act): void {
  addContacts(program, act)
  addDeals(program, act)
  addNotes(program, act)
  addPipelines(program, act)
  addApply(program, act)
  addJobs(program, act)
  addWebhooks(program, act)
  addListen(program, act)
  addBrowse(program, act)
  addApi(program, act)
  addGraphql(program, act)
  addFixtures(program, act)
  addSnapshot(program, act)
  addDiff(program, act)
  addServe(program, act)
  addSandbox(program, act)
  addAuth(program, act)
  addConfig(program, act)
  addSchema(program, act)
  addDoctor(program, act)
  addCompletion(program, act)
}
