import type { Offers } from '../../api/connectors/connector.ts'
import { CrmError } from '../../core/errors.ts'
import { isListed, matchHint, resourceOf } from '../../core/resources/registry.ts'
import type { Findings, FormatSummary, RowOptions } from '../input/row.ts'
import { type PlanningContext, runId } from './make-job.ts'
import { refuseAbsentNames } from './match-rows.ts'
import type { Part } from './part-of-plan.ts'
import type { ImportTerms, JobNoun } from './plan-format.ts'
import type { MatchRequest } from './plan-rows.ts'
import type { Duplicates } from './repeated-rows.ts'
import type { MostRejects } from './row-errors.ts'

/** How the input is read, as given by flags alone. */
export type ReadFlags = Omit<
  RowOptions,
  'readSheet' | 'path' | 'text' | 'name' | 'kind' | 'isMatchedById' | 'stages' | 'signal' | 'note' | 'nowMs'
>

export interface ImportRequest {
  readonly noun: JobNoun
  /** `delete`: the records of the rows are deleted. */
  readonly kind: 'import' | 'update' | 'delete' | 'retry'
  /** What the rows become; for a retry, as in the job that it retries. */
  readonly as: ImportTerms['as']
  /** The job whose failed rows these are. */
  readonly of: string | undefined
  /** A file, or `-`. */
  readonly inputName: string
  readonly read: ReadFlags
  readonly stages: readonly string[] | undefined
  readonly match: MatchRequest
  /** `--run-id`; undefined: of the command and the name of the file. */
  readonly run: string | undefined
  /** The part of the rate limit to use. */
  readonly rateShare: number
  /** A new run, whatever was done before. */
  readonly isAgain: boolean
  readonly duplicates: Duplicates
  readonly part: Part
  /** Receives the findings, all of them, if they refuse the input; undefined: only the first of each cause are kept. */
  readonly listFindings: ((findings: Findings) => Promise<void>) | undefined
  /** `--rejects`: rows with errors fail alone; undefined: they refuse the input. */
  readonly rejects: { readonly path: string; readonly most: MostRejects } | undefined
}

/** Adds the match by id for an input with an id column. */
export function matchOf(
  { as, match, noun, inputName, read, duplicates }: ImportRequest,
  summary: FormatSummary,
  offers: Offers,
): MatchRequest {
  const { columns } = summary
  const hasIds = columns.some(({ field }) => field === 'id')
  const resource = resourceOf(noun)
  const canMatch = offers(resource, as === 'delete' ? 'delete' : 'update')
  if (match.names.length === 0 && hasIds && canMatch) return { names: ['id'], mode: 'update' }
  if (match.names.length === 0 && as !== 'import') {
    throw new CrmError(
      'invalid_input',
      `${inputName} has no column id to select the records to ${as === 'delete' ? as : 'update'}`,
      {
        hint: `name a field that identifies a ${resource}: --match ${matchHint(resource)}`,
      },
    )
  }
  if (match.names.length > 0 && !canMatch) {
    throw new CrmError('not_supported', `an import only creates ${noun}, so --match does not apply`, {
      hint: isListed(resource) ? `crm ${noun} update --from FILE changes existing ones` : 'leave --match out',
    })
  }
  refuseDuplicatesAlone(match, duplicates, matchHint(resource))
  refuseAbsentNames(match.names, { resource, inputName, compute: read.compute, summary })
  return match
}

function refuseDuplicatesAlone({ names }: MatchRequest, duplicates: Duplicates, hint: string): void {
  if (names.length > 0 || duplicates === 'error') return
  throw new CrmError('usage', `--duplicates ${duplicates} needs --match: rows are the same if they have the same key`, {
    hint: `--match ${hint} --duplicates ${duplicates}`,
  })
}

export function firstRunOf(
  context: PlanningContext,
  { kind, noun, inputName, read, match, run, duplicates, part }: ImportRequest,
): string {
  const mapping = mappingOf(read)
  if (duplicates !== 'error') mapping.push(['duplicates', duplicates])
  if (match.names.length > 0) mapping.push(['match', match.names], ['mode', match.mode])
  // The rest of the file is another run: the same file is not done when a part of it is.
  if (run !== undefined) return part ? `${run} ${JSON.stringify(part)}` : run
  if (part) mapping.push(['part', JSON.stringify(part)])
  return runId({ account: context.account, kind, noun, mapping, inputName })
}

function mappingOf(read: ReadFlags): [string, string | readonly string[] | undefined][] {
  return [
    ['map', read.map],
    ['null', read.nullToken],
    ['clear-empty', read.isEmptyCleared ? 'yes' : undefined],
    ['compute', read.compute],
    ['format', read.format],
    ['sheet', read.sheet],
    ['encoding', read.encoding],
    ['delimiter', read.delimiter],
    ['quote', read.quote],
    ['trim', read.isTrimmed ? 'yes' : undefined],
    ['decimal', read.decimal],
    ['date-format', read.dateOrder],
  ]
}
