import { FIXTURE_RUNS_PATH } from '../../core/resources/registry.ts'
import { RUN_ID_PATTERN } from '../fixture-run-routes.ts'
import { PAGE_PARAMETERS } from '../page.ts'
import { EXAMPLES } from './examples.ts'
import { ALWAYS, answer, body, headerRefs, page, problems, USUAL_PROBLEMS } from './operations.ts'
import { type DocumentPart, refs } from './parameters.ts'

const RUN_ID: DocumentPart = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the run, which the client chooses.',
  schema: { type: 'string', pattern: RUN_ID_PATTERN },
  example: EXAMPLES.FixtureRun.id,
}

const TOKEN: DocumentPart = {
  name: 'token',
  in: 'query',
  required: true,
  description: 'The token of the lock.',
  schema: { type: 'string', pattern: RUN_ID_PATTERN },
  example: EXAMPLES.FixtureLock.token,
}

const WRITE_PROBLEMS = [...USUAL_PROBLEMS, '404', '409', '413', '415', '422'] as const

function done(description: string): DocumentPart {
  return { description, headers: headerRefs(ALWAYS) }
}

/** Beyond the nine endpoints: the states of runs of fixtures, and their locks. */
export const FIXTURE_RUN_PATHS: Readonly<Record<string, DocumentPart>> = {
  [FIXTURE_RUNS_PATH]: {
    get: {
      operationId: 'listFixtureRuns',
      tags: ['fixtures'],
      summary: 'List the runs of fixtures',
      description: 'In the order of their ids, in pages, without their states.',
      parameters: refs(...PAGE_PARAMETERS),
      responses: { 200: page('A page of runs.', 'ListedFixtureRun'), ...problems(...USUAL_PROBLEMS) },
    },
  },
  [`${FIXTURE_RUNS_PATH}/{id}`]: {
    parameters: [RUN_ID],
    get: {
      operationId: 'showFixtureRun',
      tags: ['fixtures'],
      summary: 'Show a run of fixtures',
      description: 'With its state, and who holds its lock.',
      responses: { 200: answer('The run.', 'FixtureRun'), ...problems(...USUAL_PROBLEMS, '404') },
    },
    patch: {
      operationId: 'keepFixtureState',
      tags: ['fixtures'],
      summary: 'Keep the state of a run of fixtures',
      description:
        'Replaces the state. Refused unless the token holds the lock, so that a client that was taken over writes nothing.',
      requestBody: body('FixtureState'),
      responses: { 204: done('The state is kept.'), ...problems(...WRITE_PROBLEMS) },
    },
  },
  [`${FIXTURE_RUNS_PATH}/{id}/lock`]: {
    parameters: [RUN_ID],
    post: {
      operationId: 'lockFixtureRun',
      tags: ['fixtures'],
      summary: 'Take the lock of a run of fixtures',
      description:
        'Makes the run if it is missing. Takes over a lock that has expired. Repeated with the same token, it has the same effect.',
      requestBody: body('FixtureLock'),
      responses: {
        200: answer('The run, whose lock is held.', 'FixtureRun'),
        ...problems(...WRITE_PROBLEMS.filter((status) => status !== '404')),
      },
    },
    patch: {
      operationId: 'renewFixtureLock',
      tags: ['fixtures'],
      summary: 'Renew the lock of a run of fixtures',
      description: 'Also after it has expired, unless another client has taken it.',
      requestBody: body('FixtureLockRenewal'),
      responses: { 200: answer('When the lock expires.', 'RenewedFixtureLock'), ...problems(...WRITE_PROBLEMS) },
    },
    delete: {
      operationId: 'unlockFixtureRun',
      tags: ['fixtures'],
      summary: 'Give up the lock of a run of fixtures',
      description: 'Refused when the token does not hold the lock.',
      parameters: [TOKEN],
      responses: { 204: done('The lock is free.'), ...problems(...USUAL_PROBLEMS, '404', '409') },
    },
  },
}
