import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { RowTerms } from '../../jobs/history/find-jobs.ts'
import type { JobPaths } from '../../jobs/journal/job-folder.ts'
import type { ImportRequest } from '../../jobs/plan/make-import.ts'
import { type ImportFlags, importAs } from './import-rows.ts'
import { type InputFlags, matchRequest, readFlags, rejectCreateMode } from './input-flags.ts'

/** Sends the corrected rows of a job on the terms of the job; flags override them. */
export async function retryRows(ctx: Context, paths: JobPaths, file: string, flags: ImportFlags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const [{ head }, kept] = [await jobs.state(paths), jobs.rowTerms(paths)]
  const as = kept.terms?.as ?? (kept.kind === 'update' || kept.kind === 'delete' ? kept.kind : 'import')
  if (as !== 'import') rejectCreateMode(flags, { noun: head.noun, kind: as })
  else if (!kept.terms) requireTerms(paths, flags)
  return importAs(
    ctx,
    {
      ...{ noun: head.noun, kind: 'retry', as, of: paths.id, run: flags.runId ?? head.run },
      match: matchOf(kept.terms, flags, { as, noun: head.noun }),
      read: readOf(kept.terms, flags),
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
    compute: flags.compute ?? read.compute,
    encoding: flags.encoding ?? read.encoding,
    delimiter: flags.delimiter ?? read.delimiter,
    quote: flags.quote ?? read.quote,
    isCsvSafe: typed.isCsvSafe || read.isCsvSafe,
  }
}
