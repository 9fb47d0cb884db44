import type { JobAccount, JobState } from '../bulk/job-types.ts'
import {
  ALWAYS_TRUE,
  COUNT,
  COUNT_OR_NULL,
  either,
  type JsonSchema,
  made,
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
} satisfies Record<keyof JobAccount, JsonSchema>

/** What became of every row: they add up to `rows`. */
const ACCOUNT = made({ job: TEXT, ...COUNTS })

/** Of `--dry-run` and `--plan`. */
const PLAN = made({
  dry_run: ALWAYS_TRUE,
  rows: COUNT,
  create: COUNT,
  update: COUNT,
  delete: COUNT,
  unchanged: COUNT,
  skipped: COUNT,
})

/** What every command prints that sends a job. */
export const JOB_RUN = either(ACCOUNT, PLAN)

const STATE = words<JobState['state']>({ planned: true, running: true, stopped: true, finished: true, cancelled: true })

export const JOB = made({
  id: TEXT,
  state: STATE,
  kind: words<JobState['head']['kind']>({
    import: true,
    update: true,
    delete: true,
    retry: true,
    undo: true,
    fixtures: true,
  }),
  noun: words<JobState['head']['noun']>({ contacts: true, deals: true, notes: true }),
  input: TEXT_OR_NULL,
  account: TEXT,
  ...COUNTS,
  of: TEXT_OR_NULL,
  paused_by: TEXT_OR_NULL,
  made_at: TIME,
  run: TEXT,
  folder: TEXT,
})

export const DAMAGED_JOB = made({ id: TEXT, state: { const: 'damaged' }, folder: TEXT }, { reason: TEXT })

export const PRUNED_JOB = made({ id: TEXT, state: STATE })

/** A row that failed, or whose fate nobody knows. */
export const FAILED_ROW = made({
  op: COUNT,
  line: COUNT_OR_NULL,
  id: TEXT_OR_NULL,
  do: { enum: ['create', 'update', 'delete'] },
  state: { enum: ['failed', 'in_doubt'] },
  code: TEXT,
  field: TEXT_OR_NULL,
  reason: TEXT,
  request_id: TEXT_OR_NULL,
})
