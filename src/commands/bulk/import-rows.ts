import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { dryRunExit } from '../dry-run.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'
import { showFindings } from './findings.ts'
import type { ImportRequest, MadeJob } from './job-types.ts'
import { addReadFlags, type InputFlags, readFlags } from './read-flags.ts'
import { addRunFlags, type RunFlags } from './run-flags.ts'
import { sendJob } from './send-job.ts'

export interface ImportFlags extends InputFlags, RunFlags {
  readonly runId?: string
  readonly again?: boolean
}

export function addImportFlags(command: object): void {
  addReadFlags(command)
  const options = [
    new Option('--run-id <name>', 'what tells this run from another one; needed for stdin'),
    new Option('--again', 'a new run, although one of this file is there'),
  ]
  for (const option of options) (command as Command).addOption(option)
  addRunFlags(command)
  addScopedFlags(command, ['yes', 'dryRun', 'exitCode', 'progress'])
}

export async function importRows(
  ctx: Context,
  noun: ImportRequest['noun'],
  file: string,
  flags: ImportFlags,
): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const made = await jobs.makeImport({
    noun,
    inputName: file,
    read: readFlags(flags, noun === 'deals' ? ['name', 'stage'] : noun === 'notes' ? ['deal_id', 'body'] : []),
    stages: undefined,
    run: flags.runId,
  })
  if (made.is === 'refused') {
    showFindings(ctx, made.findings)
    throw new CrmError('invalid_input', `${made.findings.count} values of ${file} are wrong; nothing was sent`, {
      hint: 'correct them, and run the same command again',
    })
  }
  if (ctx.flags.isDryRun) return showPlan(ctx, made.job)
  return sendJob(ctx, made.job.paths, flags)
}

async function showPlan(ctx: Context, job: MadeJob): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const { end, sha256, ...counts } = job.end
  await printOne(ctx, { dry_run: true, ...counts })
  jobs.drop(job.paths)
  ctx.note('Dry run: nothing was sent.')
  return dryRunExit(ctx, counts.create + counts.update + counts.delete > 0)
}
