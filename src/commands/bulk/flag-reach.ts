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

/** How the rows of a file are read and matched, and which run they belong to. */
const OF_FILES: readonly Flag[] = [
  ...(['map', 'null', 'compute', 'format', 'encoding', 'delimiter', 'quote', 'fromCsvSafe'] as const),
  ...(['match', 'mode', 'runId', 'again'] as const),
]

const OF_JOBS: readonly Flag[] = ['plan', 'concurrency', 'rateShare', 'maxErrors', 'maxOutage']

/** An id makes no job: flags of jobs would be ignored, and a --plan would be sent. `more`: further flags of this command. */
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

/** `instead` selects the records, so no file is read. */
export function refuseWithoutFile(flags: ManyFlags, instead: string): void {
  const flag = firstGiven(flags, OF_FILES)
  if (flag === undefined) return
  throw new CrmError('usage', `${flag} applies to the rows of a file, and ${instead} reads none`, {
    hint: 'leave it out, or name a file with --from FILE',
  })
}

function firstGiven(flags: ManyFlags, names: readonly Flag[]): string | undefined {
  const given = names.find((name) => flags[name] !== undefined)
  return given && `--${given.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`
}
