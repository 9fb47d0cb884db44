import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { RowTerms } from '../../jobs/history/find-jobs.ts'
import type { ImportRequest } from '../../jobs/plan/plan-rows.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import {
  addMatchFlags,
  addReadFlags,
  addRecheckFlag,
  addRunFlags,
  type InputFlags,
  matchRequest,
  readFlags,
  rejectCreateMode,
} from '../bulk/bulk-flags.ts'
import { type ManyFlags, refuseWithoutFile } from '../bulk/change-many.ts'
import { addCreateMissingFlag, type ImportFlags, importAs, showOrSendMade } from '../bulk/import-rows.ts'
import { addExpectFlag } from '../bulk/plan.ts'
import { addRejectFlags, rejectTerms } from '../bulk/reject-flags.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'

export function addJobsRetry(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('retry <job>')
    .description('send the failed rows again, unchanged or corrected')
    .option('--from <file>', 'the corrected rows: the file that the job left, edited')
    .addHelpText('after', examples('crm jobs retry psve', 'crm jobs retry psve --from failed.csv'))
    .action(act(retryJob))
  addMatchFlags(command)
  addReadFlags(command)
  addRejectFlags(command)
  addCreateMissingFlag(command)
  addExpectFlag(command)
  addRunFlags(command)
  addRecheckFlag(command)
  addScopedFlags(command, ['yes', 'dryRun', 'exitCode', 'progress'])
}

async function retryJob(ctx: Context, word: string, flags: ManyFlags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const paths = jobs.find(word)
  if (flags.from === undefined) {
    refuseWithoutFile(flags, 'a retry without --from')
    return showOrSendMade(ctx, await jobs.plan('retry', { paths }), word, flags)
  }
  return retryRows(ctx, paths, flags.from, flags)
}

/** Sends the corrected rows of a job on the terms of the job; flags override them. */
async function retryRows(ctx: Context, paths: JobPaths, file: string, flags: ImportFlags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const [{ head }, kept] = [await jobs.of(paths).state(), jobs.of(paths).rowTerms()]
  const as = kept.terms?.as ?? (kept.kind === 'update' || kept.kind === 'delete' ? kept.kind : 'import')
  if (as !== 'import') rejectCreateMode(flags, { noun: head.noun, kind: as })
  else if (!kept.terms) requireTerms(paths, flags)
  return importAs(
    ctx,
    {
      ...{ noun: head.noun, kind: 'retry', as, of: paths.id, run: flags.runId ?? head.run },
      match: matchOf(kept.terms, flags, { as, noun: head.noun }),
      read: readOf(kept.terms, flags),
      ...rejectTerms({ ...flags, duplicates: flags.duplicates ?? kept.terms?.duplicates }, file),
    },
    file,
    flags,
  )
}

/** Rows treated as new would duplicate existing records. */
function requireTerms({ id }: JobPaths, { match, mode, map }: ImportFlags): void {
  if (match !== undefined || mode !== undefined || map !== undefined) return
  throw new CrmError('usage', `${id} does not state how its rows were matched, because an earlier version made it`, {
    hint: 'repeat its --match and --map; --mode create if it matched nothing',
    job: id,
  })
}

function matchOf(
  terms: RowTerms['terms'],
  flags: ImportFlags,
  { as, noun }: Pick<ImportRequest, 'as' | 'noun'>,
): ImportRequest['match'] {
  if (!terms?.match.names.length || flags.match !== undefined || flags.mode === 'create') {
    const match = matchRequest(flags, noun)
    return as === 'import' ? match : { ...match, mode: 'update' }
  }
  return { names: terms.match.names, mode: flags.mode ?? terms.match.mode }
}

function readOf(terms: RowTerms['terms'], flags: InputFlags): ImportRequest['read'] {
  const typed = readFlags(flags, terms?.read.required ?? [])
  if (!terms) return typed
  const { read } = terms
  return {
    ...typed,
    map: flags.map ?? read.map,
    nullToken: flags.null ?? read.nullToken,
    ...((typed.isEmptyCleared || read.isEmptyCleared) && { isEmptyCleared: true }),
    ...(read.isNewAllowed && { isNewAllowed: true }),
    compute: flags.compute ?? read.compute,
    delimiter: flags.delimiter ?? read.delimiter,
    quote: flags.quote ?? read.quote,
    isCsvSafe: typed.isCsvSafe || read.isCsvSafe,
    isTrimmed: typed.isTrimmed || read.isTrimmed === true,
    decimal: typed.decimal ?? read.decimal,
    dateOrder: typed.dateOrder ?? read.dateOrder,
  }
}
