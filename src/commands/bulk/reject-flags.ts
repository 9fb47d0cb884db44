import { type Command, Option } from 'commander'
import { CrmError } from '../../core/errors.ts'
import type { Duplicates } from '../../jobs/plan/plan-format.ts'
import type { ImportRequest } from '../../jobs/plan/plan-rows.ts'
import { parseRowsOrPart } from './bulk-flags.ts'

/** What becomes of rows that cannot be sent as they are. */
export interface RejectFlags {
  readonly rejects?: string
  readonly maxRejects?: NonNullable<ImportRequest['rejects']>['most']
  readonly duplicates?: Duplicates | undefined
}

export function addRejectFlags(command: object): void {
  const options = [
    new Option('--rejects <file>', 'send the good rows, and write those with errors to this file'),
    new Option('--max-rejects <n>', 'with --rejects: send nothing if more than n rows, or N%, have errors').argParser(
      parseRowsOrPart,
    ),
  ]
  for (const option of options) (command as Command).addOption(option)
}

export function rejectTerms({ rejects, maxRejects, duplicates }: RejectFlags, input: string) {
  if (maxRejects !== undefined && rejects === undefined) {
    throw new CrmError('usage', '--max-rejects needs --rejects FILE, which takes the rows with errors', {
      hint: 'without --rejects any error refuses the whole file',
    })
  }
  if (rejects !== undefined && rejects === input) {
    throw new CrmError('usage', `--rejects ${rejects} is the input itself`, { hint: 'name another file' })
  }
  return {
    rejects: rejects === undefined ? undefined : { path: rejects, most: maxRejects },
    duplicates: duplicates ?? ('error' as const),
  }
}
