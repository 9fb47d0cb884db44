import { CrmError } from '../../core/errors.ts'
import type { ImportFlags } from './import-rows.ts'

export interface ManyFlags extends ImportFlags {
  /** A file of records, or `-`. */
  readonly from?: string
  readonly ifMatch?: string
  readonly idempotencyKey?: string
  /** `--set` may name a member that no record has. */
  readonly newField?: true
}

type Flag = keyof ManyFlags

/** How the rows of a file are read, matched and told from those of another run. */
const OF_FILES: readonly Flag[] = [
  ...(['map', 'null', 'compute', 'format', 'encoding', 'delimiter', 'quote', 'fromCsvSafe'] as const),
  ...(['match', 'mode', 'runId', 'again'] as const),
]

const OF_JOBS: readonly Flag[] = ['plan', 'concurrency', 'rateShare', 'maxErrors', 'maxOutage']

/** Ids make no job: a flag that only a job takes would be ignored, and --plan would be sent. `more`: others of this command. */
export function refuseBesideIds(flags: ManyFlags, more: readonly Flag[]): void {
  const flag = firstGiven(flags, [...OF_JOBS, ...OF_FILES, ...more])
  if (flag === undefined) return
  throw new CrmError('usage', `${flag} does not go with an id; nothing was sent`, {
    hint:
      flag === '--plan'
        ? '--dry-run shows what an id would do; a plan is made of --from FILE or --where EXPR'
        : 'leave it out, or name the records with --from FILE or --where EXPR',
  })
}

/** `instead` is what says which records: no file is read then. */
export function refuseWithoutFile(flags: ManyFlags, instead: string): void {
  const flag = firstGiven(flags, OF_FILES)
  if (flag === undefined) return
  throw new CrmError('usage', `${flag} is about the rows of a file, and ${instead} reads none`, {
    hint: 'leave it out, or name a file with --from FILE',
  })
}

function firstGiven(flags: ManyFlags, names: readonly Flag[]): string | undefined {
  const given = names.find((name) => flags[name] !== undefined)
  return given && `--${given.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`
}
