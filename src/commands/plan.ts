import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import type { OpenedPlan } from '../jobs/plan/plan-pages.ts'
import { type CommandGroup, examples } from './command-tree.ts'
import { addScopedFlags } from './flags.ts'
import { printList, requestedLimit } from './print.ts'

export const PLAN_COMMANDS: CommandGroup = {
  description: 'plans that --plan wrote, before they are applied',
  commands: { show: addPlanShow },
}

function addPlanShow(plan: CommandUnknownOpts, act: Act): void {
  const command = plan
    .command('show <file>')
    .description('what a plan would send: a line for each request, and for each row that is rejected')
    .addHelpText(
      'after',
      examples(
        'crm plan show people.plan',
        `crm plan show people.plan --where '.do == "update"' --limit 20`,
        'crm plan show people.plan -o jsonl',
      ),
    )
    .action(act(showPlanFile))
  addScopedFlags(command, ['fields', 'where', 'limit'])
}

async function showPlanFile(ctx: Context, file: string): Promise<undefined> {
  const plan = (await ctx.jobs()).openPlan(file)
  ctx.note(summaryOf(plan))
  for (const line of sourceLines(plan)) ctx.note(line)
  const pages = limited(plan, requestedLimit(ctx))
  await printList(ctx, { pages, columns: ['op', 'do', 'line', 'id', 'fields', 'reason'], plural: 'requests' })
}

function summaryOf({ head, end }: OpenedPlan): string {
  const { create, update, delete: remove, fail = 0, rows } = end
  const parts = [`create ${create}`, `change ${update}`, `delete ${remove}`, `${fail} fail`]
  const what = parts.filter((part) => !/(^| )0( |$)/.test(part)).join(', ') || 'nothing'
  return `${head.noun} of ${head.account}: ${what}, of ${rows} rows; made ${new Date(head.made_at).toISOString()}`
}

/** From which columns and expressions the values come. */
function sourceLines({ head: { input, terms } }: OpenedPlan): readonly string[] {
  const taken = input?.verdict.columns.flatMap(({ name, field }) => {
    return field === undefined ? [] : name === field ? name : `${name} → ${field}`
  })
  return [
    ...(taken === undefined ? [] : [`Columns: ${taken.join(', ') || 'none'}`]),
    ...(terms?.read.compute ?? []).map((typed) => `Computed: ${typed}`),
  ]
}

async function* limited(plan: OpenedPlan, limit = Number.POSITIVE_INFINITY) {
  let left = limit
  for await (const { items } of plan.pages()) {
    yield { items: items.slice(0, left), nextCursor: undefined }
    left -= items.length
    if (left <= 0) return
  }
}
