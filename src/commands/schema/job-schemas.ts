import type { JsonSchema } from '../../core/json.ts'
import type { JobState } from '../../jobs/history/job-state.ts'
import type { LeftOut } from '../../jobs/plan/left-out.ts'
import type { Matching } from '../../jobs/plan/planning.ts'
import type { Account } from '../../jobs/store/progress.ts'
import {
  ALWAYS_TRUE,
  ANY_OBJECT,
  ANYTHING,
  arrayOf,
  COUNT,
  COUNT_OR_NULL,
  made,
  oneOfSchemas,
  orNull,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  words,
} from './json-schema.ts'

const COUNTS = {
  rows: COUNT,
  done: COUNT,
  unchanged: COUNT,
  skipped: COUNT,
  failed: COUNT,
  in_doubt: COUNT,
  unsent: COUNT,
} satisfies Record<keyof Account, JsonSchema>

const MORE_COUNTS = { already: COUNT, other_values: COUNT, unguarded: COUNT, twice: COUNT_OR_NULL, repointed: COUNT }

/** The rows by outcome; they add up to `rows`. */
const ACCOUNT = made({ job: TEXT, ...COUNTS }, MORE_COUNTS)

/** A row that a plan does not change; for a conflict, the value before the job, the value it wrote, and the current one. */
export const LEFT_OUT_ROW = made({
  line: COUNT_OR_NULL,
  id: TEXT_OR_NULL,
  code: words<LeftOut['code']>({
    empty_row: true,
    no_match: true,
    done_before: true,
    conflict: true,
    as_before: true,
    gone: true,
    cannot: true,
    in_doubt: true,
    ambiguous_match: true,
    same_key: true,
    beyond_limit: true,
  }),
  field: TEXT_OR_NULL,
  reason: TEXT,
  was: ANYTHING,
  wrote: ANYTHING,
  now: ANYTHING,
})

const DURATION_OR_NULL: JsonSchema = { type: ['number', 'null'], minimum: 0 }

/** What a plan changes, as values: the most frequent changes of each member, and the first records. */
const PREVIEW = made({
  members: arrayOf(
    made({
      field: TEXT,
      changes: arrayOf(made({ was: ANYTHING, now: ANYTHING, count: COUNT })),
      others: COUNT,
      sum: orNull(made({ was: { type: 'number' }, now: { type: 'number' } })),
    }),
  ),
  samples: arrayOf(
    made({
      do: { enum: ['create', 'update', 'delete'] },
      id: TEXT_OR_NULL,
      line: COUNT_OR_NULL,
      was: ANY_OBJECT,
      now: ANY_OBJECT,
    }),
  ),
})

/** Of `--dry-run` and `--plan`. The limit is the last one that the server stated, or null. */
const PLAN = made(
  {
    dry_run: ALWAYS_TRUE,
    rows: COUNT,
    create: COUNT,
    update: COUNT,
    delete: COUNT,
    unchanged: COUNT,
    skipped: COUNT,
    ambiguous: COUNT,
    cannot_undo: COUNT,
    requests: COUNT,
    fields: arrayOf(made({ field: TEXT, create: COUNT, update: COUNT, clear: COUNT })),
    rate_limit: orNull(
      made({
        limit: COUNT_OR_NULL,
        window_ms: DURATION_OR_NULL,
        remaining: { type: 'number' },
        reset_in_ms: { type: 'number', minimum: 0 },
        share: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      }),
    ),
    eta_ms: DURATION_OR_NULL,
    left_out: arrayOf(LEFT_OUT_ROW),
  },
  {
    recheck_requests: COUNT,
    matched_by: words<Matching['by']>({ keys: true, list: true }),
    match_requests: COUNT,
    unmatchable: COUNT,
    upsert: TEXT,
    rejected: COUNT,
    repointed: COUNT,
    create_first: { type: 'object', additionalProperties: COUNT },
    preview: PREVIEW,
  },
)

/** The output of commands that send a job. */
export const JOB_RUN = oneOfSchemas(ACCOUNT, PLAN)

const PLANNED_JOB = made(
  { object: TEXT, create: COUNT, update: COUNT, delete: COUNT, requests: COUNT },
  { amount: { type: ['number', 'null'] }, records: arrayOf(ANY_OBJECT) },
)

/** Of a command that sends several jobs: a row for each. */
export const CHAIN_RUN = arrayOf(oneOfSchemas(made({ object: TEXT, job: TEXT, ...COUNTS }, MORE_COUNTS), PLANNED_JOB))

const STATE = words<JobState['state']>({ planned: true, running: true, stopped: true, finished: true, cancelled: true })

const JOB_MEMBERS = {
  id: TEXT,
  command: TEXT,
  server: TEXT,
  state: STATE,
  kind: words<JobState['head']['kind']>({
    import: true,
    update: true,
    delete: true,
    retry: true,
    undo: true,
    fixtures: true,
    merge: true,
    migrate: true,
    repoint: true,
  }),
  noun: TEXT,
  input: TEXT_OR_NULL,
  account: TEXT,
  ...COUNTS,
  under_way: COUNT,
  still_failed: COUNT,
  other_values: COUNT,
  first_other_value: TEXT_OR_NULL,
  of: TEXT_OR_NULL,
  undoes: TEXT_OR_NULL,
  part: TEXT_OR_NULL,
  undone_by: TEXT_OR_NULL,
  undone_part: TEXT_OR_NULL,
  undos: arrayOf(made({ job: TEXT, part: TEXT_OR_NULL })),
  needs: arrayOf(TEXT),
  chain: TEXT_OR_NULL,
  paused_by: TEXT_OR_NULL,
  made_at: TIME,
  run: TEXT,
  file: TEXT,
} satisfies Record<string, JsonSchema>

export const JOB = made(JOB_MEMBERS)

/** Of `jobs show`, which reads the whole plan. */
export const SHOWN_JOB = made({ ...JOB_MEMBERS, fields: arrayOf(TEXT) })

export const DAMAGED_JOB = made({ id: TEXT, state: { const: 'damaged' }, file: TEXT }, { reason: TEXT })

export const PRUNED_JOB = made({ id: TEXT, state: STATE })

/** A row of an upsert that exists more than once. */
export const DUPLICATE_ROW = made({ line: COUNT_OR_NULL, id: TEXT, ids: arrayOf(TEXT) })

/** A row that failed or is in doubt. */
export const FAILED_ROW = made({
  op: COUNT,
  line: COUNT_OR_NULL,
  id: TEXT_OR_NULL,
  do: { enum: ['create', 'update', 'delete', 'fail'] },
  state: { enum: ['failed', 'in_doubt'] },
  code: TEXT,
  field: TEXT_OR_NULL,
  reason: TEXT,
  request_id: TEXT_OR_NULL,
})

/** A request of a plan in a file. */
export const PLANNED_OPERATION = made(
  {
    op: COUNT,
    do: { enum: ['create', 'update', 'delete', 'fail'] },
    id: TEXT_OR_NULL,
    line: COUNT_OR_NULL,
    fields: { type: ['object', 'null'], additionalProperties: true },
    was: { type: ['object', 'null'], additionalProperties: true },
    reason: TEXT_OR_NULL,
  },
  { parent: TEXT, on: TEXT },
)

const MIGRATED_RESOURCE = { resource: TEXT, source: COUNT, migrated: COUNT, in_doubt: COUNT }

/** Of `migrate --dry-run`; `not_carried` has the number of records with each member that is not carried over. */
export const MIGRATION_PLAN = made({
  ...MIGRATED_RESOURCE,
  create: COUNT,
  change: COUNT,
  cannot: COUNT,
  not_carried: { type: 'object', additionalProperties: COUNT },
})

/** Null: the target has no list to compare with. */
export const MIGRATION_RESULT = made({
  ...MIGRATED_RESOURCE,
  failed: COUNT,
  equal: COUNT_OR_NULL,
  alike: COUNT_OR_NULL,
  different: COUNT_OR_NULL,
  missing: COUNT_OR_NULL,
  others: COUNT_OR_NULL,
  digest: TEXT_OR_NULL,
  target_digest: TEXT_OR_NULL,
})
