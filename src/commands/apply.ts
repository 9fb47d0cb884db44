import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import type { ExitCode } from '../core/exit.ts'
import { addRecheckFlag, addRunFlags } from './bulk/bulk-flags.ts'
import { showOrSendMade } from './bulk/import-rows.ts'
import { addExpectFlag, type PlanFlags } from './bulk/plan.ts'
import { withPlanningProgress } from './bulk/planning-progress.ts'
import { examples } from './command-tree.ts'
import { addScopedFlags } from './flags.ts'
import { requirePlanFile } from './plan.ts'

interface Options extends Omit<PlanFlags, 'plan'> {
  readonly allowDrift?: boolean
}

export function addApply(program: CommandUnknownOpts, act: Act): void {
  const command = program
    .command('apply <plan>')
    .description('send exactly the plan, or report what has changed since it was made')
    .option('--allow-drift', 'send it even if records have changed')
    .addHelpText(
      'after',
      examples('crm contacts import people.csv --match email --plan people.plan', 'crm apply people.plan --yes'),
    )
    .action(act(applyPlan))
  addExpectFlag(command)
  addRunFlags(command)
  addRecheckFlag(command)
  addScopedFlags(command, ['yes', 'dryRun', 'exitCode', 'progress'])
}

async function applyPlan(ctx: Context, path: string, options: Options): Promise<ExitCode> {
  await requirePlanFile(ctx, path)
  const jobs = await ctx.jobs()
  const made = await withPlanningProgress(ctx, (hooks) =>
    jobs.plan('file', { path, isDriftAllowed: options.allowDrift === true }, hooks),
  )
  return showOrSendMade(ctx, made, path, options)
}
